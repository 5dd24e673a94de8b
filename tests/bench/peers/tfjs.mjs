/**
 * TensorFlow.js on its WebAssembly backend, one thread. Tensors stay in its memory.
 * matMul with transposeB is six times slower than transposing first, and tf.grads slower than gradients written by
 * hand: the fast forms are what is timed.
 */
import * as backend from "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs-core";
import { packageFolder } from "../folder.mjs";
import { chunksOf, Tally } from "../tally.mjs";

backend.setThreadsCount(1);
backend.setWasmPaths(`${packageFolder("@tensorflow/tfjs-backend-wasm")}dist/`);
await tf.setBackend("wasm");

/** A contender that computes one tensor or several, and reads them only to check them. */
function contender(form, compute, check) {
  const run = () => tf.dispose(tf.tidy(compute));
  const answer = () =>
    tf.tidy(() => {
      const result = compute();
      return Array.isArray(result) ? result.flatMap((tensor) => [...tensor.dataSync()]) : result.dataSync();
    });
  return { name: `tfjs-wasm, ${form}`, run, verify: () => check(answer()) };
}

/** p * (g - sum p g) */
function gradientOfSoftmax(p, g) {
  const products = tf.mul(p, g);
  return tf.sub(products, tf.mul(tf.sum(products, 1, true), p));
}

export function softmax({ rows, columns, scores, check }) {
  const x = tf.tensor2d(scores, [rows, columns]);
  return [contender("softmax", () => tf.softmax(x), check)];
}

export function softmaxBackward({ rows, columns, output, gradOutput, check }) {
  const p = tf.tensor2d(output, [rows, columns]);
  const g = tf.tensor2d(gradOutput, [rows, columns]);
  return [contender("p * (g - sum p g)", () => gradientOfSoftmax(p, g), check)];
}

const matrix = (values, { length, headDim }) => tf.tensor2d(values, [length, headDim]);

export function scores(problem) {
  const q = matrix(problem.query, problem);
  const kT = tf.transpose(matrix(problem.key, problem));
  return [contender("matMul, key transposed beforehand", () => tf.matMul(q, kT), problem.check)];
}

const probabilities = (q, k, scale) => tf.softmax(tf.matMul(tf.mul(q, scale), tf.transpose(k)));

export function attention(problem) {
  const [q, k, v] = [problem.query, problem.key, problem.value].map((values) => matrix(values, problem));
  const { scale, check } = problem;
  return [
    contender("transpose, matMul, softmax, matMul", () => tf.matMul(probabilities(q, k, scale), v), check),
  ];
}

export function attentionBackward(problem) {
  const { query, key, value, gradOutput, scale, check } = problem;
  const [q, k, v, g] = [query, key, value, gradOutput].map((values) => matrix(values, problem));
  const gradients = () => {
    const p = probabilities(q, k, scale);
    const gradScores = tf.mul(gradientOfSoftmax(p, tf.matMul(g, tf.transpose(v))), scale);
    const [gradQuery, gradKey] = [tf.matMul(gradScores, k), tf.matMul(tf.transpose(gradScores), q)];
    return [gradQuery, gradKey, tf.matMul(tf.transpose(p), g)];
  };
  return [contender("gradients by hand", gradients, check)];
}

export function normals({ count, check }) {
  return [contender("randomNormal", () => tf.randomNormal([count], 0, 1, "float32", 1), check)];
}

export function dotProducts(problem) {
  const { chunk, chunks, workScale } = chunksOf(problem);
  const normal = () => tf.randomNormal([chunk, problem.dimension]);
  const run = () => {
    const tally = new Tally(problem);
    for (let i = 0; i < chunks; i++)
      tally.add(tf.tidy(() => tf.sum(tf.mul(normal(), normal()), 1).dataSync()));
    return tally;
  };
  return [{ name: "tfjs-wasm, randomNormal, mul, sum", run, verify: () => problem.check(run()), workScale }];
}
