/** Names of options, shapes that do not fit, values outside their ranges, and options of the wrong type. */
import {
  attend,
  backward,
  backwardLengths,
  backwardWith,
  f,
  gradient,
  type Refusal,
  refuse,
  sampling,
  shape,
  sweep,
} from "./refusal.ts";

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
