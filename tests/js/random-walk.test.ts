/** The walks behind the random-walk figure: sums of the core's own normals, and statistics computed another way here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, type Pool } from "sqrtdk";
import { createPool } from "sqrtdk/worker";
import {
  allWalks,
  densityGrid,
  funnelSteps,
  groupWalks,
  longest,
  RandomWalkModel,
  Walks,
} from "../../web/figures/random-walk-model.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";

const core = await load();
const defaultState = defaults(figureSchemas["random-walk"]);
const components = (seed: number, stream: number) =>
  core.randomNormal(groupWalks * longest, { seed, stream });
function draw(seed: number, count: number): Walks {
  let walks = Walks.none(seed);
  for (let group = 0; walks.count < count; ++group)
    walks = walks.and(components(seed, 2 * group), components(seed, 2 * group + 1));
  return walks;
}

test("a walk is the running sum of the products of its query and key", () => {
  const walks = draw(9, 2 * groupWalks);
  for (const walk of [0, groupWalks - 1, groupWalks, 2 * groupWalks - 1]) {
    const group = Math.floor(walk / groupWalks);
    const [q, k] = [components(9, 2 * group), components(9, 2 * group + 1)];
    const start = (walk % groupWalks) * longest;
    assert.equal(walks.at(walk, 0), 0);
    for (const steps of [1, 2, 63, 1000, longest]) {
      let sum = 0;
      for (let i = 0; i < steps; ++i) sum += (q[start + i] as number) * (k[start + i] as number);
      assert.equal(walks.at(walk, steps), Math.fround(sum));
    }
  }
});

test("the spread is the sample standard deviation, and its band that of the variance carried to the root", () => {
  const walks = draw(3, 100);
  for (const steps of [1, 17, longest]) {
    const ends = Array.from({ length: 100 }, (_, walk) => walks.at(walk, steps));
    const mean = ends.reduce((a, b) => a + b) / 100;
    const variance = ends.reduce((sum, end) => sum + (end - mean) ** 2, 0) / 99;
    // Welford's sums are of the unrounded walks: 2^-24 of the largest end.
    assert.ok(Math.abs(walks.spread(steps) / Math.sqrt(variance) - 1) < 1e-6);
    const error = (core.theory.varianceStandardError({ dimension: steps, samples: 100 }) as number) / steps;
    const band = (1.96 * error * walks.spread(steps)) / 2;
    assert.ok(Math.abs(walks.spreadBand(steps) / band - 1) < 1e-12, `${steps} steps`);
  }
});

test("walks spread as the root of their steps, within their own error", () => {
  for (const seed of [1, 2, 3]) {
    const walks = draw(seed, allWalks);
    for (const steps of [4, 16, 64, 512, longest]) {
      const z = (1.96 * (walks.spread(steps) - Math.sqrt(steps))) / walks.spreadBand(steps);
      assert.ok(Math.abs(z) < 5, `seed ${seed}, ${steps} steps: z = ${z}`);
    }
  }
});

test("ends are counted once each, in their bins and within a bound", () => {
  const walks = draw(4, 100);
  const reach = 3.5 * Math.sqrt(64);
  const counts = walks.histogram(64, reach, 28);
  const expected = new Float64Array(28);
  for (let walk = 0; walk < 100; ++walk) {
    const end = walks.at(walk, 64);
    for (let bin = 0; bin < 28; ++bin)
      if (end >= (bin / 14 - 1) * reach && end < ((bin + 1) / 14 - 1) * reach)
        expected[bin] = (expected[bin] ?? 0) + 1;
  }
  assert.deepEqual(counts, expected);
  const inside = Array.from({ length: 100 }, (_, walk) => Math.abs(walks.at(walk, 64))).filter(
    (end) => end <= 8,
  );
  assert.equal(walks.within(64, 8), inside.length);
});

test("the model shows a group of walks at once, then all of them, beside the exact law", async () => {
  const pool = createPool({ size: 1 });
  let arrivals = 0;
  const model = new RandomWalkModel(() => ++arrivals);
  const { signal } = new AbortController();
  const job = model.job({ ...defaultState, seed: 7, dimension: 2 }, pool, load, true);
  await job.coarse(signal);
  assert.equal(model.walks?.count, groupWalks);
  const early = model.walks?.at(groupWalks - 1, 100);
  // d_k = 2 is the Laplace law: e^-|x| / 2 with standard deviation sqrt 2.
  for (const [i, z] of densityGrid.entries()) {
    const exact = (Math.SQRT2 * Math.exp(-Math.abs(z) * Math.SQRT2)) / 2;
    assert.ok(Math.abs((model.law?.density[i] as number) / exact - 1) < 1e-12);
  }
  const vectors: { quantiles: { d: number; p: string; z: string }[] } = JSON.parse(
    readFileSync(new URL("../vectors/variance_gamma.json", import.meta.url), "utf8"),
  );
  const table = vectors.quantiles.filter(({ d, p }) => p === "0.975" && funnelSteps.includes(d));
  assert.ok(table.length >= 5);
  for (const { d, z } of table)
    assert.ok(
      Math.abs((model.reaches[funnelSteps.indexOf(d)] as number) / Number(z) - 1) < 1e-12,
      `${d} steps`,
    );
  await job.refine(signal);
  assert.equal(model.walks?.count, allWalks);
  assert.equal(model.walks?.at(groupWalks - 1, 100), early);
  assert.equal(arrivals, allWalks / groupWalks);

  // A moving slider draws no walk again.
  const calls: string[] = [];
  const counting = {
    randomNormal: () => calls.push("drawn"),
    dotProductDensity: pool.dotProductDensity,
  } as unknown as Pool;
  const next = model.job({ ...defaultState, seed: 7, dimension: 3 }, counting, load, true);
  await next.coarse(signal);
  await next.refine(signal);
  assert.deepEqual(calls, []);
  assert.equal(model.law?.dimension, 3);
  pool.close();
});

test("an answer that comes too late for its seed changes nothing", async () => {
  const pool = createPool({ size: 1 });
  const model = new RandomWalkModel(() => {});
  const control = new AbortController();
  await model.job({ ...defaultState, seed: 1 }, pool, load, true).coarse(control.signal);
  const late = model.job({ ...defaultState, seed: 1 }, pool, load, true).refine(control.signal);
  control.abort();
  await late;
  assert.equal(model.walks?.count, groupWalks);
  pool.close();
});
