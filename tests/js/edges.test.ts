/** Arguments that are allowed and odd: getters, arrays that lie, shared memory, empty arrays, NaN and infinities. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, load } from "sqrtdk";
import { FloatInput, FloatOutput } from "../../web/core/arrays.ts";
import { instantiate } from "../../web/core/engine.ts";
import { Heap } from "../../web/core/heap.ts";

const core = await load();
const engine = await instantiate((await compile()).module);
const heap = new Heap(engine);
const f = (length: number) => new Float32Array(length);
// Newer than the language version that the package is compiled for.
interface Growable extends SharedArrayBuffer {
  grow(bytes: number): void;
}
interface Resizable extends ArrayBuffer {
  resize(bytes: number): void;
}
const growable = (bytes: number, maxByteLength: number): Growable =>
  Reflect.construct(SharedArrayBuffer, [bytes, { maxByteLength }]);
const resizable = (bytes: number): Resizable =>
  Reflect.construct(ArrayBuffer, [bytes, { maxByteLength: bytes }]);
const shape = { queryLength: 2, keyLength: 3, headDim: 4 };

test("what a getter throws comes through, and the next call works", () => {
  const options = {
    get columns(): number {
      throw new Error("mine");
    },
  };
  assert.throws(() => core.softmax(f(4), options), { message: "mine" });
  assert.equal(core.softmax(f(4))[0], 0.25);
});

test("a getter is asked once, and may not pull the data away", () => {
  let asked = 0;
  const scores = f(4);
  const options = {
    get columns() {
      asked++;
      structuredClone(scores, { transfer: [scores.buffer] });
      return 2;
    },
  };
  assert.throws(() => core.softmax(scores, options), { code: "ERR_TYPE" });
  assert.equal(asked, 1);
});

test("an array that lies about its length is taken by its true one", () => {
  const scores = Float32Array.of(1, 2, 3);
  Object.defineProperty(scores, "length", { value: 1 });
  assert.deepEqual(core.softmax(scores), core.softmax(Float32Array.of(1, 2, 3)));
});

test("shared memory, subarrays and empty arrays are inputs like any other", () => {
  const shared = new Float32Array(new SharedArrayBuffer(24), 8, 3);
  shared.set([1, 2, 3]);
  const expected = core.softmax(Float32Array.of(1, 2, 3));
  assert.deepEqual(core.softmax(shared), expected);
  core.softmax(shared, { out: shared });
  assert.deepEqual(Float32Array.from(shared), expected);
  assert.equal(core.softmax(f(0)).length, 0);
  assert.equal(core.logSumExp(f(0), { columns: 3 }).length, 0);
  assert.equal(core.softmaxDiagnostics(f(0), { columns: 2 ** 30 }).entropy.length, 0);
});

test("the documented edge rules: NaN, infinities, masked rows", () => {
  const [nan, inf] = [Number.NaN, Number.POSITIVE_INFINITY];
  const p = core.softmax(Float32Array.of(1, nan, 0, 0, -inf, -inf, inf, 0, 0, -inf), { columns: 2 });
  assert.deepEqual([...p], [nan, nan, 0.5, 0.5, 0, 0, nan, nan, 1, 0]);
  assert.deepEqual(core.logSumExp(Float32Array.of(-inf, -inf)), Float32Array.of(-inf));
  const masked = core.scaledDotProductAttention(f(8), f(12).fill(nan), f(12).fill(nan), {
    shape,
    attnMask: new Uint8Array(6),
  });
  assert.deepEqual(masked.output, f(8));
  assert.deepEqual(masked.logSumExp, Float32Array.of(-inf, -inf));
});

test("memory that another thread lets grow is taken as long as it was", () => {
  const shared = growable(16, 64);
  const scores = new Float32Array(shared);
  const expected = core.softmax(f(4));
  const result = core.softmax(scores, { out: scores });
  assert.equal(result, scores);
  assert.deepEqual(Float32Array.from(scores), expected);
  shared.grow(64);
  assert.equal(core.softmax(scores).length, 16);
});

test("an array whose length changes between its check and its use never becomes an address", () => {
  const shared = growable(16, 4096);
  const scores = new Float32Array(shared);
  const { memoryBytes } = core.info();
  const { HEAPF32 } = engine;
  const argument = new FloatInput(heap, "test", "scores", scores);
  shared.grow(4096);
  const address = engine._malloc(64) >>> 0;
  HEAPF32.fill(7, address >>> 2, (address >>> 2) + 16);
  argument.address = address;
  argument.copyIn(engine);
  assert.deepEqual([...HEAPF32.subarray(address >>> 2, (address >>> 2) + 6)], [0, 0, 0, 0, 7, 7]);

  const memory = resizable(64);
  const out = new FloatOutput(heap, "test", 8, new Float32Array(memory, 32));
  memory.resize(16);
  out.address = address;
  assert.throws(() => out.copyOut(engine), { code: "ERR_TYPE", message: /^test: out must be .* shrank/ });
  engine._free(address);
  assert.equal(core.info().memoryBytes, memoryBytes);
});

test("an array whose memory shrank below it is refused", () => {
  const memory = resizable(64);
  const [scores, points] = [new Float32Array(memory, 16, 8), new Float64Array(memory, 16, 4)];
  memory.resize(16);
  assert.throws(() => core.softmax(scores), { code: "ERR_TYPE", message: /shrank/ });
  assert.throws(() => core.softmax(f(8), { out: scores }), { code: "ERR_TYPE" });
  assert.throws(() => core.theory.dotProductDensity(points, { dimension: 2 }), { code: "ERR_TYPE" });
});

test("an array's own `set` is not asked", () => {
  const out = f(2);
  Object.defineProperty(out, "set", { value: () => assert.fail("asked") });
  assert.deepEqual([...core.softmax(f(2), { out })], [0.5, 0.5]);
});

test("attention refuses to write into its mask; a view of the mask's memory may be the output", () => {
  const mask = core.buffer(8);
  const problem = { queryLength: 2, keyLength: 4, headDim: 4 };
  const [q, k] = [f(8).fill(1), f(16).map((_, i) => i)];
  const run = (out: Float32Array | typeof mask) =>
    core.scaledDotProductAttention(q, k, k, { shape: problem, attnMask: mask, out }).output;
  assert.throws(() => run(mask), { code: "ERR_OPTION", message: /out must not be one of the inputs/ });
  const expected = run(f(8));
  assert.deepEqual(Float32Array.from(run(mask.view)), expected);
  assert.deepEqual(mask.view, expected);
  mask.free();
});

test("logSumExp may take its own scores' place", () => {
  const x = core.buffer(37);
  x.view.forEach((_, i, view) => {
    view[i] = i;
  });
  assert.deepEqual(
    Float32Array.from(core.logSumExp(x, { columns: 1, out: x })),
    f(37).map((_, i) => i),
  );
  x.free();
});

test("empty attention of any size ends at once", () => {
  const sizes = { batch: 2 ** 30, heads: 2 ** 30, queryLength: 0, keyLength: 0, headDim: 1 };
  const none = f(0);
  const { output } = core.scaledDotProductAttention(none, none, none, { shape: sizes });
  assert.equal(output.length, 0);
  const backward = core.scaledDotProductAttentionBackward(none, none, none, none, none, none, {
    shape: sizes,
  });
  assert.equal(backward.gradQuery.length, 0);
});

test("scratch that 32 bits cannot count is refused before anything is written", () => {
  const none = f(0);
  const headDim = Math.ceil(2 ** 32 / 12) + 1;
  const empty = { batch: 0, queryLength: 1, keyLength: 1 };
  for (const sizes of [
    { ...empty, headDim, valueDim: 1 },
    { ...empty, headDim: 1, valueDim: headDim },
    { batch: 0, queryLength: 0, keyLength: 1, headDim: 1, valueDim: 2 ** 29 },
  ]) {
    assert.throws(() => core.scaledDotProductAttention(none, none, none, { shape: sizes }), {
      code: "ERR_OUT_OF_MEMORY",
    });
    assert.throws(
      () => core.scaledDotProductAttentionBackward(none, none, none, none, none, none, { shape: sizes }),
      { code: "ERR_OUT_OF_MEMORY" },
    );
  }
});

test("results too large for JavaScript's own memory are out of memory", () => {
  const { Float64Array: Real } = globalThis;
  globalThis.Float64Array = class {
    constructor() {
      throw new RangeError("Array buffer allocation failed");
    }
  } as unknown as Float64ArrayConstructor;
  try {
    assert.throws(() => core.softmaxDiagnostics(f(4)), { code: "ERR_OUT_OF_MEMORY" });
  } finally {
    globalThis.Float64Array = Real;
  }
});

test("the default range holds bins that differ, however far the mean is from the deviations", () => {
  for (const [mean, std, scale] of [
    [1, 1e-20, 0],
    [1, 1e-9, 0],
    [1e6, 0, -4],
    [0, 0, 0],
    [1e6, 1e6, -4],
    [0, 1e-200, 4],
  ] as const) {
    const options = { dimension: 65536, samples: 300, seed: 1, mean, queryStd: std, keyStd: std, scale };
    const { histogram, moments } = core.sampleDotProducts(options);
    const { low, high, counts, underflow, overflow } = histogram;
    assert.ok(low < high && Number.isFinite(high - low), `${low} ${high}`);
    const inside = counts.reduce((a, b) => a + b, 0);
    assert.equal(inside, 300, `${mean} ${std}: ${underflow} below, ${overflow} above`);
    assert.ok(Number.isFinite(moments.mean) && Number.isFinite(moments.variance));
  }
});

test("an engine that gets no memory to start with is out of memory, not unknown to the browser", async () => {
  const { module } = await compile();
  const { instantiate: start } = WebAssembly;
  try {
    // V8's words; other reasons not to start keep their code.
    for (const [error, code] of [
      [
        new RangeError("WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory"),
        "ERR_OUT_OF_MEMORY",
      ],
      [new WebAssembly.LinkError("an import is missing"), "ERR_WASM_UNAVAILABLE"],
    ] as const) {
      Reflect.set(WebAssembly, "instantiate", () => Promise.reject(error));
      await assert.rejects(instantiate(module), { code, cause: error });
    }
  } finally {
    WebAssembly.instantiate = start;
  }
});
