/** The public API: the calls here, what goes in and comes out in the files named below, with shapes and units. */

import type { AttentionGradients, AttentionOptions, AttentionResult } from "./attention-types.ts";
import type { CoreBuffer, FloatData } from "./buffer-types.ts";
import type {
  AttentionRow,
  AttentionRowOptions,
  CoreSteps,
  DotProductOptions,
  DotProductResult,
  GradientRow,
  GradientSweepOptions,
  VarianceRow,
  VarianceSweepOptions,
} from "./experiment-types.ts";
import type { SoftmaxDiagnostics, SoftmaxOptions } from "./softmax-types.ts";
import type { Theory } from "./theory-types.ts";

export type * from "./attention-types.ts";
export type * from "./buffer-types.ts";
export type * from "./experiment-types.ts";
export type * from "./pool-types.ts";
export type * from "./softmax-types.ts";
export type * from "./theory-types.ts";

/** Which engine to run: a build of this package, or one of the three below. */
export interface LoadOptions {
  /**
   * "simd" is the baseline build, "relaxed" uses fused multiply-add; "auto" takes the best this engine validates. Of the
   * package's own builds: with one of the three below, which are a build already, only "auto" is accepted.
   */
  variant?: "auto" | "simd" | "relaxed";
  /** The bytes of a .wasm file of this package. */
  wasmBinary?: BufferSource;
  /** A compiled one, where compiling is not allowed or was done before: see `compile`. */
  wasmModule?: WebAssembly.Module;
  /** Where to fetch one from; relative to the page. */
  wasmUrl?: string | URL;
}

/** Which values `randomNormal` gives. */
export interface NormalOptions {
  /** 0..2^53 - 1. */
  seed: number;
  /** Streams of one seed are independent. 0..2^53 - 1, default 0. */
  stream?: number;
  /** Where to put them: `count` float32 values. Saves the page faults of a new array: half the time of a long request. */
  out?: FloatData;
}

/** What `compile()` gives: a module that can be posted to a worker, and which of our builds it is. */
export interface CompiledCore {
  module: WebAssembly.Module;
  variant: "simd" | "relaxed";
}

export interface CoreInfo {
  version: string;
  variant: "simd" | "relaxed";
  simd: boolean;
  /** Size of the WebAssembly memory, in bytes; it grows and never shrinks. */
  memoryBytes: number;
}

/**
 * The computing core. Functions copy in and copy out and leave nothing to free; arrays are row-major. Arguments are
 * checked first, and a refusal changes nothing.
 * @throws SqrtdkError from every call: ERR_TYPE, ERR_RANGE, ERR_SHAPE, ERR_OPTION, ERR_FREED, ERR_OUT_OF_MEMORY
 */
export interface Core {
  /**
   * p_j = exp(scale s_j) / sum_k exp(scale s_k) along every row. Within 4 ULP or 1e-7. A row of -Infinity gives zeros, a
   * NaN or +Infinity makes its row NaN and no other.
   */
  softmax(scores: FloatData, options?: SoftmaxOptions): Float32Array;
  /** ln p_j = scale s_j - ln sum_k exp(scale s_k), accurate where p is near 0 and near 1. */
  logSoftmax(scores: FloatData, options?: SoftmaxOptions): Float32Array;
  /** ln sum_k exp(scale s_k), one value a row; -Infinity for a row of -Infinity. */
  logSumExp(scores: FloatData, options?: SoftmaxOptions): Float32Array;
  /**
   * scale p_j (g_j - sum_k p_k g_k): the gradient with respect to the unscaled scores, from the output p alone. Both
   * arguments have the shape of the scores (ATen's argument order).
   */
  softmaxBackward(gradOutput: FloatData, output: FloatData, options?: SoftmaxOptions): Float32Array;
  /** n probabilities -> n x n, diag(p) - p p^T, row-major. */
  softmaxJacobian(probabilities: FloatData): Float32Array;
  /** What saturation does to each row, in double precision: entropy, largest weight, norms of the Jacobian. */
  softmaxDiagnostics(scores: FloatData, options?: Omit<SoftmaxOptions, "out">): SoftmaxDiagnostics;
  /**
   * softmax(scale Q K^T) V, in the order of ONNX Attention: scale, softcap, masks, softmax, V. Without returnWeights
   * memory does not grow with queryLength * keyLength. A query that may attend to no key gives zeros and logSumExp
   * -Infinity. Query [batch, heads, queryLength, headDim], key and value [batch, kvHeads, keyLength, headDim or valueDim].
   */
  scaledDotProductAttention(
    query: FloatData,
    key: FloatData,
    value: FloatData,
    options: AttentionOptions,
  ): AttentionResult;
  /** Gradients from what the forward call returned; same options. */
  scaledDotProductAttentionBackward(
    gradOutput: FloatData,
    query: FloatData,
    key: FloatData,
    value: FloatData,
    output: FloatData,
    logSumExp: FloatData,
    options: AttentionOptions,
  ): AttentionGradients;
  /**
   * Scores scale * q.k of independent random queries and keys: moments and histogram. Every component is
   * mean + std * z, z of the given law. The same options give the same bits on every machine.
   */
  sampleDotProducts(options: DotProductOptions): DotProductResult;
  /** The measured variance beside the exact one, a row a dimension, whatever other dimensions are asked for. */
  varianceSweep(options: VarianceSweepOptions): VarianceRow[];
  /** What comes back through the softmax of random attention rows: a row a dimension and scale. */
  gradientSweep(options: GradientSweepOptions): GradientRow[];
  /** The three calls above, a step at a time. */
  readonly steps: CoreSteps;
  /** One trial of a gradient sweep, with all its weights. */
  sampleAttentionRow(options: AttentionRowOptions): AttentionRow;
  /** Independent N(0, 1) values; value i of a (seed, stream) has the same bits everywhere. */
  randomNormal(count: number, options: NormalOptions): Float32Array;
  readonly theory: Theory;
  /** `length` float32 zeros in wasm memory, to be freed by the caller. */
  buffer(length: number): CoreBuffer;
  info(): CoreInfo;
}
