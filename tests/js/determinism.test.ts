/** The same seed gives the same bits: whichever variant, in any number of workers. (Cuts of a run: cuts.test.ts.) */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type GradientRow, load, type Steps } from "sqrtdk";
import { createPool } from "sqrtdk/worker";

const core = await load();
const run = promisify(execFile);
const options = { dimension: 512, samples: 1_000_000, seed: 1 } as const;
const result = core.sampleDotProducts(options);
/** Uses every elementary function that sampling has. */
const heavyTails = {
  dimension: 65,
  samples: 10_000,
  seed: 1,
  components: "student-t",
  degreesOfFreedom: 4.5,
  correlation: 0.25,
  mean: 0.5,
} as const;

const pools = [1, 2, 3].map((size) => createPool({ size }));
after(() => {
  for (const pool of pools) pool.close();
});

function drain<Result>(steps: Steps<Result>): { result: Result; steps: number; between: Result[] } {
  const between: Result[] = [];
  for (let count = 1; ; count++) {
    const step = steps.next();
    if (step.done) return { result: step.value, steps: count, between };
    if (count % 50 === 1) between.push(step.value());
  }
}

test("the variance of q.k is d_k, within four standard errors of the exact law", () => {
  const standardError = core.theory.varianceStandardError({ dimension: 512, samples: options.samples });
  const { varianceStandardError } = result.moments;
  assert.ok(standardError !== null && varianceStandardError !== null);
  assert.ok(Math.abs(result.moments.variance - 512) < 4 * standardError, String(result.moments.variance));
  assert.ok(Math.abs(varianceStandardError / standardError - 1) < 0.05);
  assert.ok(Math.abs(result.moments.mean) < 4 * Math.sqrt(512 / options.samples));
});

test("nothing is lost: bins and tails count every sample", () => {
  const { counts, underflow, overflow } = result.histogram;
  assert.equal(counts.length, 200);
  assert.equal(
    counts.reduce((a, b) => a + b, underflow + overflow),
    options.samples,
  );
});

test("steps give results on the way", () => {
  const stepwise = drain(core.steps.sampleDotProducts(options));
  assert.deepEqual(stepwise.result, result);
  assert.ok(stepwise.steps > 100);
  const counts = stepwise.between.map(({ moments }) => moments.count);
  assert.deepEqual(
    counts,
    [...counts].sort((a, b) => a - b),
  );
  assert.ok((counts[0] as number) > 0 && (counts.at(-1) as number) < options.samples);
});

test("steps of several calls may be taken in turns", () => {
  const small = { dimension: 64, samples: 30_000, seed: 3 };
  const [a, b] = [core.steps.sampleDotProducts(small), core.steps.sampleDotProducts({ ...small, seed: 4 })];
  let [x, y] = [a.next(), b.next()];
  while (!x.done || !y.done) {
    if (!x.done) x = a.next();
    core.softmax(new Float32Array(20_000));
    if (!y.done) y = b.next();
  }
  assert.deepEqual(x.value, core.sampleDotProducts(small));
  assert.deepEqual(y.value, core.sampleDotProducts({ ...small, seed: 4 }));
});

test("fused multiply-add does not touch what a seed gives", async () => {
  const scale = [
    "none",
    "rsqrt",
    { rule: "softcap", softcap: 2 },
    { rule: "qk-norm" },
    { rule: "log-n" },
  ] as const;
  const sweep = { dimensions: [3, 64], keys: 20, trials: 50, seed: 2, scale };
  const code = `import { load } from "sqrtdk";
    const core = await load({ variant: "relaxed" });
    const { moments, histogram } = core.sampleDotProducts(${JSON.stringify(options)});
    const heavy = core.sampleDotProducts(${JSON.stringify(heavyTails)}).moments;
    const rows = core.gradientSweep(${JSON.stringify(sweep)});
    const normals = [...core.randomNormal(5, { seed: 9 })];
    console.log(JSON.stringify({ variant: core.info().variant, moments, counts: [...histogram.counts], heavy, rows, normals }));`;
  // Node 20 hides relaxed SIMD behind an option that newer ones need not know.
  const relaxedFlag = "--experimental-wasm-relaxed-simd";
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const arguments_ = ["--input-type=module", "--eval", code];
  const known = await run(process.execPath, [relaxedFlag, "--eval", "0"]).then(
    () => [relaxedFlag],
    () => [],
  );
  const { stdout } = await run(process.execPath, [...known, ...arguments_], { cwd, maxBuffer: 2 ** 24 });
  const relaxed = JSON.parse(stdout);
  assert.equal(relaxed.variant, "relaxed");
  assert.deepEqual(relaxed.moments, result.moments);
  assert.deepEqual(relaxed.heavy, core.sampleDotProducts(heavyTails).moments);
  assert.deepEqual(relaxed.counts, [...result.histogram.counts]);
  assert.deepEqual(relaxed.normals, [...core.randomNormal(5, { seed: 9 })]);
  const rows = core.gradientSweep(sweep);
  assert.deepEqual(relaxed.rows, JSON.parse(JSON.stringify(rows)));
});

test("any number of workers gives the bits of the core's own calls", async () => {
  const variance = { dimensions: [1, 3, 64, 128], samples: 20_000, seed: 5, components: "laplace" } as const;
  const gradient = {
    dimensions: [2, 16, 64],
    keys: 32,
    trials: 300,
    seed: 6,
    scale: ["none", 0.25] as const,
  };
  const expectedVariance = core.varianceSweep(variance);
  const expectedGradient = core.gradientSweep(gradient);
  const x = Float64Array.of(-1, 0.5, 2);
  for (const pool of pools) {
    assert.deepEqual(
      await pool.sampleDotProducts({ ...options, samples: 100_000 }),
      core.sampleDotProducts({ ...options, samples: 100_000 }),
    );
    assert.deepEqual(await pool.varianceSweep(variance), expectedVariance);
    assert.deepEqual(await pool.gradientSweep(gradient), expectedGradient);
    assert.deepEqual(
      await pool.dotProductDensity(x, { dimension: 5 }),
      core.theory.dotProductDensity(x, { dimension: 5 }),
    );
    const stream = { seed: 8, stream: 3 };
    assert.deepEqual(await pool.randomNormal(10_001, stream), core.randomNormal(10_001, stream));
  }
});

test("a row does not depend on which other dimensions are in the sweep", () => {
  const variance = { samples: 5000, seed: 7 };
  const both = core.varianceSweep({ ...variance, dimensions: [8, 32] });
  assert.deepEqual(both[1], core.varianceSweep({ ...variance, dimensions: [32] })[0]);
  const gradient = { keys: 16, trials: 40, seed: 7 };
  const rows = core.gradientSweep({ ...gradient, dimensions: [8, 32] });
  assert.deepEqual(rows.slice(2), core.gradientSweep({ ...gradient, dimensions: [32] }));
});

test("scales of one dimension see the same queries and keys", () => {
  const alone = (scale: "none" | "rsqrt"): GradientRow[] =>
    core.gradientSweep({ dimensions: [16], keys: 16, trials: 40, seed: 8, scale });
  const together = core.gradientSweep({ dimensions: [16], keys: 16, trials: 40, seed: 8 });
  assert.deepEqual(together, [...alone("none"), ...alone("rsqrt")]);
});

test("measured gradients agree with theory where it is known", () => {
  const rows = core.gradientSweep({ dimensions: [4, 64], keys: 32, trials: 4000, seed: 11 });
  for (const { theory, entropy, sumSquares, maxProbability } of rows) {
    assert.ok(theory);
    assert.ok(Math.abs(entropy.mean - theory.entropy) < 4.5 * entropy.standardError);
    assert.ok(Math.abs(sumSquares.mean - theory.sumSquares) < 4.5 * sumSquares.standardError);
    assert.ok(Math.abs(maxProbability.mean - theory.maxProbability) < 4.5 * maxProbability.standardError);
  }
});

test("normals: a longer request begins with a shorter one, streams and seeds differ", () => {
  const long = core.randomNormal(5000, { seed: 0, stream: 3 });
  assert.deepEqual(long.subarray(0, 37), core.randomNormal(37, { seed: 0, stream: 3 }));
  assert.notDeepEqual(long.subarray(0, 37), core.randomNormal(37, { seed: 0, stream: 4 }));
  assert.notDeepEqual(long.subarray(0, 37), core.randomNormal(37, { seed: 2 ** 53 - 1, stream: 3 }));
});

test("normals: into an array or a buffer of the caller's, with the same bits", () => {
  const options = { seed: 5, stream: 2 };
  // Blocks of 1024 values, pieces of four: less than one, between, and one more than twice as many.
  for (const count of [1, 1023, 4096, 4097, 8193]) {
    const expected = core.randomNormal(count, options);
    const array = new Float32Array(count);
    assert.equal(core.randomNormal(count, { ...options, out: array }), array);
    assert.deepEqual(array, expected);
    const part = new Float32Array(count + 2).subarray(1, count + 1);
    assert.deepEqual(core.randomNormal(count, { ...options, out: part }), expected);
    assert.deepEqual([new Float32Array(part.buffer)[0], new Float32Array(part.buffer)[count + 1]], [0, 0]);
    const buffer = core.buffer(count);
    assert.deepEqual(core.randomNormal(count, { ...options, out: buffer }), expected);
    assert.deepEqual(buffer.view, expected);
    buffer.view.fill(0);
    const { view } = buffer;
    assert.equal(core.randomNormal(count, { ...options, out: view }).length, count);
    assert.deepEqual(buffer.view, expected);
    buffer.free();
    assert.throws(() => core.randomNormal(count, { ...options, out: buffer }), { code: "ERR_FREED" });
  }
  const nothing = new Float32Array(0);
  assert.equal(core.randomNormal(0, { ...options, out: nothing }), nothing);
  const refused = (out: unknown) => () => core.randomNormal(3, { ...options, out: out as Float32Array });
  assert.throws(refused(new Float32Array(4)), {
    code: "ERR_SHAPE",
    message: "randomNormal: out must hold 3 values, got 4",
  });
  for (const out of [new Float64Array(3), [0, 0, 0], "abc", 3])
    assert.throws(refused(out), { code: "ERR_TYPE" });
  const gone = new Float32Array(3);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  assert.throws(refused(gone), { code: "ERR_TYPE", message: /transferred/ });
});
