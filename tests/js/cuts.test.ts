/** Wherever a run is cut into steps, it has the bits of the engine's single call. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile, load } from "sqrtdk";
import { instantiate } from "../../web/core/engine.ts";
import { Doubles, Heap, Scratch } from "../../web/core/heap.ts";
import { lawNumber } from "../../web/core/laws.ts";

const core = await load();
const engine = await instantiate((await compile()).module);
const heap = new Heap(engine);

const steps = <T>(run: Generator<unknown, T>) => {
  for (let count = 1; ; count++) {
    const { done, value } = run.next();
    if (done) return { count, result: value as T };
  }
};

test("scores: any cut between blocks leaves the same moments and histogram", () => {
  const block = engine.samplesPerBlock;
  const samples = 40 * block + 17;
  const options = { dimension: 300, samples, seed: 5, bins: 16, range: [-40, 40] as [number, number] };
  /** Moments and counts of a run in parts of so many blocks. */
  const runInParts = (blocks: number) => {
    const moments = new Doubles(new Float64Array(7));
    const counts = new Scratch(4 * (options.bins + 2));
    let bins: number[] = [];
    heap.run("test", [moments, counts], () => {
      const words = () =>
        engine.HEAPU32.subarray(counts.address >>> 2, (counts.address >>> 2) + options.bins + 2);
      words().fill(0);
      for (let first = 0; first * block < samples; first += blocks)
        engine.sampleDotProducts(
          {
            ...{
              dimension: options.dimension,
              law: lawNumber(engine, "normal"),
              degreesOfFreedom: 5,
              correlation: 0,
              mean: 0,
              queryStd: 1,
              keyStd: 1,
            },
            ...{ scale: 1, seed: options.seed, firstBlock: first, low: -40, high: 40 },
            samples: Math.min(blocks * block, samples - first * block),
          },
          moments.address,
          counts.address,
          options.bins,
          0,
        );
      bins = [...words()];
    });
    return { moments: [...moments.values], bins };
  };
  const whole = runInParts(41);
  for (const blocks of [1, 3, 8, 40]) assert.deepEqual(runInParts(blocks), whole);

  const { count, result } = steps(core.steps.sampleDotProducts(options));
  assert.ok(count > 3, `${count} steps`);
  assert.deepEqual([result.moments.count, result.moments.mean], whole.moments.slice(0, 2));
  const { counts, underflow, overflow } = result.histogram;
  assert.deepEqual([...counts, underflow, overflow], whole.bins);
});

test("gradients: trials that run together and in steps are the same", () => {
  const options = { dimension: 64, keys: 200, valueDim: 16, seed: 7, trials: 150 };
  const scales = new Doubles(Float64Array.of(1, 0, 0)); // no softcap, no QK-norm
  const call = { ...options, deadThreshold: 1e-3, firstTrial: 0 };
  const floats = new Scratch(4 * engine.gradientFlowScratchFloats(call, false, false));
  const doubles = new Scratch(8 * engine.gradientFlowScratchDoubles(call));
  const columns = new Doubles(new Float64Array(12 * options.trials));
  heap.run("test", [scales, floats, doubles, columns], () =>
    engine.runGradientTrials(call, scales.address, 1, floats.address, doubles.address, columns.address),
  );
  const estimate = (column: number) => {
    const values = new Doubles(columns.values.slice(column * options.trials, (column + 1) * options.trials));
    const scratch = new Scratch(values.bytes);
    let found = {};
    heap.run("test", [values, scratch], () => {
      found = { ...engine.estimate(values.address, options.trials, scratch.address, 0, 0), quantiles: [] };
    });
    return found;
  };
  const { dimension, ...rest } = options;
  const { count, result } = steps(
    core.steps.gradientSweep({ ...rest, dimensions: [dimension], scale: "none", quantiles: [] }),
  );
  assert.ok(count > 3, `${count} steps`);
  assert.deepEqual({ ...result[0]?.entropy }, estimate(0));
  assert.deepEqual({ ...result[0]?.gradKeyNorm }, estimate(10));
});

test("normals: drawn piece by piece they have the golden bits of one piece", () => {
  const words = new Uint32Array(core.randomNormal(20001, { seed: 1 }).buffer);
  const hash = words.reduce(
    (h, word) => BigInt.asUintN(64, (h ^ BigInt(word)) * 0x100000001b3n),
    0xcbf29ce484222325n,
  );
  const golden = readFileSync(new URL("../golden/bits.h", import.meta.url), "utf8");
  assert.equal(`0x${hash.toString(16).padStart(16, "0")}`, /"normals", (0x[0-9a-f]+)/.exec(golden)?.[1]);
});

test("every law has a number of its own in the engine", () => {
  const laws = ["normal", "uniform", "rademacher", "laplace", "student-t"] as const;
  assert.equal(new Set(laws.map((law) => lawNumber(engine, law))).size, laws.length);
  // Sampling and theory mean the same law by it: fourth moments tell them apart.
  for (const components of laws) {
    const drawn = { dimension: 1, components, degreesOfFreedom: 12 };
    const sample = core.sampleDotProducts({ ...drawn, samples: 400_000, seed: 3 });
    const exact = core.theory.dotProductMoments(drawn);
    const kurtosis = exact.excessKurtosis as number;
    const { excessKurtosis } = sample.moments;
    assert.ok(Math.abs(excessKurtosis - kurtosis) < 0.15 * (3 + kurtosis), components);
  }
});
