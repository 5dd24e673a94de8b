/** What figures hold while answers come in: never of two states at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "sqrtdk";
import type { AttentionRowOptions, Pool } from "../../web/core/types.ts";
import { GradientModel, plateau, type SingleRow } from "../../web/figures/gradient-model.ts";
import { rowTable } from "../../web/figures/gradient-tables.ts";
import { dimensionLimits, powersOfTwo } from "../../web/figures/stops.ts";
import { VarianceModel } from "../../web/figures/variance-model.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";
import { estimate, gradientRow } from "./gradient-rows.ts";

const variance = defaults(figureSchemas.variance);
const gradient = defaults(figureSchemas.gradient);

/** A pool that answers at once; the seed asked for comes back as the variance or the largest weight. */
const echo = {
  sampleDotProducts: async (o: { samples: number; seed: number }) => ({
    seed: o.seed,
    moments: {
      count: o.samples,
      mean: 0,
      variance: o.seed,
      skewness: 0,
      excessKurtosis: 0,
      varianceStandardError: 1,
    },
    histogram: { low: -1, high: 1, counts: new Float64Array(2), underflow: 0, overflow: 0 },
  }),
  varianceSweep: async (o: { dimensions: number[]; samples: number; seed: number }) =>
    o.dimensions.map((dimension) => ({
      dimension,
      variance: o.seed,
      standardError: 1,
      exact: dimension,
      samples: o.samples,
    })),
  dotProductDensity: async (x: Float64Array) => x,
  gradientSweep: async (o: { dimensions: number[]; seed: number; trials: number }) =>
    o.dimensions.flatMap((dimension) =>
      (["none", "rsqrt"] as const).map((scale) =>
        gradientRow({ dimension, scale, trials: o.trials, maxProbability: estimate(o.seed) }),
      ),
    ),
  expectedMaximum: async () => 1,
  theory: {
    dotProductMoments: async (o: { dimension: number }) => ({ mean: 0, variance: o.dimension }),
  },
} as unknown as Pool;

test("hills and line of the variance figure are always of one seed and law, and the model knows which", async () => {
  const model = new VarianceModel(() => {
    const seeds = [...model.hills.values()].map((hill) => hill.result.moments.variance);
    seeds.push(...model.rows.map((each) => each.variance));
    for (const seed of seeds) assert.equal(seed, model.source?.seed);
  });
  const { signal } = new AbortController();
  for (const seed of [3, 4]) {
    const job = model.job({ ...variance, seed }, echo, true);
    await job.coarse(signal);
    assert.deepEqual(model.source, { seed, components: "normal", mean: 0, correlation: 0 });
    assert.equal(model.hills.size, 4);
    await job.refine(signal);
  }
  const law = model.job({ ...variance, seed: 4, components: "laplace" }, echo, true).coarse(signal);
  assert.equal(model.source?.components, "normal", "nothing is renamed before the answer is there");
  await law;
  assert.equal(model.source?.components, "laplace");
  assert.equal(model.hills.get("3")?.density, null);
});

test("a broken assumption is asked of samples, line and theory alike, and normal theory is left out", async () => {
  const asked: Record<string, unknown>[] = [];
  const ask = (name: "sampleDotProducts" | "varianceSweep") => (o: never) => {
    asked.push(o);
    return (echo[name] as unknown as (o: never) => Promise<never>)(o);
  };
  const pool = {
    ...echo,
    sampleDotProducts: ask("sampleDotProducts"),
    varianceSweep: ask("varianceSweep"),
    dotProductDensity: () => assert.fail("of these components no density is known"),
    theory: {
      dotProductMoments: async (o: { dimension: number }) => {
        asked.push(o);
        return { mean: 1, variance: 3 * o.dimension };
      },
    },
  } as unknown as Pool;
  const model = new VarianceModel(() => {});
  const { signal } = new AbortController();
  const broken = { mean: 0.5, correlation: 0.1 };
  await model.job({ ...variance, ...broken }, pool, true).coarse(signal);
  assert.equal(asked.length, 9, "four hills with their moments, and the line");
  for (const options of asked) assert.deepEqual(options, { ...options, components: "normal", ...broken });
  assert.equal(model.hills.get("chosen")?.exact.variance, 3 * 512);
  const heavy = { components: "student-t", degreesOfFreedom: 3.5 } as const;
  await model.job({ ...variance, ...heavy }, pool, true).coarse(signal);
  for (const options of asked.slice(9)) assert.deepEqual(options, { ...options, ...heavy });
  assert.deepEqual(model.source, { seed: variance.seed, ...heavy, mean: 0, correlation: 0 });
});

test("the gradient figure's sweep and chosen point are always of one seed", async () => {
  const model = new GradientModel(() => {
    for (const pair of [...model.sweep, model.chosen])
      assert.equal(pair?.raw.maxProbability.mean, model.source?.seed);
  });
  const { signal } = new AbortController();
  for (const seed of [3, 4]) {
    const job = model.job({ ...gradient, seed }, echo, true);
    await job.coarse(signal);
    await job.refine(signal);
    assert.deepEqual(model.source, { seed, keys: gradient.keys });
    assert.deepEqual(
      model.sweep.map((pair) => pair.dimension),
      powersOfTwo,
    );
  }
  assert.equal(powersOfTwo.at(-1), dimensionLimits.max);
});

test("when several calls of one answer fail, the error comes once and nothing is left unhandled", async () => {
  // Node's test runner fails a test that leaves an unhandled rejection behind.
  const later = () =>
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error("closed, later")), 5));
  const pool = {
    ...echo,
    sampleDotProducts: async (_: unknown, job: { onProgress?: (soFar: object) => void }) => {
      job.onProgress?.({});
      throw new Error("closed");
    },
    dotProductDensity: later,
  } as unknown as Pool;
  const { signal } = new AbortController();
  const job = new VarianceModel(() => {}).job(variance, pool, true);
  await assert.rejects(job.coarse(signal), /^Error: closed$/);
  await assert.rejects(job.refine(signal), /^Error: closed$/);
  await new Promise((resolve) => setTimeout(resolve, 20));
});

test("one row is drawn only where it is looked at, in both arms, as a trial of the sweep", async () => {
  const core = await load();
  const asked: unknown[] = [];
  const pool = {
    ...echo,
    sampleAttentionRow: async (o: AttentionRowOptions) => {
      asked.push(o);
      return core.sampleAttentionRow(o);
    },
  } as unknown as Pool;
  const model = new GradientModel(() => {});
  const { signal } = new AbortController();
  await model.job(gradient, pool, true).coarse(signal);
  assert.equal(model.single, null);
  assert.deepEqual(asked, []);
  await model.job({ ...gradient, show: "row", row: 2 }, pool, true).coarse(signal);
  const single = (model.single as SingleRow | null) ?? assert.fail();
  const { raw, scaled } = single;
  for (const [i, score] of raw.scores.entries()) {
    assert.ok(
      Math.abs(score / Math.sqrt(512) - (scaled.scores[i] as number)) < 1e-5,
      "the same query and keys",
    );
  }
  const table = rowTable(single, model.source ?? assert.fail());
  assert.equal(table.rows.length, gradient.keys);
  const shown = table.rows.map((cells) => cells[1] as number);
  assert.ok(shown.every((weight, i) => i === 0 || weight <= (shown[i - 1] as number)));
  assert.ok(Math.abs((shown[0] as number) - raw.maxProbability) < 1e-13);
  await model.job(gradient, pool, true).coarse(signal);
  assert.equal(model.single, null);
});

test("looking at the same rows in another way does not make them fewer", async () => {
  const model = new GradientModel(() => {});
  const { signal } = new AbortController();
  const job = model.job(gradient, echo, true);
  await job.coarse(signal);
  await job.refine(signal);
  const trials = model.chosen?.raw.trials;
  await model.job({ ...gradient, show: "gradient" }, echo, true).coarse(signal);
  assert.equal(model.chosen?.raw.trials, trials);
});

test("the unscaled mean gradient comes to where it is drawn to tend to", async () => {
  const core = await load();
  const options = {
    dimensions: [1024],
    keys: 4,
    trials: 40_000,
    seed: 11,
    valueDim: 16,
    scale: "none",
  } as const;
  const [row] = core.gradientSweep(options);
  const { mean, standardError } = row?.gradQueryNorm ?? assert.fail();
  const limit = plateau(core.theory.expectedMaximum(4));
  // The law's own error falls with d_k; here it is smaller than the sample's.
  assert.ok(Math.abs(mean - limit) < 4 * standardError, `${mean} +- ${standardError}, ${limit}`);
  assert.ok(standardError < 0.05 * limit);
});
