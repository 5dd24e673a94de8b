/** Public names of the softmax. */
import type { FloatData } from "./buffer-types.ts";

export interface SoftmaxOptions {
  /** Row length; the scores are rows of it. Default: the whole array is one row. */
  columns?: number;
  /** The softmax is of scale * scores. Default 1. From -1e30 to 1e30. */
  scale?: number;
  out?: FloatData;
}

/** One value a row. Entropies in nats. */
export interface SoftmaxDiagnostics {
  entropy: Float64Array;
  maxProbability: Float64Array;
  /** 1 - maxProbability, computed without cancellation. */
  maxComplement: Float64Array;
  /** 1 / sum p^2. */
  effectiveKeys: Float64Array;
  /** exp(entropy). */
  perplexity: Float64Array;
  /** Trace, Frobenius and spectral norm of J = diag(p) - p p^T. */
  jacobianTrace: Float64Array;
  jacobianFrobenius: Float64Array;
  jacobianSpectral: Float64Array;
  /**
   * How many weights of the row an IEEE float32 softmax, subnormal numbers included, returns as exactly 0: those below
   * 2^-150, masked keys included. This package's own `softmax` knows no subnormal numbers and gives 0 earlier: below
   * columns * 2^-125 times the largest weight.
   */
  exactZeros: Uint32Array;
}
