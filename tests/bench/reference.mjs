/** The equations in double precision, as plain as they can be written; every contender is checked against them. */

/** Rows of softmax(scores). */
export function softmax(scores, columns) {
  const probabilities = new Float64Array(scores.length);
  for (let start = 0; start < scores.length; start += columns) {
    let largest = Number.NEGATIVE_INFINITY;
    for (let i = start; i < start + columns; i++) largest = Math.max(largest, scores[i]);
    let sum = 0;
    for (let i = start; i < start + columns; i++) sum += probabilities[i] = Math.exp(scores[i] - largest);
    for (let i = start; i < start + columns; i++) probabilities[i] /= sum;
  }
  return probabilities;
}

/** Gradient with respect to the scores: p * (g - sum p g), row by row. */
export function softmaxBackward(gradOutput, probabilities, columns) {
  const gradient = new Float64Array(probabilities.length);
  for (let start = 0; start < probabilities.length; start += columns) {
    let sum = 0;
    for (let i = start; i < start + columns; i++) sum += probabilities[i] * gradOutput[i];
    for (let i = start; i < start + columns; i++) gradient[i] = probabilities[i] * (gradOutput[i] - sum);
  }
  return gradient;
}

/** scale * A B^T for A of rows x inner and B of columns x inner. */
export function timesTransposed(a, b, inner, scale = 1) {
  const [rows, columns] = [a.length / inner, b.length / inner];
  const product = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < inner; k++) sum += a[i * inner + k] * b[j * inner + k];
      product[i * columns + j] = scale * sum;
    }
  return product;
}

export function transpose(matrix, columns) {
  const rows = matrix.length / columns;
  return Float64Array.from(matrix, (_, i) => matrix[(i % rows) * columns + Math.floor(i / rows)]);
}

/** A B for A of rows x inner and B of inner x columns. */
const times = (a, b, inner) => timesTransposed(a, transpose(b, b.length / inner), inner);

export function attention({ query, key, value, length, headDim }) {
  const scores = timesTransposed(query, key, headDim, 1 / Math.sqrt(headDim));
  return times(softmax(scores, length), value, length);
}

/** Gradients of query, key and value, one after the other. */
export function attentionBackward({ query, key, value, gradOutput, length, headDim }) {
  const scale = 1 / Math.sqrt(headDim);
  const probabilities = softmax(timesTransposed(query, key, headDim, scale), length);
  const gradProbabilities = timesTransposed(gradOutput, value, headDim);
  const gradScores = softmaxBackward(gradProbabilities, probabilities, length).map((g) => g * scale);
  return [
    ...times(gradScores, key, length),
    ...times(transpose(gradScores, length), query, length),
    ...times(transpose(probabilities, length), gradOutput, length),
  ];
}

/**
 * P(X <= x) of a symmetric law of variance 1 from its characteristic function, by the inversion formula
 * 1/2 + 1/pi * integral over t > 0 of phi(t) sin(tx) / t, with the midpoint rule. To 1e-6 for the laws below.
 */
function distribution(characteristic, x) {
  const [step, steps] = [0.02, 6000];
  let sum = 0;
  for (let i = 0; i < steps; i++) {
    const t = (i + 0.5) * step;
    sum += (characteristic(t) * Math.sin(t * x)) / t;
  }
  return 0.5 + (sum * step) / Math.PI;
}

/** Standard normal. */
export const normalDistribution = (x) => distribution((t) => Math.exp((-t * t) / 2), x);

/** q.k / sqrt(d) for q and k of d independent standard normals each. */
export const dotProductDistribution = (dimension) => (x) =>
  distribution((t) => (1 + (t * t) / dimension) ** (-dimension / 2), x);
