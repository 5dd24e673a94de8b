/// <reference lib="esnext.disposable" preserve="true" />
/** Every public name of the package in one place: arguments, results and errors, with shapes and units. */

import type { DensityOptions, ExpectedSoftmax, Theory } from "./theory-types.ts";

export type * from "./theory-types.ts";

/** How scores are scaled: 1, 1/sqrt(d_k), 1/d_k, or a number alpha for d_k^-alpha. */
export type Scale = "none" | "rsqrt" | "reciprocal" | number;

/** Law of the components of query and key before mean and standard deviation are applied: mean 0, variance 1. */
export type ComponentLaw = "normal" | "uniform" | "rademacher" | "laplace";

/** Float32 values that stay in wasm memory. `view` is always fresh; any use after `free()` throws. */
export interface CoreBuffer {
  readonly view: Float32Array;
  readonly length: number;
  free(): void;
  [Symbol.dispose](): void;
}

export type FloatData = Float32Array | CoreBuffer;

export interface LoadOptions {
  /** "simd" is the baseline build, "relaxed" uses fused multiply-add; "auto" takes the best this engine validates. */
  variant?: "auto" | "simd" | "relaxed";
  wasmBinary?: BufferSource;
  wasmModule?: WebAssembly.Module;
  wasmUrl?: string | URL;
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
  memoryBytes: number;
}

export interface SoftmaxOptions {
  /** Row length; the scores are rows of it. Default: the whole array is one row. */
  columns?: number;
  /** The softmax is of scale * scores. Default 1. */
  scale?: number;
  out?: FloatData;
}

/** One value a row. Entropies in nats. */
export interface SoftmaxDiagnostics {
  entropy: Float64Array;
  maxProbability: Float64Array;
  /** 1 - maxProbability, computed without cancellation. */
  complement: Float64Array;
  /** 1 / sum p^2. */
  effectiveKeys: Float64Array;
  /** exp(entropy). */
  perplexity: Float64Array;
  /** Trace, Frobenius and spectral norm of J = diag(p) - p p^T. */
  jacobianTrace: Float64Array;
  jacobianFrobenius: Float64Array;
  jacobianSpectral: Float64Array;
  /** How many weights of the row are exactly 0 in float32. */
  exactZeros: Uint32Array;
}

export interface AttentionShape {
  batch?: number;
  heads?: number;
  kvHeads?: number;
  queryLength: number;
  keyLength: number;
  headDim: number;
  valueDim?: number;
}

export interface AttentionOptions {
  shape: AttentionShape;
  layout?: "BHLD" | "BLHD";
  /** Uint8Array: nonzero = attend; float32 values: added to the scores, -Infinity masks. */
  attnMask?: Uint8Array | FloatData;
  /**
   * Sizes of attnMask, broadcast to [batch, heads, queryLength, keyLength] as in NumPy: [batch, 1, 1, keyLength] masks
   * padding. Default: [queryLength, keyLength], or all four.
   */
  attnMaskShape?: readonly number[];
  isCausal?: boolean;
  /** 0: query i sees keys 0..i (top-left); "bottom-right": the last query sees the last key. */
  causalOffset?: number | "bottom-right";
  /** Default 1/sqrt(headDim). */
  scale?: number;
  /** softcap * tanh(x / softcap) before the mask; 0 = off. */
  softcap?: number;
  returnWeights?: "raw" | "softcap" | "masked" | "probabilities";
  /** Where the output goes (forward only). Must not be one of the inputs. */
  out?: FloatData;
}

export interface AttentionGradients {
  gradQuery: Float32Array;
  gradKey: Float32Array;
  gradValue: Float32Array;
}

export interface AttentionResult {
  output: Float32Array;
  logSumExp: Float32Array;
  weights?: Float32Array;
}

export interface DotProductOptions {
  /** d_k, 1..65536. */
  dimension: number;
  /** How many independent pairs (q, k): 1..2^32-1. */
  samples: number;
  /** Any integer in [0, 2^53). */
  seed: number;
  components?: ComponentLaw;
  /** Mean of every component, of query and key alike. Default 0. */
  mean?: number;
  queryStd?: number;
  keyStd?: number;
  scale?: Scale;
  /** Number of histogram bins, default 200. */
  bins?: number;
  /** Histogram range [low, high). Default: 5 standard deviations either side of the exact mean. */
  range?: [number, number];
}

export interface MomentsSummary {
  count: number;
  mean: number;
  variance: number;
  skewness: number;
  excessKurtosis: number;
  /** Standard error of `variance`, from the sample's own fourth moment. */
  varianceStandardError: number;
}

export interface Histogram {
  low: number;
  high: number;
  counts: Float64Array;
  underflow: number;
  overflow: number;
}

export interface DotProductResult {
  seed: number;
  moments: MomentsSummary;
  histogram: Histogram;
}

export interface VarianceSweepOptions extends Omit<DotProductOptions, "dimension" | "bins" | "range"> {
  dimensions: readonly number[];
}

export interface VarianceRow {
  dimension: number;
  variance: number;
  /** Standard error of `variance` from theory (exact fourth moment). */
  standardError: number;
  /** What theory says the variance is. */
  exact: number;
  samples: number;
}

export interface GradientSweepOptions {
  dimensions: readonly number[];
  /** n, the number of keys a query attends to: 1..65536. */
  keys: number;
  /** Independent rows (one query, its own keys, values and upstream gradient) a dimension. */
  trials: number;
  seed: number;
  /** One scale or several; all scales of a dimension see the very same queries and keys. Default ["none", "rsqrt"]. */
  scale?: Scale | readonly Scale[];
  /** Length of the value vectors that carry the gradient back. Default 16. */
  valueDim?: number;
}

/** A mean over trials with its standard error, and the median. */
export interface Estimate {
  mean: number;
  standardError: number;
  median: number;
}

export interface GradientRow {
  dimension: number;
  scale: Scale;
  trials: number;
  entropy: Estimate;
  maxProbability: Estimate;
  sumSquares: Estimate;
  /** tr J = 1 - sum p^2. */
  jacobianTrace: Estimate;
  jacobianFrobenius: Estimate;
  /** Share of rows with |J|_F < 1e-3. */
  deadRows: Estimate;
  /** Share of weights that are exactly 0 in float32. */
  exactZeros: Estimate;
  /** Euclidean norm of dL/dq, and Frobenius norm of dL/dK, for dL/dO ~ N(0, 1). */
  gradQueryNorm: Estimate;
  gradKeyNorm: Estimate;
  /** Exact expectations for normal components, or null where none is known. */
  theory: ExpectedSoftmax | null;
}

/**
 * A long call in steps of a few milliseconds, for callers that have to stay responsive. Each step yields a function
 * that gives the result so far; the last returns the result. Bits do not depend on when steps are taken.
 */
export type Steps<Result> = Generator<() => Result, Result, void>;

export interface CoreSteps {
  sampleDotProducts(options: DotProductOptions): Steps<DotProductResult>;
  varianceSweep(options: VarianceSweepOptions): Steps<VarianceRow[]>;
  gradientSweep(options: GradientSweepOptions): Steps<GradientRow[]>;
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
  /** Independent N(0, 1) values; value i of a (seed, stream) has the same bits everywhere. */
  randomNormal(count: number, options: { seed: number; stream?: number }): Float32Array;
  readonly theory: Theory;
  /** `length` float32 zeros in wasm memory, to be freed by the caller. */
  buffer(length: number): CoreBuffer;
  info(): CoreInfo;
}

/** What a long call accepts besides its own options when it runs in a pool. */
export interface JobOptions<Partial> {
  signal?: AbortSignal;
  /** Called with the result so far, from fewer samples, a few times a second. */
  onProgress?: (soFar: Partial) => void;
}

/** The calls of `Core` that take long, as promises, computed in workers. Same bits for any number of workers. */
export interface Pool {
  sampleDotProducts(
    options: DotProductOptions,
    job?: JobOptions<DotProductResult>,
  ): Promise<DotProductResult>;
  varianceSweep(options: VarianceSweepOptions, job?: JobOptions<VarianceRow[]>): Promise<VarianceRow[]>;
  gradientSweep(options: GradientSweepOptions, job?: JobOptions<GradientRow[]>): Promise<GradientRow[]>;
  /** theory.dotProductDensity at every x. */
  dotProductDensity(x: Float64Array, options: DensityOptions): Promise<Float64Array>;
  /** theory.expectedMaximum. */
  expectedMaximum(n: number): Promise<number>;
  info(): Promise<CoreInfo>;
  close(): void;
}
