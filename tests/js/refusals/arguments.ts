/** Arrays and whole numbers, in every place where one is expected. */
import type { ErrorCode } from "sqrtdk";
import {
  attend,
  backward,
  backwardWith,
  f,
  gradient,
  type Loose,
  refuse,
  sampling,
  shape,
  sweep,
} from "./refusal.ts";

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
