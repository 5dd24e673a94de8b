/** Buffers, growth of wasm memory under live views, and requests that do not fit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, type SqrtdkError } from "sqrtdk";

const core = await load();
const expected = core.softmax(Float32Array.of(1, 2, 3));
const works = () => assert.deepEqual(core.softmax(Float32Array.of(1, 2, 3)), expected);

/** Takes so much memory that it has to grow, and gives it back. */
function grow() {
  const before = core.info().memoryBytes;
  core.buffer(before / 4).free();
  assert.ok(core.info().memoryBytes > before);
}

test("a buffer is zero, takes values, and goes in and out of calls without a copy", () => {
  const x = core.buffer(3);
  const out = core.buffer(3);
  assert.deepEqual(x.view, new Float32Array(3));
  x.view.set([1, 2, 3]);
  const result = core.softmax(x, { out });
  assert.deepEqual(result, expected);
  assert.equal(result.buffer, out.view.buffer);
  assert.deepEqual(out.view, expected);
  core.softmax(x, { out: x }); // in place
  assert.deepEqual(x.view, expected);
  x.free();
  out.free();
});

test("a view is fresh after memory grew, and values survive", () => {
  const x = core.buffer(5);
  x.view.set([1, 2, 3, 4, 5]);
  grow();
  assert.deepEqual(x.view, Float32Array.of(1, 2, 3, 4, 5));
  x.free();
});

test("a stale view given as input or out is an error; a view that growth empties during the call is found again", () => {
  const x = core.buffer(3);
  x.view.set([1, 2, 3]);
  const stale = x.view;
  grow();
  assert.throws(() => core.softmax(stale), { code: "ERR_TYPE" });

  // Large enough that the copy of the input itself makes memory grow.
  const length = core.info().memoryBytes / 4;
  const large = core.buffer(length);
  const before = core.info().memoryBytes;
  large.view.fill(1);
  const sum = core.logSumExp(large.view);
  assert.ok(core.info().memoryBytes > before, "memory grew during the call");
  assert.ok(Math.abs((sum[0] as number) - (1 + Math.log(length))) < 1e-4);
  large.free();
  x.free();
});

test("bytes in memory that grows under them are found again", () => {
  const queryLength = 64;
  const keyLength = core.info().memoryBytes / queryLength;
  const buffer = core.buffer((queryLength * keyLength) / 4);
  const { buffer: memory, byteOffset } = buffer.view;
  const attnMask = new Uint8Array(memory, byteOffset, queryLength * keyLength);
  attnMask.fill(1, keyLength); // the first query attends to nothing
  const before = core.info().memoryBytes;
  const [query, keys] = [new Float32Array(queryLength), new Float32Array(keyLength)];
  const shape = { queryLength, keyLength, headDim: 1 };
  const { logSumExp } = core.scaledDotProductAttention(query, keys, keys, { shape, attnMask });
  assert.ok(core.info().memoryBytes > before, "memory grew during the call");
  assert.equal(logSumExp[0], Number.NEGATIVE_INFINITY);
  assert.ok(Math.abs((logSumExp[1] as number) - Math.log(keyLength)) < 1e-4);
  buffer.free();
});

test("a buffer's length is what it is", () => {
  const x = core.buffer(3);
  x.view.set([1, 2, 3]);
  assert.throws(() => Object.assign(x, { length: 2 ** 20 }), TypeError);
  Object.defineProperty(x, "length", { value: 2 ** 20 });
  assert.equal(x.view.length, 3);
  assert.deepEqual(core.softmax(x, { out: x }), expected);
  x.free();
});

test("use after free is an error everywhere, a second free is not", () => {
  const x = core.buffer(3);
  x.free();
  x.free();
  assert.throws(() => x.view, { code: "ERR_FREED" });
  assert.throws(() => core.softmax(x), { code: "ERR_FREED", message: "softmax: scores was freed" });
  assert.throws(() => core.softmax(new Float32Array(3), { out: x }), { code: "ERR_FREED" });
  works();
});

test("buffers are disposable where the engine knows Symbol.dispose", () => {
  const x = core.buffer(3);
  const dispose: symbol = Symbol.dispose ?? Symbol.for("Symbol.dispose");
  (x as unknown as Record<symbol, () => void>)[dispose]?.();
  assert.throws(() => x.view, { code: "ERR_FREED" });
});

test("requests that do not fit say so, and the instance stays usable", () => {
  const tooMuch = [
    () => core.buffer(2 ** 30 - 1),
    () => core.softmaxJacobian(new Float32Array(2 ** 16)),
    () => core.gradientSweep({ dimensions: [65536], keys: 65536, trials: 1, seed: 1 }),
    () =>
      core.scaledDotProductAttention(
        new Float32Array(2 ** 16),
        new Float32Array(2 ** 16),
        new Float32Array(2 ** 16),
        {
          shape: { queryLength: 2 ** 16, keyLength: 2 ** 16, headDim: 1 },
          returnWeights: "raw",
        },
      ),
    // Sizes of which 32 bits hold the last only: 24 floats for each of so many components are 2^32, and 8 more.
    () => {
      const headDim = 178_956_971;
      const [one, many] = [new Float32Array(1), new Float32Array(headDim)];
      const shape = { queryLength: 1, keyLength: 1, headDim, valueDim: 1 };
      core.scaledDotProductAttentionBackward(one, many, many, one, one, one, { shape });
    },
  ];
  for (const request of tooMuch) {
    assert.throws(
      request,
      (error: SqrtdkError) => error.code === "ERR_OUT_OF_MEMORY" && /MB/.test(error.message),
    );
    works();
  }
});

test("buffers until memory is full: the last is refused, the others stay, and all can be given back", () => {
  const buffers = [];
  const quarter = 2 ** 28 / 4; // 256 MB each
  try {
    for (let i = 0; i < 17; i++) buffers.push(core.buffer(quarter));
    assert.fail("17 times 256 MB cannot fit");
  } catch (error) {
    assert.equal((error as SqrtdkError).code, "ERR_OUT_OF_MEMORY");
  }
  assert.ok(buffers.length >= 1);
  works();
  for (const buffer of buffers) {
    assert.equal(buffer.view.length, quarter); // above 2 GB too
    buffer.free();
  }
  works();
});

test("nothing is leaked by calls, failed ones included", () => {
  const large = new Float32Array(50_000);
  const round = () => {
    core.softmax(large);
    assert.throws(() => core.softmax(large, { columns: 7 }));
    assert.throws(() => core.buffer(2 ** 30 - 1));
    core.sampleDotProducts({ dimension: 3, samples: 5000, seed: 1 });
    const steps = core.steps.gradientSweep({ dimensions: [4], keys: 300, trials: 5000, seed: 1 });
    steps.next(); // and left lying
  };
  round();
  const { memoryBytes } = core.info();
  for (let i = 0; i < 200; i++) round();
  assert.equal(core.info().memoryBytes, memoryBytes);
});

test("a buffer of another core is refused", async () => {
  const other = await load({ wasmModule: new WebAssembly.Module(await bytes()) });
  assert.notEqual(other, core);
  const foreign = other.buffer(3);
  assert.throws(() => core.softmax(foreign), { code: "ERR_TYPE", message: /not of another/ });
  foreign.free();
});

async function bytes() {
  const { readFile } = await import("node:fs/promises");
  return readFile(new URL(import.meta.resolve("sqrtdk/sqrtdk.wasm")));
}

test("100,000 mixed calls leave wasm's and JavaScript's memory as they were", async () => {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([
    import("node:v8"),
    import("node:vm"),
  ]);
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const [x, large] = [core.randomNormal(64, { seed: 1 }), core.randomNormal(20_000, { seed: 2 })];
  const shape = { heads: 2, queryLength: 4, keyLength: 4, headDim: 8 };
  const calls: (() => unknown)[] = [
    () => core.softmax(x, { columns: 8 }),
    () => core.logSumExp(large),
    () => core.scaledDotProductAttention(x, x, x, { shape }).output,
    () => core.softmaxDiagnostics(x, { columns: 16 }),
    () => core.theory.twoKeys({ differenceStd: 2 }),
    () => assert.throws(() => core.softmax(x, { columns: 7 })),
    () => core.buffer(100).free(),
    () => core.randomNormal(10, { seed: 3 }),
    () => core.softmaxJacobian(x),
    () => core.sampleDotProducts({ dimension: 2, samples: 10, seed: 1, bins: 4 }),
  ];
  const round = (count: number) => {
    for (let i = 0; i < count; i++) calls[i % calls.length]?.();
  };
  const used = async () => {
    for (let i = 0; i < 3; i++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve)); // what is finalized later is garbage then
    }
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  round(30_000); // compilers and caches settle
  const { memoryBytes } = core.info();
  const before = await used();
  round(100_000);
  assert.equal(core.info().memoryBytes, memoryBytes);
  // Ten thousand calls of each kind: of one kind alone, an object that stayed would be at least 64 bytes each time.
  const more = (await used()) - before;
  assert.ok(more < 600_000, `${more} bytes more`);
});

test("cores side by side share nothing", async () => {
  const wasm = await bytes();
  const cores = await Promise.all([1, 2, 3].map(() => load({ wasmModule: new WebAssembly.Module(wasm) })));
  const sizes = cores.map((one) => one.info().memoryBytes);
  const [first, ...others] = cores as [typeof core, ...(typeof core)[]];
  const large = first.buffer(2 ** 24);
  assert.ok(first.info().memoryBytes > (sizes[0] as number));
  others.forEach((one, i) => {
    assert.equal(one.info().memoryBytes, sizes[i + 1]);
    assert.deepEqual(one.softmax(Float32Array.of(1, 2, 3)), expected);
  });
  large.free();
});
