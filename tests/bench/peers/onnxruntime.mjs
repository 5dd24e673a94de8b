/** onnxruntime-web, WebAssembly, one thread: each workload as the graph that ran fastest. Copies in and out as it always does. */
import ort from "onnxruntime-web";
import { inPage, packageFolder } from "../folder.mjs";
import { model, node } from "../onnx.mjs";
import { chunksOf, Tally } from "../tally.mjs";

ort.env.wasm.numThreads = 1;
if (inPage) ort.env.wasm.wasmPaths = `${packageFolder("onnxruntime-web")}dist/`;
ort.env.logLevel = "error";

const session = (graph) =>
  ort.InferenceSession.create(model(graph), { executionProviders: ["wasm"], graphOptimizationLevel: "all" });

/** A contender that runs one graph; `inputs` maps names to `[values, shape]`, the answer is all outputs in a row. */
async function contender(form, graph, inputs, check) {
  const shapes = Object.fromEntries(Object.entries(inputs).map(([name, [, shape]]) => [name, shape]));
  const built = await session({ ...graph, inputs: shapes });
  const tensors = Object.fromEntries(
    Object.entries(inputs).map(([name, [values, shape]]) => [name, new ort.Tensor("float32", values, shape)]),
  );
  const names = Object.keys(graph.outputs);
  const run = () => built.run(tensors);
  const answer = async () => {
    const outputs = await run();
    return names.length === 1 ? outputs[names[0]].data : names.flatMap((name) => [...outputs[name].data]);
  };
  return { name: `onnxruntime-web, ${form}`, run, verify: async () => check(await answer()) };
}

export async function softmax({ rows, columns, scores, check }) {
  const shape = [rows, columns];
  const graph = { nodes: [node("Softmax", "x", "y", { axis: 1 })], outputs: { y: shape } };
  return [await contender("Softmax", graph, { x: [scores, shape] }, check)];
}

export async function softmaxBackward({ rows, columns, output, gradOutput, check }) {
  const shape = [rows, columns];
  const graph = {
    nodes: [
      node("Mul", "p g", "pg"),
      node("ReduceSum", "pg axes", "sum", { keepdims: 1 }),
      node("Sub", "g sum", "difference"),
      node("Mul", "p difference", "y"),
    ],
    constants: { axes: { integers: [1] } },
    outputs: { y: shape },
  };
  return [await contender("p * (g - sum p g)", graph, { p: [output, shape], g: [gradOutput, shape] }, check)];
}

export async function scores({ query, key, length, headDim, check }) {
  const shape = [length, headDim];
  const inputs = { q: [query, shape], k: [key, shape] };
  const outputs = { y: [length, length] };
  return [
    await contender("Gemm", { nodes: [node("Gemm", "q k", "y", { transB: 1 })], outputs }, inputs, check),
  ];
}

const probabilityNodes = [
  node("Transpose", "k", "kT", { perm: [1, 0] }),
  node("MatMul", "q kT", "scores"),
  node("Mul", "scores scale", "scaled"),
  node("Softmax", "scaled", "p", { axis: 1 }),
];

export async function attention({ query, key, value, length, headDim, scale, check }) {
  const inputs = (shape) => ({ q: [query, shape], k: [key, shape], v: [value, shape] });
  const attributes = { scale: { float: scale } };
  const [whole, heads, matrix] = [
    [1, 1, length, headDim],
    [1, length, headDim],
    [length, headDim],
  ];
  const standard = { nodes: [node("Attention", "q k v", "y", attributes)], outputs: { y: whole }, opset: 23 };
  const multiHead = {
    nodes: [node("MultiHeadAttention", "q k v", "y", { num_heads: 1, ...attributes }, "com.microsoft")],
    outputs: { y: heads },
  };
  const composed = {
    nodes: [...probabilityNodes, node("MatMul", "p v", "y")],
    constants: { scale: { float: scale } },
    outputs: { y: matrix },
  };
  return [
    await contender("Attention", standard, inputs(whole), check),
    await contender("MultiHeadAttention", multiHead, inputs(heads), check),
    await contender("composed", composed, inputs(matrix), check),
  ];
}

/** The training interface is gone from onnxruntime-web: the gradients are a graph written by hand. */
export async function attentionBackward({ query, key, value, gradOutput, length, headDim, scale, check }) {
  const shape = [length, headDim];
  const graph = {
    nodes: [
      ...probabilityNodes,
      node("Transpose", "v", "vT", { perm: [1, 0] }),
      node("MatMul", "g vT", "gradP"),
      node("Mul", "p gradP", "products"),
      node("ReduceSum", "products axes", "sum", { keepdims: 1 }),
      node("Sub", "gradP sum", "difference"),
      node("Mul", "p difference", "gradScaled"),
      node("Mul", "gradScaled scale", "gradScores"),
      node("MatMul", "gradScores k", "gradQ"),
      node("Transpose", "gradScores", "gradScoresT", { perm: [1, 0] }),
      node("MatMul", "gradScoresT q", "gradK"),
      node("Transpose", "p", "pT", { perm: [1, 0] }),
      node("MatMul", "pT g", "gradV"),
    ],
    constants: { scale: { float: scale }, axes: { integers: [1] } },
    outputs: { gradQ: shape, gradK: shape, gradV: shape },
  };
  const inputs = { q: [query, shape], k: [key, shape], v: [value, shape], g: [gradOutput, shape] };
  return [await contender("graph by hand", graph, inputs, check)];
}

export async function normals({ count, check }) {
  const graph = { nodes: [node("RandomNormal", "", "y", { shape: [count] })], outputs: { y: [count] } };
  return [await contender("RandomNormal", graph, {}, check)];
}

export async function dotProducts(problem) {
  const { chunk, chunks, workScale } = chunksOf(problem);
  const shape = [chunk, problem.dimension];
  const built = await session({
    nodes: [
      node("RandomNormal", "", "q", { shape }),
      node("RandomNormal", "", "k", { shape }),
      node("Mul", "q k", "products"),
      node("ReduceSum", "products axes", "y", { keepdims: 0 }),
    ],
    constants: { axes: { integers: [1] } },
    outputs: { y: [chunk] },
  });
  const run = async () => {
    const tally = new Tally(problem);
    for (let i = 0; i < chunks; i++) tally.add((await built.run({})).y.data);
    return tally;
  };
  const verify = async () => problem.check(await run());
  return [{ name: "onnxruntime-web, RandomNormal, Mul, ReduceSum", run, verify, workScale }];
}
