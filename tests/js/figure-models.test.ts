/** What figures hold while answers come in, and the sentences made of them: never of two states at once, never more than measured. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pool } from "../../web/core/types.ts";
import { GradientModel } from "../../web/figures/gradient-model.ts";
import { deadText, meanText, medianText, spreadText } from "../../web/figures/gradient-words.ts";
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
    assert.deepEqual(model.source, { seed, components: "normal" });
    assert.equal(model.hills.size, 4);
    await job.refine(signal);
  }
  const law = model.job({ ...variance, seed: 4, components: "laplace" }, echo, true).coarse(signal);
  assert.equal(model.source?.components, "normal", "nothing is renamed before the answer is there");
  await law;
  assert.equal(model.source?.components, "laplace");
  assert.equal(model.hills.get("3")?.exact, null);
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

test("what is said of the gradient follows from mean and median", () => {
  const norm = (mean: number, median: number, trials = 8000) =>
    gradientRow({ trials, gradQueryNorm: estimate(mean, 0.05, median) });
  const scaled = norm(1.13, 1.04);
  const cases: [number, number, RegExp][] = [
    [5.55, 3.09, /longer one.*half of the 8000 unscaled rows got less than 60\u202f% of that mean/],
    [5.12, 0.0219, /less than a hundredth of that mean; the other half/],
    [6.95, 0.186, /less than a tenth of that mean/],
    [5.7, 0.00148, /less than a thousandth/],
    [2.01, 1.69, /longer one\. Its mean and its median lie close together/],
  ];
  for (const [mean, median, said] of cases) assert.match(spreadText(norm(mean, median), scaled), said);
  assert.doesNotMatch(spreadText(norm(1.15, 1.1), scaled), /longer/, "within the bands nothing is compared");
  assert.equal(spreadText(norm(5, 0.001, 29), scaled), "");
});

test("digits without a band are few, and few rows give no band", () => {
  assert.equal(meanText(estimate(0.9466, 0.001), 16384), "0.947 ± 0.002");
  assert.equal(meanText(estimate(0.9466, 0.001), 4), "about 0.9");
  assert.equal(medianText(estimate(5.55, 0.1, 3.09)), "about 3");
  assert.equal(medianText(estimate(5, 0.1, 2.7e-8)), "less than a thousandth of that");
  assert.equal(deadText(gradientRow({ trials: 4, deadRows: estimate(1) })), "all of 4");
});
