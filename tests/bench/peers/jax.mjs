/** jax-js on its WebAssembly backend, every workload compiled by jit. Arrays stay in its memory. */
import "./iterator-helpers.mjs";
import { chunksOf, Tally } from "../tally.mjs";

// onnxruntime-web defines a Worker under Node, and jax-js would start blob: workers with it, which Node refuses.
delete globalThis.Worker;
const jax = await import("@jax-js/jax");
await jax.init("wasm");
jax.defaultDevice("wasm");
const np = jax.numpy;

// A function consumes the arrays it is given; `.ref` keeps one for later.
const kept = (arrays) => arrays.map((array) => array.ref);

function contender(form, compute, inputs, check) {
  const compiled = jax.jit(compute);
  const run = async () => {
    const result = compiled(...kept(inputs));
    await jax.blockUntilReady(result);
    for (const array of [result].flat()) array.dispose();
  };
  const answer = async () => {
    const values = [];
    for (const array of [compiled(...kept(inputs))].flat()) values.push(await array.data());
    return values.length === 1 ? values[0] : values.flatMap((part) => [...part]);
  };
  return { name: `jax-js, ${form}`, run, verify: async () => check(await answer()) };
}

export function softmax({ rows, columns, scores, check }) {
  const x = np.array(scores).reshape([rows, columns]);
  return [contender("nn.softmax", (x) => jax.nn.softmax(x, -1), [x], check)];
}

export function softmaxBackward({ rows, columns, output, gradOutput, check }) {
  const inputs = [output, gradOutput].map((values) => np.array(values).reshape([rows, columns]));
  const gradient = (p, g) => p.ref.mul(g.ref.sub(p.mul(g).sum(-1, { keepdims: true })));
  return [contender("p * (g - sum p g)", gradient, inputs, check)];
}

const matrices = (values, { length, headDim }) =>
  values.map((array) => np.array(array).reshape([length, headDim]));

export function scores(problem) {
  const inputs = matrices([problem.query, problem.key], problem);
  return [contender("matmul", (q, k) => np.matmul(q, np.transpose(k)), inputs, problem.check)];
}

const composed = (scale) => (q, k, v) =>
  np.matmul(jax.nn.softmax(np.matmul(q, np.transpose(k)).mul(scale), -1), v);

export function attention(problem) {
  const { query, key, value, length, headDim, scale, check } = problem;
  const perHead = [query, key, value].map((values) => np.array(values).reshape([1, length, 1, headDim]));
  const inputs = matrices([query, key, value], problem);
  return [
    contender("nn.dotProductAttention", (q, k, v) => jax.nn.dotProductAttention(q, k, v), perHead, check),
    contender("composed", composed(scale), inputs, check),
  ];
}

export function attentionBackward(problem) {
  const { query, key, value, gradOutput, scale, check } = problem;
  const loss = (q, k, v, g) => composed(scale)(q, k, v).mul(g).sum();
  const gradients = jax.grad(loss, { argnums: [0, 1, 2] });
  return [contender("grad", gradients, matrices([query, key, value, gradOutput], problem), check)];
}

export function normals({ count, check }) {
  return [contender("random.normal", (key) => jax.random.normal(key, [count]), [jax.random.key(1)], check)];
}

export function dotProducts(problem) {
  const { chunk, chunks, workScale } = chunksOf(problem);
  const shape = [chunk, problem.dimension];
  const products = jax.jit((key) => {
    const [first, second] = jax.random.split(key, 2);
    return jax.random.normal(first, shape).mul(jax.random.normal(second, shape)).sum(-1);
  });
  let seed = 0;
  const run = async () => {
    const tally = new Tally(problem);
    for (let i = 0; i < chunks; i++) tally.add(await products(jax.random.key(seed++)).data());
    return tally;
  };
  const verify = async () => problem.check(await run());
  return [{ name: "jax-js, random.normal, mul, sum", run, verify, workScale }];
}
