/** The pool has every call of the core, with the same bits; how arguments get to a worker. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { load, type Pool, SqrtdkError } from "sqrtdk";
import { createPool } from "sqrtdk/worker";

const core = await load();
const pool = createPool({ size: 2 });
after(() => pool.close());

const shape = { heads: 2, queryLength: 3, keyLength: 5, headDim: 4 };
const [query, key, value, grad] = [24, 40, 40, 24].map((length, i) =>
  core.randomNormal(length, { seed: 1, stream: i }),
) as [Float32Array, Float32Array, Float32Array, Float32Array];
const { output, logSumExp } = core.scaledDotProductAttention(query, key, value, { shape });
const density = { dimension: 4, keyStd: 2 };

/** Arguments for every call: a new one is to be added here, or the test below names it. */
const cases: Record<string, unknown[]> = {
  softmax: [query, { columns: 4, scale: 2 }],
  logSoftmax: [query],
  logSumExp: [query, { columns: 4 }],
  softmaxBackward: [grad, core.softmax(query, { columns: 4 }), { columns: 4 }],
  softmaxJacobian: [core.softmax(query)],
  softmaxDiagnostics: [query, { columns: 4 }],
  scaledDotProductAttention: [
    query,
    key,
    value,
    { shape, attnMask: new Uint8Array(15).fill(1, 3), returnWeights: "masked" },
  ],
  scaledDotProductAttentionBackward: [grad, query, key, value, output, logSumExp, { shape }],
  sampleDotProducts: [{ dimension: 8, samples: 3000, seed: 1 }],
  varianceSweep: [{ dimensions: [3, 9], samples: 1000, seed: 2 }],
  gradientSweep: [{ dimensions: [32, 2], keys: 8, trials: 20, seed: 4, scale: "rsqrt" }],
  sampleAttentionRow: [{ dimension: 4, keys: 3, seed: 1, scale: "rsqrt" }],
  randomNormal: [1001, { seed: 3, stream: 2 }],
  "theory.dotProductDensity": [Float64Array.of(-1, 0.5, 7), density],
  "theory.dotProductTail": [2.5, density],
  "theory.dotProductQuantile": [0.9, density],
  "theory.dotProductMoments": [{ dimension: 4, components: "laplace" }],
  "theory.varianceStandardError": [{ dimension: 4, samples: 10 }],
  "theory.scoreMatrixVarianceError": [{ queries: 4, keys: 8, dimension: 16 }],
  "theory.normalDensity": [Float64Array.of(-1, 0.5, 7), density],
  "theory.normalTail": [2.5, density],
  "theory.normalDistance": [{ dimension: 7 }],
  "theory.freezingStd": [8],
  "theory.poissonDirichlet": [0.5],
  "theory.entropyFloor": [{ keys: 8, scoreNorm: 2 }],
  "theory.expectedSoftmax": [{ keys: 5, scoreStd: 2 }],
  "theory.expectedAttentionRow": [{ keys: 5, dimension: 4, scale: "rsqrt" }],
  "theory.expectedMaximum": [7],
  "theory.freezingDimension": [7],
  "theory.twoKeys": [{ differenceStd: 3 }],
};

type Calls = Record<string, (...args: unknown[]) => unknown>;
const find = (home: object, name: string): ((...args: unknown[]) => unknown) => {
  const { theory, ...own } = home as Record<string, unknown>;
  const calls = (name.startsWith("theory.") ? theory : own) as Calls;
  return calls[name.replace("theory.", "")] as Calls[string];
};

test("the pool has every call of the core but those whose results stay", () => {
  const names = (home: object, path = "") =>
    Object.entries(home).flatMap(([name, call]) => (typeof call === "function" ? [path + name] : []));
  const all = [...names(core), ...names(core.theory, "theory.")];
  const staying = ["buffer", "createTrainer"];
  const pooled = all.filter((name) => !staying.includes(name));
  assert.deepEqual(
    pooled.filter((name) => typeof find(pool, name) !== "function"),
    [],
  );
  assert.deepEqual(
    pooled.filter((name) => !(name in cases)),
    ["info"],
  );
});

for (const [name, args] of Object.entries(cases)) {
  test(`${name} gives what the core gives`, async () => {
    const expected = find(core, name)(...args);
    // What comes from a worker is a plain object of this realm, whatever the engine's was.
    assert.deepEqual(await find(pool, name)(...args), structuredClone(expected));
  });
}

test("arguments are copied at the call: what the caller does next changes nothing, and gets nothing", async () => {
  const mine = Float32Array.of(1, 2, 3);
  const options = { columns: 3 };
  const promise = pool.softmax(mine, options);
  mine.fill(0);
  options.columns = 1;
  assert.deepEqual(await promise, core.softmax(Float32Array.of(1, 2, 3)));
  assert.equal(mine.length, 3);
});

test("parts of arrays, shared memory and buffers of a core are sent as their values", async () => {
  const values = Float32Array.of(9, 1, 2, 3, 9);
  const expected = core.softmax(values.slice(1, 4));
  assert.deepEqual(await pool.softmax(values.subarray(1, 4)), expected);
  const shared = new Float32Array(new SharedArrayBuffer(12));
  shared.set([1, 2, 3]);
  assert.deepEqual(await pool.softmax(shared), expected);
  const buffer = core.buffer(3);
  buffer.view.set([1, 2, 3]);
  assert.deepEqual(await pool.softmax(buffer), expected);
  buffer.free();
  await assert.rejects(pool.softmax(buffer), { code: "ERR_FREED" });
});

test("memory that is given away is empty at once", async () => {
  const mine = Float32Array.of(1, 2, 3);
  const expected = core.softmax(mine);
  const promise = pool.softmax(mine, {}, { transfer: [mine.buffer] });
  assert.equal(mine.length, 0);
  assert.deepEqual(await promise, expected);
});

test("options of a class are read as the core reads them", async () => {
  class Rows {
    get columns() {
      return 2;
    }
  }
  const x = new Float32Array(4);
  assert.deepEqual(await pool.softmax(x, new Rows()), x.fill(0.5));
  assert.deepEqual(await pool.softmax(x, Object.create({ columns: 4 })), x.fill(0.25));
});

// biome-ignore lint/suspicious/noExplicitAny: the point is to pass what the types forbid
const loose = pool as any;
const x = new Float32Array(4);
function transferred() {
  const array = new Float32Array(4);
  structuredClone(array, { transfer: [array.buffer] });
  return array;
}
const circle: { shape?: unknown } = {};
circle.shape = circle;
const refusals: [string, () => Promise<unknown>, string, RegExp][] = [
  ["a wrong array", () => loose.softmax([1]), "ERR_TYPE", /^softmax: scores must be a Float32Array/],
  ["a misspelt option", () => loose.softmax(x, { colums: 2 }), "ERR_OPTION", /did you mean "columns"/],
  ["the pool's options too early", () => loose.softmax(x, { signal: 1 }), "ERR_OPTION", /no "signal"/],
  ["an output", () => loose.softmax(x, { out: x }), "ERR_OPTION", /^softmax: .*"out" in a pool/],
  ["a function", () => loose.softmax(() => {}), "ERR_TYPE", /argument 1 cannot be sent .* a function/],
  ["a map", () => loose.softmax(x, new Map()), "ERR_TYPE", /argument 2 cannot be sent .* \(Map\)/],
  ["a circle", () => loose.softmax(x, circle), "ERR_TYPE", /shape cannot be sent/],
  [
    "a transferred array",
    () => loose.softmax(transferred()),
    "ERR_TYPE",
    /argument 1 must not be an array whose/,
  ],
  ["a null", () => loose.softmax(x, { columns: null }), "ERR_TYPE", /options\.columns/],
  [
    "no list of buffers",
    () => loose.softmax(x, {}, { transfer: x }),
    "ERR_TYPE",
    /transfer must be an array/,
  ],
  [
    "no buffers",
    () => loose.softmax(x, {}, { transfer: [1] }),
    "ERR_TYPE",
    /transfer must list ArrayBuffers/,
  ],
  ["progress of one step", () => loose.softmax(x, {}, { onProgress() {} }), "ERR_OPTION", /no "onProgress"/],
  ["a number of keys", () => loose.theory.expectedMaximum(0), "ERR_RANGE", /^expectedMaximum: n must be/],
];
for (const [what, run, code, says] of refusals) {
  test(`${what} is refused by name`, () =>
    assert.rejects(run(), (error: SqrtdkError) => {
      assert.ok(error instanceof SqrtdkError, String(error));
      assert.equal(error.code, code, error.message);
      assert.match(error.message, says);
      return true;
    }));
}

test("a long call of one step is aborted at once", async () => {
  const control = new AbortController();
  const one: Pool = createPool({ size: 1 });
  const long = { dimension: 512, samples: 2 ** 31, seed: 1 };
  const running = one.sampleDotProducts(long, { signal: control.signal });
  const waiting = one.softmax(x, {}, { signal: control.signal });
  control.abort();
  await assert.rejects(running, { code: "ERR_ABORTED" });
  await assert.rejects(waiting, { code: "ERR_ABORTED", message: /^softmax: aborted/ });
  one.close();
  await assert.rejects(one.theory.twoKeys({ differenceStd: 1 }), {
    code: "ERR_CLOSED",
    message: /^twoKeys: /,
  });
});
