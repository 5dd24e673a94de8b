/** Arguments that are allowed and odd: getters, arrays that lie, shared memory, empty arrays, NaN and infinities. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "sqrtdk";

const core = await load();
const f = (length: number) => new Float32Array(length);
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
