/** What variance and gradient figures draw of odd data, and where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { drawing } from "../../web/charts/drawing.ts";
import { lightTheme } from "../../web/charts/theme.ts";
import type { AttentionRow } from "../../web/core/types.ts";
import { pairs } from "../../web/figures/gradient-model.ts";
import { panels } from "../../web/figures/gradient-panels.ts";
import { powersOfTwo } from "../../web/figures/stops.ts";
import { growth } from "../../web/figures/variance-growth.ts";
import { hills } from "../../web/figures/variance-hills.ts";
import { densityGrid, type Hill } from "../../web/figures/variance-model.ts";
import { gradientRow } from "./gradient-rows.ts";

async function markup(content: unknown): Promise<string> {
  return collectResult(render(drawing({ width: 700, height: 500, theme: lightTheme }, content)));
}

const hill = (dimension: number): Hill => ({
  dimension,
  exact: { mean: 0, variance: dimension },
  density: densityGrid.map((z) => Math.exp(-Math.abs(z))),
  result: {
    seed: 1,
    moments: {
      count: 4,
      mean: 0,
      variance: dimension,
      skewness: 0,
      excessKurtosis: 0,
      minimum: -5,
      maximum: 5,
      varianceStandardError: dimension,
    },
    histogram: { low: -5, high: 5, counts: Float64Array.of(0, 2, 2, 0), underflow: 0, overflow: 0 },
  },
});

test("the variance figure draws with no data, with little data, at any width", async () => {
  const base = { limit: true, theme: lightTheme, top: 10 };
  const all = new Map([["3", hill(3)] as const, ["chosen", hill(1)] as const]);
  for (const width of [1, 280, 700]) {
    for (const show of [[], ["3", "1000", "chosen"]] as const) {
      for (const divided of [0, 0.5, 1]) {
        const text = await markup(hills({ ...base, hills: all, show, divided, arm: "raw", width }));
        assert.doesNotMatch(text, /NaN|undefined|Infinity/);
      }
    }
    const rows = powersOfTwo.map((dimension) => ({
      dimension,
      variance: dimension,
      standardError: 2 * dimension,
      exact: dimension,
      samples: 1,
    }));
    for (const some of [[], rows]) {
      const plot = growth({
        rows: some,
        chosen: null,
        dimension: 7,
        arm: "scaled",
        theme: lightTheme,
        left: 0,
        width: Math.max(width, 100),
        top: 20,
        height: 300,
      });
      assert.doesNotMatch(await markup(plot.drawing), /NaN|undefined|Infinity/);
    }
  }
});

test("where an assumption is broken the exact line leaves d_k, and the axis follows it", async () => {
  const plot = (factor: (d: number) => number) => {
    const rows = powersOfTwo.map((dimension) => ({
      dimension,
      variance: dimension * factor(dimension),
      standardError: null,
      exact: dimension * factor(dimension),
      samples: 1,
    }));
    const place = { left: 0, width: 500, top: 20, height: 300 };
    return markup(
      growth({ rows, chosen: null, dimension: 7, arm: "raw", theme: lightTheme, ...place }).drawing,
    );
  };
  const [plain, broken] = [await plot(() => 1), await plot((d) => 1 + (d - 1) * 0.25)];
  const dotted = /stroke-dasharray="1.5 3.5"/;
  assert.doesNotMatch(plain, dotted);
  assert.match(broken, dotted, "d_k, which would hold, is drawn for comparison");
  assert.match(plain, /unscaled: d<?/);
  for (const text of [plain, broken]) {
    assert.doesNotMatch(text, /NaN|undefined|Infinity/);
    // Without a standard error there is no band at all, not one of no width.
    assert.doesNotMatch(text, /fill-opacity="0.2"/);
    for (const [, y] of text.matchAll(/cy="([^"]*)"/g)) assert.ok(Number(y) >= 20 && Number(y) <= 320, y);
  }
});

test("the hills' axis holds hills that are not centred on 0", async () => {
  const moved: Hill = { ...hill(100), exact: { mean: 400, variance: 900 } };
  const options = {
    limit: true,
    theme: lightTheme,
    top: 10,
    show: ["chosen"],
    divided: 0,
    arm: "raw",
    width: 700,
  } as const;
  const text = await markup(hills({ ...options, hills: new Map([["chosen", moved]]) }));
  const ticks = [...text.replace(/<!--.*?-->|<\?>/gs, "").matchAll(/>\s*(\d+)\s*<\/text>/g)].map(([, tick]) =>
    Number(tick),
  );
  // 400 and three and a half standard deviations of 30 either way.
  assert.ok(ticks.length > 2 && ticks.every((tick) => tick >= 295 && tick <= 505), String(ticks));
});

test("the gradient figure draws rows of zeros and without theory, and knows which d_k lies where", async () => {
  const row = (dimension: number, scale: "none" | "rsqrt") => gradientRow({ dimension, scale, trials: 1 });
  const sweep = pairs([
    row(1, "none"),
    row(1, "rsqrt"),
    row(4096, "rsqrt"),
    row(4096, "none"),
    row(9, "none"),
  ]);
  assert.deepEqual(
    sweep.map((pair) => pair.dimension),
    [1, 4096],
  );
  const one = { scores: Float64Array.of(0, -900), probabilities: Float64Array.of(1, 0) } as AttentionRow;
  for (const width of [300, 900]) {
    for (const show of ["weights", "row", "gradient"] as const) {
      for (const some of [[], sweep]) {
        const plot = panels({
          show,
          single: some.length ? { dimension: 1, row: 0, raw: one, scaled: one } : null,
          sweep: some,
          chosen: some[0] ?? null,
          dimension: 1,
          keys: 2,
          expectedMaximum: some.length ? 0.564 : 0,
          theme: lightTheme,
          width,
          left: 0,
          top: 50,
        });
        assert.doesNotMatch(await markup(plot.drawing), /NaN|undefined|Infinity/, `${show}, ${width}`);
        assert.equal(plot.at(45, 100), show === "row" ? null : 1, "one row's axis is no d_k");
        assert.equal(plot.at(-500, 100), null);
      }
    }
  }
});

test("lines end where they leave a logarithmic panel, and nothing is drawn along its floor", async () => {
  const estimate = (median: number) => ({ ...gradientRow({}).gradQueryNorm, mean: 5, rms: 9, median });
  const row = (dimension: number, scale: "none" | "rsqrt", median: number) =>
    gradientRow({ dimension, scale, gradQueryNorm: estimate(median), jacobianFrobenius: estimate(0.1) });
  const medians = [3, 0.5, 1e-5, 1e-9, 0];
  const sweep = pairs(medians.flatMap((median, i) => [row(4 ** i, "none", median), row(4 ** i, "rsqrt", 1)]));
  const options = {
    single: null,
    chosen: null,
    dimension: 1,
    keys: 8,
    expectedMaximum: 1.4,
    theme: lightTheme,
  };
  const plot = panels({ ...options, show: "gradient", sweep, width: 900, left: 0, top: 50 });
  const lines = [...(await markup(plot.drawing)).matchAll(/<path d="(M[^"]*)"[^>]*stroke-width="1.8"/g)];
  const corners = lines.map(([, path]) => path?.match(/[ML]/g)?.length);
  assert.deepEqual(
    corners,
    [3, 5],
    "unscaled median down to the first point below the floor; divided in full",
  );
});
