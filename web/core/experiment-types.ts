/** Public names of the experiments: what is sampled, and what is measured. */
import type { ExpectedSoftmax } from "./theory-types.ts";

/** How scores are scaled: 1, 1/sqrt(d_k), 1/d_k, or a number alpha for d_k^-alpha. */
export type Scale = "none" | "rsqrt" | "reciprocal" | number;

/**
 * Law of the components of query and key before mean and standard deviation are applied: symmetric, mean 0, variance 1.
 * Student's t is scaled to that, which takes more than 2 degrees of freedom.
 */
export type ComponentLaw = "normal" | "uniform" | "rademacher" | "laplace" | "student-t";

export interface DotProductOptions {
  /** d_k, 1..65536. */
  dimension: number;
  /** How many independent pairs (q, k): 1..2^32-1. */
  samples: number;
  /** Any integer in [0, 2^53). */
  seed: number;
  /** Default "normal". */
  components?: ComponentLaw;
  /**
   * nu of "student-t", above 2 and at most 1e6, default 5; other laws do not read it. With nu <= 4 the components have no
   * fourth moment: the variance of q.k is known, but an estimate of it has no standard error.
   */
  degreesOfFreedom?: number;
  /**
   * Correlation rho of every two components of the query, and of every two of the key: from -1/(d_k - 1) to 1, default 0.
   * Vectors are mean + std Sigma^(1/2) z, z of independent components of the law; query and key are independent.
   */
  correlation?: number;
  /** Mean of every component, of query and key alike. Default 0. */
  mean?: number;
  queryStd?: number;
  keyStd?: number;
  scale?: Scale;
  /** Number of histogram bins, default 200. */
  bins?: number;
  /**
   * Histogram range [low, high). Default: 5 standard deviations either side of the exact mean; of a constant, 1; never
   * less than 2^-33 of the mean.
   */
  range?: [number, number];
  /** Whether the scores themselves are wanted, of at most 2^26 samples. Default false. */
  returnValues?: boolean;
}

/** Of a sample. Where a number does not exist it is NaN: the spread of one value, the shape of equal ones. */
export interface MomentsSummary {
  count: number;
  mean: number;
  /** Unbiased: divisor count - 1. */
  variance: number;
  skewness: number;
  excessKurtosis: number;
  minimum: number;
  maximum: number;
  /** Standard error of `variance`, from the sample's own fourth moment; null where the law has none. */
  varianceStandardError: number | null;
  /** Why the standard error is null; only where it is. */
  reason?: string;
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
  /**
   * With `returnValues` the scores, in the order they were drawn: those that moments and histogram are of. Only in the
   * final result, not in results on the way.
   */
  values?: Float64Array;
}

export interface VarianceSweepOptions
  extends Omit<DotProductOptions, "dimension" | "bins" | "range" | "returnValues"> {
  dimensions: readonly number[];
}

export interface VarianceRow {
  dimension: number;
  variance: number;
  /** Standard error of `variance` from theory (exact fourth moment); null where the law has none. */
  standardError: number | null;
  /** Why the standard error is null; only where it is. */
  reason?: string;
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

/** All but `theory` is measured. J = diag(p) - p p^T is the Jacobian of the softmax, p the weights. */
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
  /** Share of weights that are exactly 0 in float32, counted as in SoftmaxDiagnostics. */
  exactZeros: Estimate;
  /** Euclidean norm of dL/dq, and Frobenius norm of dL/dK, for dL/dO ~ N(0, 1). */
  gradQueryNorm: Estimate;
  gradKeyNorm: Estimate;
  /** Exact expectations for normal components, or null where none is known. */
  theory: ExpectedSoftmax | null;
}

/**
 * A long call in steps, for callers that have to stay responsive. Each step yields a function that gives the result so
 * far; the last returns the result. Bits do not depend on when steps are taken. Call the function before the next step:
 * one that is kept gives the state at the time it is called.
 *
 * Steps are estimated to take 2 milliseconds, except where the smallest part of the work takes longer: 256 samples of
 * more than some 2000 components, 60 milliseconds at 65536; a single trial of a gradient sweep whose keys * (dimension +
 * valueDim) pass some 500 000, a second at 65536 keys of 4096 components. Such parts belong in workers.
 */
export type Steps<Result> = Generator<() => Result, Result, void>;

/** The long calls, a step at a time. */
export interface CoreSteps {
  sampleDotProducts(options: DotProductOptions): Steps<DotProductResult>;
  varianceSweep(options: VarianceSweepOptions): Steps<VarianceRow[]>;
  gradientSweep(options: GradientSweepOptions): Steps<GradientRow[]>;
}
