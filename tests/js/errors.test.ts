/** Every call with arguments it must refuse: the code, and a message that names call, argument, value and limit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorCode, load, SqrtdkError } from "sqrtdk";

const core = await load();
const f = (length: number) => new Float32Array(length);
const shape = { queryLength: 2, keyLength: 3, headDim: 4 };
const sampling = { dimension: 4, samples: 10, seed: 1 };
const sweep = { dimensions: [4], samples: 10, seed: 1 };
const gradient = { dimensions: [4], keys: 3, trials: 2, seed: 1 };

function detached(): Float32Array {
  const array = f(4);
  structuredClone(array, { transfer: [array.buffer] });
  return array;
}
const notFloats = {
  null: null,
  undefined: undefined,
  list: [1, 2],
  doubles: new Float64Array(2),
  text: "x",
  object: {},
};
const notIntegers: [unknown, ErrorCode][] = [
  [0, "ERR_RANGE"],
  [-1, "ERR_RANGE"],
  [1.5, "ERR_RANGE"],
  [Number.NaN, "ERR_RANGE"],
  [Number.POSITIVE_INFINITY, "ERR_RANGE"],
  [1e300, "ERR_RANGE"],
  ["4", "ERR_TYPE"],
  [4n, "ERR_TYPE"],
  [{}, "ERR_TYPE"],
];

// biome-ignore lint/suspicious/noExplicitAny: the point is to pass what the types forbid
type Loose = any;
interface Refusal {
  call: string;
  why: string;
  run(core: Loose): unknown;
  code: ErrorCode;
  says: RegExp;
}
const refusals: Refusal[] = [];
const refuse = (call: string, why: string, run: Refusal["run"], code: ErrorCode, says: RegExp) =>
  refusals.push({ call, why, run, code, says });

// Arrays: wrong types and transferred ones, in every place where one is expected.
const places: [string, string, (x: unknown) => (c: Loose) => unknown][] = [
  ["softmax", "scores", (x) => (c) => c.softmax(x)],
  ["logSoftmax", "scores", (x) => (c) => c.logSoftmax(x)],
  ["logSumExp", "scores", (x) => (c) => c.logSumExp(x)],
  ["softmaxBackward", "gradOutput", (x) => (c) => c.softmaxBackward(x, f(4))],
  ["softmaxBackward", "output", (x) => (c) => c.softmaxBackward(f(4), x)],
  ["softmaxJacobian", "probabilities", (x) => (c) => c.softmaxJacobian(x)],
  ["softmaxDiagnostics", "scores", (x) => (c) => c.softmaxDiagnostics(x)],
  [
    "scaledDotProductAttention",
    "query",
    (x) => (c) => c.scaledDotProductAttention(x, f(12), f(12), { shape }),
  ],
  ["scaledDotProductAttention", "key", (x) => (c) => c.scaledDotProductAttention(f(8), x, f(12), { shape })],
  [
    "scaledDotProductAttention",
    "value",
    (x) => (c) => c.scaledDotProductAttention(f(8), f(12), x, { shape }),
  ],
];
const backward = ["gradOutput", "query", "key", "value", "output", "logSumExp"];
const backwardLengths = [8, 8, 12, 12, 8, 2];
/** The gradient's call with one argument replaced. */
const backwardWith = (place: number, x: unknown) => (c: Loose) =>
  c.scaledDotProductAttentionBackward(...backwardLengths.map((length, i) => (i === place ? x : f(length))), {
    shape,
  });
backward.forEach((name, i) => {
  places.push(["scaledDotProductAttentionBackward", name, (x) => backwardWith(i, x)]);
});
for (const [call, name, run] of places) {
  for (const [kind, value] of Object.entries(notFloats))
    refuse(call, `${name}: ${kind}`, run(value), "ERR_TYPE", new RegExp(`${name} must be a Float32Array`));
  refuse(call, `${name}: detached`, run(detached()), "ERR_TYPE", /transferred/);
}
refuse(
  "softmax",
  "out: doubles",
  (c) => c.softmax(f(4), { out: new Float64Array(4) }),
  "ERR_TYPE",
  /out must be/,
);
refuse(
  "softmax",
  "out: short",
  (c) => c.softmax(f(4), { out: f(3) }),
  "ERR_SHAPE",
  /out must hold 4 values, got 3/,
);
refuse(
  "logSumExp",
  "out: long",
  (c) => c.logSumExp(f(4), { out: f(4) }),
  "ERR_SHAPE",
  /out must hold 1 values, got 4/,
);

// Whole numbers, in every place where one is expected.
const counts: [string, string, (x: unknown) => (c: Loose) => unknown][] = [
  ["softmax", "columns", (x) => (c) => c.softmax(f(4), { columns: x })],
  ["softmaxBackward", "columns", (x) => (c) => c.softmaxBackward(f(4), f(4), { columns: x })],
  ["softmaxDiagnostics", "columns", (x) => (c) => c.softmaxDiagnostics(f(4), { columns: x })],
  ["sampleDotProducts", "dimension", (x) => (c) => c.sampleDotProducts({ ...sampling, dimension: x })],
  ["sampleDotProducts", "samples", (x) => (c) => c.sampleDotProducts({ ...sampling, samples: x })],
  ["sampleDotProducts", "bins", (x) => (c) => c.sampleDotProducts({ ...sampling, bins: x })],
  ["varianceSweep", "dimensions\\[0\\]", (x) => (c) => c.varianceSweep({ ...sweep, dimensions: [x] })],
  ["varianceSweep", "samples", (x) => (c) => c.varianceSweep({ ...sweep, samples: x })],
  ["gradientSweep", "dimensions\\[1\\]", (x) => (c) => c.gradientSweep({ ...gradient, dimensions: [4, x] })],
  ["gradientSweep", "keys", (x) => (c) => c.gradientSweep({ ...gradient, keys: x })],
  ["gradientSweep", "trials", (x) => (c) => c.gradientSweep({ ...gradient, trials: x })],
  ["gradientSweep", "valueDim", (x) => (c) => c.gradientSweep({ ...gradient, valueDim: x })],
  ["sampleAttentionRow", "keys", (x) => (c) => c.sampleAttentionRow({ dimension: 4, keys: x, seed: 1 })],
  ["buffer", "length", (x) => (c) => c.buffer(x)],
  ["dotProductDensity", "dimension", (x) => (c) => c.theory.dotProductDensity(1, { dimension: x })],
  ["dotProductTail", "dimension", (x) => (c) => c.theory.dotProductTail(1, { dimension: x })],
  ["dotProductQuantile", "dimension", (x) => (c) => c.theory.dotProductQuantile(0.5, { dimension: x })],
  ["dotProductMoments", "dimension", (x) => (c) => c.theory.dotProductMoments({ dimension: x })],
  ["expectedSoftmax", "keys", (x) => (c) => c.theory.expectedSoftmax({ keys: x, scoreStd: 1 })],
  ["expectedAttentionRow", "keys", (x) => (c) => c.theory.expectedAttentionRow({ keys: x, dimension: 4 })],
  ["expectedMaximum", "n", (x) => (c) => c.theory.expectedMaximum(x)],
  [
    "scaledDotProductAttention",
    "shape.headDim",
    (x) => (c) => attend(c, { shape: { ...shape, headDim: x } }),
  ],
];
function attend(c: Loose, options: object) {
  return c.scaledDotProductAttention(f(8), f(12), f(12), { shape, ...options });
}
for (const [call, name, run] of counts) {
  for (const [value, code] of notIntegers)
    refuse(
      call,
      `${name}: ${typeof value} ${value}`,
      run(value),
      code,
      new RegExp(`${name} must be an integer from \\d`),
    );
}
for (const seed of [-1, 0.5, 2 ** 53, Number.NaN]) {
  refuse(
    "randomNormal",
    `seed ${seed}`,
    (c) => c.randomNormal(4, { seed }),
    "ERR_RANGE",
    /seed must be an integer/,
  );
  refuse(
    "sampleDotProducts",
    `seed ${seed}`,
    (c) => c.sampleDotProducts({ ...sampling, seed }),
    "ERR_RANGE",
    /seed must/,
  );
}
refuse("randomNormal", "no seed", (c) => c.randomNormal(4, {}), "ERR_TYPE", /seed must be .*, got undefined/);

// Names, shapes and ranges.
const unknown = (call: string, run: Refusal["run"], says: RegExp) =>
  refuse(call, "unknown name", run, "ERR_OPTION", says);
unknown("softmax", (c) => c.softmax(f(4), { colums: 2 }), /no "colums"; did you mean "columns"/);
unknown("softmaxDiagnostics", (c) => c.softmaxDiagnostics(f(4), { out: f(4) }), /no "out"/);
unknown(
  "sampleDotProducts",
  (c) => c.sampleDotProducts({ ...sampling, sample: 1 }),
  /did you mean "samples"/,
);
unknown("varianceSweep", (c) => c.varianceSweep({ ...sweep, dimension: 4 }), /did you mean "dimensions"/);
unknown("gradientSweep", (c) => c.gradientSweep({ ...gradient, valuedim: 4 }), /did you mean "valueDim"/);
unknown("randomNormal", (c) => c.randomNormal(4, { seed: 1, zzzzzz: 1 }), /known are seed, stream/);
unknown("scaledDotProductAttention", (c) => attend(c, { is_causal: true }), /did you mean "isCausal"/);
unknown(
  "scaledDotProductAttention",
  (c) => attend(c, { shape: { ...shape, head: 2 } }),
  /shape has no "head"/,
);
const shapes = (call: string, why: string, run: Refusal["run"], says: RegExp) =>
  refuse(call, why, run, "ERR_SHAPE", says);
shapes("softmax", "ragged", (c) => c.softmax(f(7), { columns: 2 }), /multiple of columns = 2, got 7/);
shapes("softmaxBackward", "unequal", (c) => c.softmaxBackward(f(4), f(3)), /output must hold .* 4, got 3/);
shapes(
  "scaledDotProductAttention",
  "short key",
  (c) => c.scaledDotProductAttention(f(8), f(11), f(12), { shape }),
  /= 12 values, got 11/,
);
backward.forEach((name, i) => {
  const says = new RegExp(`${name} must hold .* = ${backwardLengths[i]} values, got 5`);
  shapes("scaledDotProductAttentionBackward", `${name}: 5 values`, backwardWith(i, f(5)), says);
});
unknown(
  "scaledDotProductAttentionBackward",
  (c) => c.scaledDotProductAttentionBackward(f(8), f(8), f(12), f(12), f(8), f(2), { shape, out: f(8) }),
  /options has no "out"/,
);
shapes(
  "scaledDotProductAttention",
  "mask",
  (c) => attend(c, { attnMask: new Uint8Array(5) }),
  /attnMask must be \[2,3\]/,
);
shapes(
  "scaledDotProductAttention",
  "mask shape",
  (c) => attend(c, { attnMask: f(2), attnMaskShape: [2] }),
  /attnMaskShape/,
);
shapes(
  "scaledDotProductAttention",
  "heads",
  (c) => attend(c, { shape: { ...shape, heads: 4, kvHeads: 3 } }),
  /must divide/,
);
const ranges = (call: string, why: string, run: Refusal["run"], says: RegExp) =>
  refuse(call, why, run, "ERR_RANGE", says);
for (const scale of [Number.NaN, Number.POSITIVE_INFINITY]) {
  ranges(
    "softmax",
    `scale ${scale}`,
    (c) => c.softmax(f(4), { scale }),
    /scale must be a finite number from .*, got/,
  );
  ranges(
    "scaledDotProductAttention",
    `scale ${scale}`,
    (c) => attend(c, { scale }),
    /scale must be a finite/,
  );
}
ranges(
  "scaledDotProductAttention",
  "softcap",
  (c) => attend(c, { softcap: -1 }),
  /softcap must be 0 or a number from .*, got -1/,
);
ranges(
  "scaledDotProductAttention",
  "layout",
  (c) => attend(c, { layout: "LBHD" }),
  /layout must be one of "BHLD", "BLHD"/,
);
ranges(
  "scaledDotProductAttention",
  "weights",
  (c) => attend(c, { returnWeights: "all" }),
  /returnWeights must be one of/,
);
ranges(
  "sampleDotProducts",
  "law",
  (c) => c.sampleDotProducts({ ...sampling, components: "cauchy" }),
  /one of "normal"/,
);
ranges(
  "sampleDotProducts",
  "scale",
  (c) => c.sampleDotProducts({ ...sampling, scale: "sqrt" }),
  /scale must be one of/,
);
ranges(
  "sampleDotProducts",
  "range",
  (c) => c.sampleDotProducts({ ...sampling, range: [2, 1] }),
  /low < high/,
);
ranges("varianceSweep", "none", (c) => c.varianceSweep({ ...sweep, dimensions: [] }), /at least one/);
ranges("gradientSweep", "no scale", (c) => c.gradientSweep({ ...gradient, scale: [] }), /1 to 16 scales/);
ranges(
  "dotProductQuantile",
  "1.5",
  (c) => c.theory.dotProductQuantile(1.5, { dimension: 2 }),
  /probability .* from 0 to 1/,
);
ranges("expectedSoftmax", "std", (c) => c.theory.expectedSoftmax({ keys: 2, scoreStd: -1 }), /scoreStd/);
ranges("freezingDimension", "0", (c) => c.theory.freezingDimension(0), /at least 1, got 0/);
ranges("twoKeys", "negative", (c) => c.theory.twoKeys({ differenceStd: -1 }), /differenceStd/);
ranges(
  "varianceStandardError",
  "1",
  (c) => c.theory.varianceStandardError({ dimension: 1, samples: 1 }),
  /samples/,
);
ranges(
  "dotProductMoments",
  "t without variance",
  (c) => c.theory.dotProductMoments({ dimension: 4, components: "student-t", degreesOfFreedom: 2 }),
  /degreesOfFreedom must be more than 2, where the variance exists, .* got 2/,
);
ranges(
  "dotProductMoments",
  "correlation",
  (c) => c.theory.dotProductMoments({ dimension: 5, correlation: -0.26 }),
  /correlation must be a number from -1\/\(dimension - 1\) = -0\.25 to 1, got -0\.26/,
);
ranges(
  "scoreMatrixVarianceError",
  "no keys",
  (c) => c.theory.scoreMatrixVarianceError({ queries: 1, keys: 0, dimension: 4 }),
  /keys must be an integer from 1/,
);
const at = (options: object) => ({ dimension: 4, ...options });
ranges("normalDensity", "std", (c) => c.theory.normalDensity(1, at({ queryStd: 0 })), /queryStd/);
ranges("normalTail", "scale", (c) => c.theory.normalTail(1, at({ scale: 5 })), /scale/);
ranges(
  "normalDistance",
  "0",
  (c) => c.theory.normalDistance({ dimension: 0 }),
  /dimension .* from 1 to 65536/,
);
ranges("freezingStd", "0.5", (c) => c.theory.freezingStd(0.5), /at least 1, got 0.5/);
ranges("poissonDirichlet", "1", (c) => c.theory.poissonDirichlet(1), /a must be less than 1, got 1/);
ranges("poissonDirichlet", "-1", (c) => c.theory.poissonDirichlet(-1), /a must be .* from 0 to 1/);
ranges("entropyFloor", "norm", (c) => c.theory.entropyFloor({ keys: 4, scoreNorm: -1 }), /scoreNorm/);
ranges(
  "expectedSoftmax",
  "too many keys",
  (c) => c.theory.expectedSoftmax({ keys: 65537, scoreStd: 1 }),
  /keys must be an integer from 1 to 65536/,
);
const types = (call: string, why: string, run: Refusal["run"], says: RegExp) =>
  refuse(call, why, run, "ERR_TYPE", says);
types(
  "scaledDotProductAttention",
  "options",
  (c) => c.scaledDotProductAttention(f(8), f(12), f(12)),
  /shape must be an object/,
);
types(
  "scaledDotProductAttention",
  "isCausal",
  (c) => attend(c, { isCausal: 1 }),
  /isCausal must be true or false, got 1/,
);
types(
  "scaledDotProductAttention",
  "mask",
  (c) => attend(c, { attnMask: [1] }),
  /a Uint8Array, a Float32Array or a buffer/,
);
types(
  "scaledDotProductAttention",
  "offset",
  (c) => attend(c, { causalOffset: "top" }),
  /"bottom-right", got "top"/,
);
types("softmax", "options", (c) => c.softmax(f(4), 3), /options must be an object, got 3/);
types(
  "dotProductDensity",
  "x",
  (c) => c.theory.dotProductDensity("1", { dimension: 2 }),
  /a number or a Float64Array/,
);

for (const { call, why, run, code, says } of refusals) {
  test(`${call} refuses ${why}`, () => {
    assert.throws(
      () => run(core),
      (error: SqrtdkError) => {
        assert.ok(error instanceof SqrtdkError, String(error));
        assert.equal(error.code, code, error.message);
        assert.ok(error.message.startsWith(`${call}: `), error.message);
        assert.match(error.message, says);
        return true;
      },
    );
  });
}

test("the table covers every public call", () => {
  const covered = new Set(refusals.map(({ call }) => call));
  const calls = [core, core.theory].flatMap((object) =>
    Object.entries(object).flatMap(([name, value]) => (typeof value === "function" ? [name] : [])),
  );
  assert.deepEqual(
    calls.filter((name) => !covered.has(name)),
    ["info"], // takes no arguments
  );
});

test("after all this the instance works, and no memory is lost", () => {
  assert.equal(core.softmax(Float32Array.of(0, 0))[0], 0.5);
  const { memoryBytes } = core.info();
  for (const { run } of refusals) assert.throws(() => run(core));
  assert.equal(core.info().memoryBytes, memoryBytes);
});
