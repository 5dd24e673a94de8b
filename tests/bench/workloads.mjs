/** The workloads: their sizes, inputs, right answers and targets. */
import { inPage } from "./folder.mjs";
import * as reference from "./reference.mjs";
import { sameLaw, sameNumbers } from "./verify.mjs";

/** Uniform numbers of variance 1, the same in every run: xorshift32. */
function numbers(length, seed, size = 1) {
  let state = seed * 0x9e3779b1;
  return Float32Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state / 2 ** 31) * Math.sqrt(3) * size;
  });
}

/** Wraps the right answer, computed once, into a check that contenders call with theirs. */
function checkedBy(expected, tolerance) {
  let known;
  return (actual) => {
    known ??= expected();
    return sameNumbers(actual, known, tolerance);
  };
}

function softmaxProblem({ rows, columns }) {
  const scores = numbers(rows * columns, 1);
  return { rows, columns, scores, check: checkedBy(() => reference.softmax(scores, columns), 1e-5) };
}

function softmaxBackwardProblem({ rows, columns }) {
  const output = Float32Array.from(reference.softmax(numbers(rows * columns, 1), columns));
  const gradOutput = numbers(rows * columns, 2);
  const check = checkedBy(() => reference.softmaxBackward(gradOutput, output, columns), 1e-5);
  return { rows, columns, output, gradOutput, check };
}

function attentionInputs({ length, headDim, querySize = 1 }) {
  const size = length * headDim;
  const [query, key] = [numbers(size, 1, querySize), numbers(size, 2)];
  return { length, headDim, scale: 1 / Math.sqrt(headDim), query, key, value: numbers(size, 3) };
}

function scoresProblem(sizes) {
  const inputs = attentionInputs(sizes);
  return {
    ...inputs,
    check: checkedBy(() => reference.timesTransposed(inputs.query, inputs.key, inputs.headDim), 1e-5),
  };
}

function attentionProblem(sizes) {
  const inputs = attentionInputs(sizes);
  // Peaked scores reach into the hundreds, where float32 leaves an absolute error of 1e-5 to 1e-4 in an exponent.
  const tolerance = sizes.querySize > 1 ? 1e-3 : 1e-5;
  return { ...inputs, check: checkedBy(() => reference.attention(inputs), tolerance) };
}

function attentionBackwardProblem(sizes) {
  const inputs = { ...attentionInputs(sizes), gradOutput: numbers(sizes.length * sizes.headDim, 4) };
  return { ...inputs, check: checkedBy(() => reference.attentionBackward(inputs), 1e-5) };
}

/** Variance, kurtosis and the cumulative law at the bins' edges, for five standard deviations either side. */
function law(variance, excessKurtosis, standardised, bins = 200) {
  const high = 5 * Math.sqrt(variance);
  const cumulative = Float64Array.from({ length: bins + 1 }, (_, edge) =>
    standardised(-5 + (10 * edge) / bins),
  );
  return { variance, excessKurtosis, bins, low: -high, high, cumulative };
}

function normalsProblem({ count, resident }) {
  const normal = law(1, 0, reference.normalDistribution);
  const check = (values) => {
    let [sum, squares] = [0, 0];
    const counts = new Float64Array(normal.bins);
    for (const value of values) {
      sum += value;
      squares += value * value;
      const bin = Math.floor(((value - normal.low) / (normal.high - normal.low)) * normal.bins);
      if (bin >= 0 && bin < normal.bins) counts[bin]++;
    }
    if (values.length !== count) return `${values.length} values instead of ${count}`;
    return sameLaw({ samples: count, variance: squares / count - (sum / count) ** 2, counts }, normal);
  };
  return { count, resident, check };
}

function dotProductsProblem({ dimension, samples }) {
  const exact = law(dimension, 6 / dimension, reference.dotProductDistribution(dimension));
  const { bins, low, high } = exact;
  return { dimension, samples, bins, low, high, check: (result) => sameLaw(result, exact) };
}

const ofPeer = (baseline, relaxed) => ({ of: "best peer", baseline, relaxed });
const ofPeak = (baseline, relaxed) => ({ of: "peak", baseline, relaxed });
const ofPlainInput = (ratio) => ({ of: "same, plain input", baseline: ratio, relaxed: ratio });

const softmaxRows = { rows: 4096, columns: 512 };

function scores(length, headDim) {
  return {
    name: `W2 scores Q K^T, n=${length} d=${headDim}`,
    kind: "scores",
    sizes: { length, headDim },
    problem: scoresProblem,
    flops: 2 * length ** 2 * headDim,
    target: ofPeak(0.92, 0.9),
    onlyInPart: true,
    note: "sqrtdk has no public call for scores alone: its time is that of attention that returns them, with values of length 1.",
  };
}

function attentionForward(length, headDim, target, extra = {}, targetInChromium = target) {
  const name = `W3 attention forward, n=${length} d=${headDim}${extra.querySize ? `, peaked (q x ${extra.querySize})` : ""}`;
  const sizes = { length, headDim, ...extra };
  return {
    name,
    kind: "attention",
    sizes,
    problem: attentionProblem,
    flops: 4 * length ** 2 * headDim,
    target: inPage ? targetInChromium : target,
  };
}

function attentionBackward(length, headDim, target) {
  const flops = 10 * length ** 2 * headDim;
  const name = `W4 attention backward, n=${length} d=${headDim}`;
  return {
    name,
    kind: "attentionBackward",
    sizes: { length, headDim },
    problem: attentionBackwardProblem,
    flops,
    target,
  };
}

function dotProducts(dimension, samples) {
  const name = `W7 variance and histogram of q.k, d=${dimension}, ${samples.toExponential(0).replace("+", "")} samples`;
  return {
    name,
    kind: "dotProducts",
    sizes: { dimension, samples },
    problem: dotProductsProblem,
    items: [2 * dimension * samples, "normals"],
    target: ofPeer(0.12, 0.12),
  };
}

/** The peers are the same in both: they use their own memory again, but for tfjs, which makes a tensor. */
const normals = (where, options) => ({
  name: `W6 1e7 standard normals, ${where}`,
  kind: "normals",
  sizes: { count: 1e7, ...options },
  problem: normalsProblem,
  items: [1e7, "normals"],
  target: ofPeer(0.12, 0.12),
});

/**
 * `kind` names the method of the contenders' modules; `flops` or `items` is the work a rate is computed from. Targets are
 * upper limits on a ratio of times, or, of the peak, a lower limit. `onlyInPart`: our public call does more than the
 * workload.
 */
export const workloads = [
  {
    name: "W1 softmax, 4096 rows of 512, resident",
    kind: "softmax",
    sizes: softmaxRows,
    problem: softmaxProblem,
    items: [4096 * 512, "values"],
    target: ofPeer(0.8, 0.7),
  },
  scores(512, 64),
  scores(256, 512),
  attentionForward(128, 64, ofPeer(0.45, 0.38)),
  attentionForward(512, 64, ofPeer(0.65, 0.5), {}, ofPeer(0.72, 0.6)),
  attentionForward(1024, 64, ofPeer(0.65, 0.5), {}, ofPeer(0.72, 0.6)),
  attentionForward(2048, 64, ofPeer(0.65, 0.5), {}, ofPeer(0.72, 0.6)),
  attentionForward(256, 512, ofPeer(0.68, 0.56)),
  attentionForward(512, 64, ofPlainInput(1.1), { querySize: 40 }),
  attentionBackward(512, 64, ofPeer(0.6, 0.5)),
  attentionBackward(1024, 64, ofPeer(0.6, 0.5)),
  {
    name: "W5 softmax backward, 4096 rows of 512, resident",
    kind: "softmaxBackward",
    sizes: softmaxRows,
    problem: softmaxBackwardProblem,
    items: [4096 * 512, "values"],
    target: ofPeer(0.45, 0.45),
  },
  normals("resident", { resident: true }),
  normals("a new array each time", { resident: false }),
  dotProducts(3, 1e6),
  dotProducts(100, 1e6),
  dotProducts(1000, 1e5),
];
