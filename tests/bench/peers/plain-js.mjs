/** Plain JavaScript, written well: typed arrays, nothing allocated in the timed part, blocked matrix products. */
import { Tally } from "../tally.mjs";
import { multiply, pack, packTransposed, transpose } from "./matrix.mjs";
import { ziggurat } from "./ziggurat.mjs";

const contender = (run, answer, check) => ({
  name: "plain JavaScript",
  run,
  verify: () => {
    run();
    return check(answer());
  },
});

function softmaxRow(output, scores, start, end) {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = start; i < end; i++) if (scores[i] > largest) largest = scores[i];
  let sum = 0;
  for (let i = start; i < end; i++) {
    const e = Math.exp(scores[i] - largest);
    output[i] = e;
    sum += e;
  }
  const reciprocal = 1 / sum;
  for (let i = start; i < end; i++) output[i] *= reciprocal;
}

function softmaxRows(output, scores, columns) {
  for (let start = 0; start < scores.length; start += columns)
    softmaxRow(output, scores, start, start + columns);
}

function softmaxBackwardRows(gradient, p, gradOutput, columns, scale) {
  for (let start = 0; start < p.length; start += columns) {
    let sum = 0;
    for (let i = start; i < start + columns; i++) sum += p[i] * gradOutput[i];
    for (let i = start; i < start + columns; i++) gradient[i] = p[i] * (gradOutput[i] - sum) * scale;
  }
}

export function softmax({ columns, scores, check }) {
  const output = new Float32Array(scores.length);
  return [
    contender(
      () => softmaxRows(output, scores, columns),
      () => output,
      check,
    ),
  ];
}

export function softmaxBackward({ columns, output, gradOutput, check }) {
  const gradient = new Float32Array(output.length);
  const run = () => softmaxBackwardRows(gradient, output, gradOutput, columns, 1);
  return [contender(run, () => gradient, check)];
}

export function scores({ query, key, length, headDim, check }) {
  const panels = new Float32Array(key.length);
  const product = new Float32Array(length * length);
  const run = () => {
    packTransposed(panels, key, headDim);
    multiply(product, 0, query, 0, panels, length, headDim, length, 1);
  };
  return [contender(run, () => product, check)];
}

export function attention({ query, key, value, length, headDim, scale, check }) {
  const keyPanels = new Float32Array(key.length);
  const valuePanels = new Float32Array(value.length);
  const output = new Float32Array(query.length);
  // Few rows at a time, so that their scores stay in the cache.
  const rows = 4;
  const weights = new Float32Array(rows * length);
  const run = () => {
    packTransposed(keyPanels, key, headDim);
    pack(valuePanels, value, headDim);
    for (let start = 0; start < query.length; start += rows * headDim) {
      multiply(weights, 0, query, start, keyPanels, rows, headDim, length, scale);
      softmaxRows(weights, weights, length);
      multiply(output, start, weights, 0, valuePanels, rows, length, headDim, 1);
    }
  };
  return [contender(run, () => output, check)];
}

export function attentionBackward({ query, key, value, gradOutput, length, headDim, scale, check }) {
  const panels = new Float32Array(query.length);
  const [p, gradP, pT, gradScoresT] = Array.from({ length: 4 }, () => new Float32Array(length * length));
  const gradients = new Float32Array(3 * query.length);
  const run = () => {
    multiply(p, 0, query, 0, packTransposed(panels, key, headDim), length, headDim, length, scale);
    softmaxRows(p, p, length);
    multiply(gradP, 0, gradOutput, 0, packTransposed(panels, value, headDim), length, headDim, length, 1);
    const gradScores = gradP;
    softmaxBackwardRows(gradScores, p, gradP, length, scale);
    transpose(pT, p, length);
    transpose(gradScoresT, gradScores, length);
    const place = query.length;
    multiply(gradients, 0, gradScores, 0, pack(panels, key, headDim), length, length, headDim, 1);
    multiply(gradients, place, gradScoresT, 0, pack(panels, query, headDim), length, length, headDim, 1);
    multiply(gradients, 2 * place, pT, 0, pack(panels, gradOutput, headDim), length, length, headDim, 1);
  };
  return [contender(run, () => gradients, check)];
}

export function normals({ count, check }) {
  const draw = ziggurat(1);
  const values = new Float32Array(count);
  const run = () => {
    for (let i = 0; i < count; i++) values[i] = draw();
  };
  return [contender(run, () => values, check)];
}

export function dotProducts(problem) {
  const { dimension, samples } = problem;
  const draw = ziggurat(1);
  const part = Math.min(samples, Math.floor(4e6 / (2 * dimension)));
  const values = new Float64Array(part);
  let tally;
  const run = () => {
    tally = new Tally(problem);
    for (let i = 0; i < part; i++) {
      let sum = 0;
      for (let k = 0; k < dimension; k++) sum += draw() * draw();
      values[i] = sum;
    }
    tally.add(values);
  };
  return [{ ...contender(run, () => tally, problem.check), workScale: samples / part }];
}
