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
  /** E sum p^3. */
  sumCubes: number;
  /** E of the largest weight. */
  maxProbability: number;
  /** E tr J = 1 - sumSquares, without cancellation. */
  jacobianTrace: number;
  /** E |J|_F^2. Its root is an upper bound of E |J|_F. */
  jacobianFrobeniusSquared: number;
  /** E |dp/dsigma|^2 for scores sigma z_j, that is E |J z|^2: how far the weights move when the scores spread. */
  spreadResponseSquared: number;
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

/**
 * The frozen phase of a row: weights of the Poisson-Dirichlet law PD(a, 0), what softmax of independent N(0, sigma^2) scores
 * tends to as their number n grows at a fixed a = freezingStd(n) / sigma < 1. Of a finite row a = expectedMaximum(n) / sigma
 * is much the better ratio: within 2% of the exact jacobianTrace, 1% of maxProbability, 10% of the entropy and 7% of
 * jacobianFrobeniusSquared for every n from 2 to 1024 and sigma of at least 8. J = diag(p) - p p^T.
 */
export interface FrozenSoftmax {
  /** E sum p^2 = 1 - a. */
  sumSquares: number;
  /** E sum p^3 = (1 - a)(2 - a) / 2. */
  sumCubes: number;
  /** E (sum p^2)^2 = (1 - a)(3 - 2 a) / 3. */
  squaredSumSquares: number;
  /** E of the largest weight: 1 - ln 2 a for small a. */
  maxProbability: number;
  /** E of the entropy, in nats: digamma(1) - digamma(1 - a). */
  entropy: number;
  /** E tr J = a. */
  jacobianTrace: number;
  /** E |J|_F^2 = a (1 - a) / 3. */
  jacobianFrobeniusSquared: number;
}

/** The largest difference of two distribution functions. */
export interface NormalDistance {
  distance: number;
  /** Where it is taken, in standard deviations; at minus that as well, with the other sign. */
  at: number;
}

export interface DensityOptions {
  /** d_k, 1..65536. */
  dimension: number;
  /** From 1e-6 to 1e6; default 1. */
  queryStd?: number;
  keyStd?: number;
  /** Default "none". */
  scale?: Scale;
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

/**
 * Exact theory in double precision. It shares no code with the sampling. Processor time of one call, on one slow core:
 *
 * | calls | time |
 * |---|---|
 * | moments, standard errors, normal law, freezing, entropyFloor, twoKeys | 1 to 20 us |
 * | dotProductDensity, dotProductTail | proportional to the dimension: 6 ns times it, 2 ns a point of an array |
 * | dotProductQuantile | some five to ten of these |
 * | normalDistance, expectedMaximum, poissonDirichlet | 0.02 to 0.2 ms |
 * | expectedSoftmax | 0.3 to 0.8 ms |
 * | expectedAttentionRow | 5 to 15 ms the first time for a number of keys, then 0.05 ms |
 */
export interface Theory {
  /**
   * Exact density of scale q.k for normal components of mean 0 (variance-gamma); +Infinity at 0 for dimension 1. Relative
   * error below 1e-13, in far tails too: it is 0 only where it is below the smallest double.
   */
  dotProductDensity(x: number, options: DensityOptions): number;
  dotProductDensity(x: Float64Array, options: DensityOptions): Float64Array;
  /** P(scale q.k > x), of the same accuracy: small upper tails are not taken from 1. P(. <= x) is the tail at -x. */
  dotProductTail(x: number, options: DensityOptions): number;
  dotProductTail(x: Float64Array, options: DensityOptions): Float64Array;
  /** The x with P(scale q.k <= x) = probability; infinite at 0 and 1. An upper tail t: minus the quantile of t. */
  dotProductQuantile(probability: number, options: DensityOptions): number;
  /** Density of the normal law that has the variance of scale q.k: its limit for large dimensions. */
  normalDensity(x: number, options: DensityOptions): number;
  normalDensity(x: Float64Array, options: DensityOptions): Float64Array;
  /** P(. > x) of the same normal law. */
  normalTail(x: number, options: DensityOptions): number;
  normalTail(x: Float64Array, options: DensityOptions): Float64Array;
  /**
   * Kolmogorov's distance between q.k and the normal law of its variance, whatever the scale: 0.1075 at dimension 1, about
   * 0.13764 / dimension for large ones. Relative error below 1e-11.
   */
  normalDistance(options: { dimension: number }): NormalDistance;
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
  /**
   * Softmax of `keys` independent N(0, scoreStd^2) scores, exact at every finite number of keys: keys 1..65536, scoreStd
   * 0..1000. Relative error below 1e-12, of sumCubes 1.5e-11.
   */
  expectedSoftmax(options: { keys: number; scoreStd: number }): ExpectedSoftmax;
  /**
   * Softmax of one row of attention: the scores share one query of N(0, I_dimension), and so are independent only given
   * its length, over which this is the mean. Relative error below 1e-11 for scales of at most 1, of sumCubes 1e-9.
   */
  expectedAttentionRow(options: { keys: number; dimension: number; scale?: Scale }): ExpectedSoftmax;
  /**
   * m_n, the mean of the largest of n independent standard normals, n up to 2^53. Relative error below 1e-14. Rows of large
   * scoreStd follow it: E tr J is about m_n / scoreStd.
   */
  expectedMaximum(n: number): number;
  /** sqrt(2 ln n): the standard deviation of n scores above which softmax freezes onto a few of them, as n grows. */
  freezingStd(n: number): number;
  /** Its square 2 ln n: the d_k above which unscaled attention freezes. */
  freezingDimension(n: number): number;
  /** What a frozen row tends to; a in [0, 1). Relative error below 1e-13. */
  poissonDirichlet(a: number): FrozenSoftmax;
  /** Softmax of two keys; of components N(0, 1) unscaled, differenceStd is about sqrt(2 d_k). Relative error below 1e-13. */
  twoKeys(options: { differenceStd: number }): TwoKeys;
  /**
   * The least entropy, in nats, of the softmax of scores whose deviations from their mean have Euclidean norm at most
   * scoreNorm (Zhai et al. 2023): bounded scores cannot freeze.
   */
  entropyFloor(options: { keys: number; scoreNorm: number }): number;
}
