/** Public names of the theory: what the experiments should find. */
import type { ComponentLaw, Scale } from "./experiment-types.ts";

/** Expectations over random scores of p = softmax(scores), with J = diag(p) - p p^T. */
export interface ExpectedSoftmax {
  /** E ln sum exp(score). */
  logPartition: number;
  /** E of the entropy -sum p ln p, in nats. */
  entropy: number;
  /** E sum p^2, in [1/keys, 1]. */
  sumSquares: number;
  /** E of the largest weight. */
  maxProbability: number;
  /** E tr J = 1 - sumSquares, without cancellation. */
  jacobianTrace: number;
  /** E |J|_F^2. Its root is an upper bound of E |J|_F. */
  jacobianFrobeniusSquared: number;
}

/**
 * Softmax of two keys: weights p and 1 - p, p = 1 / (1 + exp(-D)), the scores' difference D ~ N(0, differenceStd^2).
 * p (1 - p) = dp/dD is all that comes back to learn from: |J|_F = tr J = 2 p (1 - p).
 */
export interface TwoKeys {
  /** E p (1 - p), in (0, 1/4]. Falls like 1 / (sqrt(2 pi) differenceStd). */
  product: number;
  /** Median of p (1 - p). Falls exponentially, where the mean falls like a power: the typical row gets next to nothing. */
  medianProduct: number;
  /** E of the entropy, in nats. */
  entropy: number;
  /** E max(p, 1 - p). */
  maxProbability: number;
  /** Probability of |J|_F < 1e-3, as `deadRows` of a gradient sweep counts. */
  deadShare: number;
}

export interface DensityOptions {
  dimension: number;
  queryStd?: number;
  keyStd?: number;
}

export interface MomentsOptions {
  /** d_k, 1..65536. */
  dimension: number;
  components?: ComponentLaw;
  /** Of "student-t", more than 2; default 5. The variance has a standard error only for more than 4. */
  degreesOfFreedom?: number;
  /** Mean of every component, of query and key alike. Default 0. */
  mean?: number;
  queryStd?: number;
  keyStd?: number;
  /**
   * Between any two components of the same vector, from -1/(dimension - 1) to 1; default 0. The vector is the symmetric
   * square root of the correlation matrix times independent components of the given law.
   */
  correlation?: number;
}

export interface DotProductMoments {
  mean: number;
  variance: number;
  /** Null where there is none; `reasons` says why. */
  excessKurtosis: number | null;
  reasons?: { excessKurtosis: string };
}

export interface Theory {
  /** Exact density of q.k for normal components (variance-gamma). */
  dotProductDensity(x: number, options: DensityOptions): number;
  dotProductDensity(x: Float64Array, options: DensityOptions): Float64Array;
  /** P(q.k > x). */
  dotProductTail(x: number, options: DensityOptions): number;
  dotProductTail(x: Float64Array, options: DensityOptions): Float64Array;
  /** The x with P(q.k <= x) = probability; infinite at 0 and 1. */
  dotProductQuantile(probability: number, options: DensityOptions): number;
  /**
   * Of unscaled q.k, in closed form for every law. Relative error below 1e-14. For independent components of mean 0,
   * d (queryStd keyStd)^2; with equal correlations rho, that times 1 + (d - 1) rho^2: then dividing by sqrt(d) is not
   * enough.
   */
  dotProductMoments(options: MomentsOptions): DotProductMoments;
  /**
   * Standard error of a variance estimated from `samples` independent scores (exact fourth moment), or null where it is
   * infinite: the excess kurtosis of the scores is null as well, and has the reason.
   */
  varianceStandardError(options: MomentsOptions & { samples: number }): number | null;
  /**
   * Standard error, relative to the variance, of the mean square of all queries x keys entries of Q K^T, for normal
   * components of mean 0. They share rows, so they tell less than as many independent scores.
   */
  scoreMatrixVarianceError(options: { queries: number; keys: number; dimension: number }): number;
  /** Softmax of `keys` independent N(0, scoreStd^2) scores. */
  expectedSoftmax(options: { keys: number; scoreStd: number }): ExpectedSoftmax;
  /** Softmax of one row of attention: the scores share one query of N(0, I_dimension). */
  expectedAttentionRow(options: { keys: number; dimension: number; scale?: Scale }): ExpectedSoftmax;
  /** m_n, the mean of the largest of n independent standard normals. */
  expectedMaximum(n: number): number;
  /** d_k = 2 ln n, above which unscaled attention freezes. */
  freezingDimension(n: number): number;
  /** Softmax of two keys; of components N(0, 1) unscaled, differenceStd is about sqrt(2 d_k). */
  twoKeys(options: { differenceStd: number }): TwoKeys;
}
