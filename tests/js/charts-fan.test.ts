/** The fan of paths: what is thinned out and what is not, and that it stays one small drawing without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import fc from "fast-check";
import { tidy } from "../../web/charts/download.ts";
import { drawing } from "../../web/charts/drawing.ts";
import { fan, rug, thinned } from "../../web/charts/fan.ts";
import { lightTheme as theme } from "../../web/charts/theme.ts";

const svgOf = async (content: unknown) =>
  tidy(await collectResult(render(drawing({ width: 300, height: 200, theme }, content))));
const pathsOf = (markup: string) => [...markup.matchAll(/<path d="([^"]*)"/g)].map(([, d]) => d as string);

/** Corners of every path in a "M x y l dx dy dx dy" text, in the drawing's pixels. */
function corners(d: string): [number, number][][] {
  return d
    .split("M")
    .filter(Boolean)
    .map((part) => {
      const numbers = [...part.matchAll(/-?\d+/g)].map(([text]) => Number(text));
      let [x, y] = [0, 0];
      const points: [number, number][] = [];
      for (let i = 0; i < numbers.length; i += 2) {
        x += numbers[i] as number;
        y += numbers[i + 1] as number;
        points.push([x / 10, y / 10]);
      }
      return points;
    });
}

test("every corner of every path is where the scales put it, to a tenth of a pixel, however far it has come", async () => {
  const positions = thinned(500, 100);
  const value = (path: number, at: number) => 40 * Math.sin(0.37 * at + path) + path / 3;
  const x = (at: number) => 20.123 + at * 0.517;
  const y = (height: number) => 100 - 1.717 * height;
  const markup = await svgOf(fan({ count: 21, positions, value, x, y, paint: "red", bundles: 4 }));
  const paths = pathsOf(markup);
  assert.equal(paths.length, 4);
  const bundles = paths.map(corners);
  assert.equal(bundles.flat().length, 21);
  for (let path = 0; path < 21; ++path) {
    const drawn = bundles[path % 4]?.[Math.floor(path / 4)];
    assert.equal(drawn?.length, positions.length);
    for (const [i, [left, up]] of (drawn ?? []).entries()) {
      const at = positions[i] as number;
      assert.ok(Math.abs(left - x(at)) <= 0.0500001 && Math.abs(up - y(value(path, at))) <= 0.0500001);
    }
  }
  assert.doesNotMatch(markup, /NaN|undefined|Infinity/);
});

test("a fan of no paths, of one point and of fewer paths than bundles is drawn without complaint", async () => {
  const common = { x: (at: number) => at, y: (at: number) => at, value: () => 1, paint: "red" };
  assert.equal(pathsOf(await svgOf(fan({ ...common, count: 0, positions: [0, 1] }))).length, 0);
  assert.deepEqual(pathsOf(await svgOf(fan({ ...common, count: 2, positions: [0] }))), ["", ""]);
  assert.equal(pathsOf(await svgOf(fan({ ...common, count: 3, positions: [0, 9] }))).length, 3);
});

test("thinned positions: both ends, few enough, on one grid that does not move when the end does", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70_000 }), fc.integer({ min: 1, max: 300 }), (end, most) => {
      const positions = thinned(end, most);
      assert.equal(positions[0], 0);
      assert.equal(positions.at(-1), end);
      assert.ok(positions.length <= most + 1, `${positions.length} of ${most}`);
      const stride = positions.length > 2 ? (positions[1] as number) : end;
      assert.ok(positions.length === 2 || Number.isInteger(Math.log2(stride)));
      for (const [i, at] of positions.slice(0, -1).entries()) assert.equal(at, i * stride);
      // One step further keeps all inner points, or, where the stride doubles, every second one.
      const further = new Set(thinned(end + 1, most));
      const kept = positions.slice(0, -1).filter((at) => further.has(at)).length;
      assert.ok(kept >= Math.floor((positions.length - 1) / 2));
    }),
  );
});

test("a rug has one stroke for every value", async () => {
  const [d] = pathsOf(
    await svgOf(rug({ count: 3, value: (i) => 10 * i, x: 5, length: 4, y: (v) => 50 - v, paint: "red" })),
  );
  assert.equal(d, "M5.0 50.0h4M5.0 40.0h4M5.0 30.0h4");
});
