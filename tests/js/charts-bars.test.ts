/** Bars and heat maps: the right sizes, signs and colours, and no harm from odd data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { scaleLinear } from "d3-scale";
import { bars, slots } from "../../web/charts/bars.ts";
import { tidy } from "../../web/charts/download.ts";
import { drawing } from "../../web/charts/drawing.ts";
import { heatKey } from "../../web/charts/heat-key.ts";
import { cellAt, fullOpacity, heatMap, strength } from "../../web/charts/heat-map.ts";
import { namesWithRoom, widest } from "../../web/charts/names.ts";
import { contrast, darkTheme, lightTheme as theme } from "../../web/charts/theme.ts";

const box = { left: 50, right: 350, top: 20, bottom: 220 };

async function markup(content: unknown): Promise<string> {
  return tidy(await collectResult(render(drawing({ width: 400, height: 260, theme }, content))));
}

function rectangles(text: string): Record<string, string>[] {
  return [...text.matchAll(/<rect ([^>]*)>/g)].map(([, attributes]) =>
    Object.fromEntries(
      [...(attributes ?? "").matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    ),
  );
}

test("bars reach from the base line to their value, up and down, each in its own slot", async () => {
  const y = scaleLinear([-10, 10], [box.bottom, box.top]);
  const all = [5, -10, 0].map((value) => ({ value, name: `s_${value}`, text: String(value) }));
  const text = await markup(bars({ bars: all, box, y, paint: "gold", theme }));
  const drawn = rectangles(text).map((each) => [each.y, each.height].map(Number));
  assert.deepEqual(drawn, [
    [70, 50],
    [120, 100],
    [120, 0],
  ]);
  const centres = rectangles(text).map((each) => Number(each.x) + Number(each.width) / 2);
  assert.deepEqual(centres, [100, 200, 300]);
});

test("the slot under a point is the one drawn there, and there is none beside the box", () => {
  const place = slots(3, box);
  for (const index of [0, 1, 2]) assert.equal(place.at(place.centre(index)), index);
  assert.equal(place.at(box.left - 1), null);
  assert.equal(place.at(box.right + 1), null);
  assert.equal(slots(0, box).at(box.left), null);
});

test("texts that do not fit are left out, but for the bar one looks at", async () => {
  const y = scaleLinear([0, 1], [box.bottom, box.top]);
  const many = Array.from({ length: 16 }, (_, i) => ({ value: i / 16, text: `0.${1000 + i}` }));
  assert.doesNotMatch(await markup(bars({ bars: many, box, y, paint: "gold", theme })), /0\.10/);
  const chosen = await markup(bars({ bars: many, box, y, paint: "gold", theme, selected: 15, grips: true }));
  assert.match(chosen, /0\.1015/);
  assert.doesNotMatch(chosen, /0\.1014/);
});

test("bars draw nothing, much too much, and widths of nothing", async () => {
  const y = scaleLinear([0, 1], [box.bottom, box.top]);
  for (const right of [box.left, box.left + 1, 350]) {
    for (const values of [[], [0], [1e30], [-1e-30, 5]]) {
      const all = values.map((value) => ({ value, text: "x", ghost: -value }));
      const text = await markup(
        bars({ bars: all, box: { ...box, right }, y, paint: "gold", theme, grips: true }),
      );
      assert.doesNotMatch(text, /NaN|undefined|Infinity|="-[\d.]+" y="[^"]*" height="-/);
    }
  }
});

test("a cell's strength is the root of its share, and stops at full", () => {
  assert.equal(strength(0.25, 0.25), 1);
  assert.equal(strength(-1 / 16, 0.25), 0.5);
  assert.equal(strength(7, 0.25), 1);
  for (const nothing of [0, -0, Number.NaN]) assert.equal(strength(nothing, 0.25), 0);
  assert.equal(strength(0, 0), 0);
});

const values = [0.25, -0.25, -0.0625, 0];
const map = { values, rows: 2, columns: 2, box, reach: 0.25, theme };

test("the heat map paints signs in two hues, and tells them apart without colour too", async () => {
  const [a, b, c, d] = rectangles(await markup(heatMap(map)));
  assert.deepEqual([a?.fill, b?.fill, c?.fill], [theme.rise, theme.fall, theme.fall]);
  assert.deepEqual(
    [a, b, c, d].map((cell) => Number(cell?.["fill-opacity"])),
    [0.56, 0.56, 0.28, 0],
  );
  assert.equal(
    (await markup(heatMap(map))).match(/stroke-width="1.3"/g)?.length,
    2,
    "a stroke in each negative cell",
  );
  const named = await markup(heatMap({ ...map, text: (value) => `<${value}>` }));
  assert.match(named, /&lt;-0.0625&gt;/);
});

test("the cell under a point is the one drawn there", () => {
  assert.deepEqual(cellAt(map, 60, 210), { row: 1, column: 0 });
  assert.deepEqual(cellAt(map, 340, 30), { row: 0, column: 1 });
  for (const [x, y] of [
    [40, 30],
    [360, 30],
    [60, 10],
    [60, 230],
  ] as const)
    assert.equal(cellAt(map, x, y), null);
});

test("heat maps draw nothing, single cells, rows with frames, and what is not a number", async () => {
  for (const n of [0, 1, 16]) {
    const some = {
      ...map,
      values: new Float32Array(n * n).fill(Number.NaN),
      rows: n,
      columns: n,
      row: 0,
      column: 0,
    };
    assert.doesNotMatch(await markup(heatMap(some)), /NaN|undefined|Infinity/);
  }
  const key = await markup(heatKey({ box, reach: 0.25, theme, ticks: [{ at: 0, label: "0" }] }));
  assert.doesNotMatch(key, /NaN|undefined|Infinity/);
  assert.match(key, /x1="200" x2="200"/);
});

test("ink is read on cells of any value, in light and in dark", () => {
  const mixed = (paper: string, paint: string) => {
    const channel = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
    const blend = (at: number) => channel(paper, at) * (1 - fullOpacity) + channel(paint, at) * fullOpacity;
    return `#${[1, 3, 5].map((at) => Math.round(blend(at)).toString(16).padStart(2, "0")).join("")}`;
  };
  for (const { paper, ink, rise, fall } of [theme, darkTheme])
    for (const paint of [rise, fall]) assert.ok(contrast(mixed(paper, paint), ink) >= 4.5, paint);
});

test("names make way for each other, and all for the one looked at", () => {
  const shown = (room: number, apart: number, selected?: number) =>
    [0, 1, 2, 3, 4, 5].filter(namesWithRoom(room, apart, selected));
  assert.deepEqual(shown(20, 30), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(shown(20, 12), [0, 2, 4]);
  assert.deepEqual(shown(20, 12, 3), [0, 3]);
  assert.deepEqual(shown(20, 0, 5), [5]);
  assert.ok(widest(["p_16", "p_1"]) < widest(["p116"]));
});
