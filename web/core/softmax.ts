/** Softmax over rows, its logarithm, gradient and Jacobian, and what saturation does to it. */
import { FloatInput, FloatOutput } from "./arrays.ts";
import { integer, readFactor, readOptions } from "./checks.ts";
import type { Engine } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";
import { allocated, type Heap, Scratch } from "./heap.ts";
import type { Core, FloatData, SoftmaxDiagnostics, SoftmaxOptions } from "./types.ts";

const optionNames = ["columns", "scale", "out"] as const;

interface Rows {
  rows: number;
  columns: number;
  scale: number;
  out: unknown;
}

/** How an array divides into rows. Options are read before data: a getter among them may change these. */
function readRows(
  call: string,
  options: unknown,
  known: readonly (typeof optionNames)[number][] = optionNames,
) {
  const o = readOptions(call, options, known);
  const scale = readFactor(call, o.scale ?? 1);
  const columns = o.columns === undefined ? undefined : integer(call, "columns", o.columns, 1, 2 ** 30);
  return (name: string, length: number): Rows => {
    const width = columns ?? length;
    const rows = length === 0 ? 0 : length / width;
    if (!Number.isInteger(rows))
      throw new SqrtdkError(
        "ERR_SHAPE",
        `${call}: the length of ${name} must be a multiple of columns = ${width}, got ${length}`,
      );
    return { rows, columns: width, scale, out: o.out };
  };
}

type Kernel = (rows: number, columns: number, scores: number, scale: number, out: number) => void;

function alongRows(heap: Heap, call: string, kernel: Kernel, oneAValue: boolean) {
  return (scores: FloatData, options?: SoftmaxOptions): Float32Array => {
    const rowsOf = readRows(call, options);
    const input = new FloatInput(heap, call, "scores", scores);
    const { rows, columns, scale, out } = rowsOf("scores", input.length);
    const output = new FloatOutput(heap, call, oneAValue ? input.length : rows, out);
    heap.run(call, [input, output], () => kernel(rows, columns, input.address, scale, output.address));
    return output.values;
  };
}

function backward(
  heap: Heap,
  gradOutput: FloatData,
  output: FloatData,
  options?: SoftmaxOptions,
): Float32Array {
  const call = "softmaxBackward";
  const rowsOf = readRows(call, options);
  const gradient = new FloatInput(heap, call, "gradOutput", gradOutput);
  const probabilities = new FloatInput(heap, call, "output", output);
  if (probabilities.length !== gradient.length)
    throw new SqrtdkError(
      "ERR_SHAPE",
      `${call}: output must hold as many values as gradOutput, ${gradient.length}, got ${probabilities.length}`,
    );
  const { rows, columns, scale, out } = rowsOf("gradOutput", gradient.length);
  const result = new FloatOutput(heap, call, gradient.length, out);
  heap.run(call, [gradient, probabilities, result], () =>
    heap.engine.softmaxBackward(
      rows,
      columns,
      gradient.address,
      probabilities.address,
      scale,
      result.address,
    ),
  );
  return result.values;
}

function jacobian(heap: Heap, probabilities: FloatData): Float32Array {
  const call = "softmaxJacobian";
  const input = new FloatInput(heap, call, "probabilities", probabilities);
  const result = new FloatOutput(heap, call, input.length ** 2);
  heap.run(call, [input, result], () =>
    heap.engine.softmaxJacobian(input.address, input.length, result.address),
  );
  return result.values;
}

/** Eight doubles and a count. */
const bytesPerRow = 8 * 8 + 4;

function emptyDiagnostics(rows: number): SoftmaxDiagnostics {
  const column = () => new Float64Array(rows);
  return {
    entropy: column(),
    maxProbability: column(),
    maxComplement: column(),
    effectiveKeys: column(),
    perplexity: column(),
    jacobianTrace: column(),
    jacobianFrobenius: column(),
    jacobianSpectral: column(),
    exactZeros: new Uint32Array(rows),
  };
}

type RowDiagnostics = ReturnType<Engine["diagnoseRow"]>;

function record(into: SoftmaxDiagnostics, row: number, from: RowDiagnostics): void {
  into.entropy[row] = from.entropy;
  into.maxProbability[row] = from.maxProbability;
  into.maxComplement[row] = from.maxComplement;
  into.effectiveKeys[row] = from.effectiveKeys;
  into.perplexity[row] = from.perplexity;
  into.jacobianTrace[row] = from.jacobianTrace;
  into.jacobianFrobenius[row] = from.jacobianFrobenius;
  into.jacobianSpectral[row] = from.jacobianSpectral;
  into.exactZeros[row] = from.exactZeros;
}

function diagnostics(
  heap: Heap,
  scores: FloatData,
  options?: Omit<SoftmaxOptions, "out">,
): SoftmaxDiagnostics {
  const call = "softmaxDiagnostics";
  const rowsOf = readRows(call, options, ["columns", "scale"]);
  const input = new FloatInput(heap, call, "scores", scores);
  const { rows, columns, scale } = rowsOf("scores", input.length);
  const scratch = new Scratch(rows === 0 ? 0 : 8 * columns);
  const result = allocated(call, bytesPerRow * rows, () => emptyDiagnostics(rows));
  heap.run(call, [input, scratch], () => {
    for (let row = 0; row < rows; row++) {
      const address = input.address + 4 * row * columns;
      record(result, row, heap.engine.diagnoseRow(address, columns, scale, scratch.address));
    }
  });
  return result;
}

type SoftmaxCalls = Pick<
  Core,
  "softmax" | "logSoftmax" | "logSumExp" | "softmaxBackward" | "softmaxJacobian" | "softmaxDiagnostics"
>;

export function createSoftmax(heap: Heap): SoftmaxCalls {
  const { engine } = heap;
  return {
    softmax: alongRows(heap, "softmax", engine.softmax, true),
    logSoftmax: alongRows(heap, "logSoftmax", engine.logSoftmax, true),
    logSumExp: alongRows(heap, "logSumExp", engine.logSumExp, false),
    softmaxBackward: (gradOutput, output, options) => backward(heap, gradOutput, output, options),
    softmaxJacobian: (probabilities) => jacobian(heap, probabilities),
    softmaxDiagnostics: (scores, options) => diagnostics(heap, scores, options),
  };
}
