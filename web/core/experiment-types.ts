/** Public names of the experiments: what is sampled, and what is measured. */
import type { ExpectedSoftmax } from "./theory-types.ts";

/**
 * How scores are scaled: 1, 1/sqrt(d_k) (Vaswani et al. 2017, arXiv:1706.03762), 1/d_k (Yang et al. 2022,
 * arXiv:2203.03466), or a number alpha for d_k^-alpha.
 */
export type Scale = "none" | "rsqrt" | "reciprocal" | number;

/** q.k / temperature, whatever d_k. Temperature from 1e-6 to 1e6. */
export interface TemperatureRule {
  rule: "temperature";
  temperature: number;
}

/**
 * softcap * tanh(x / softcap) of the scaled score x: no score is larger than softcap. 50 in the attention of Gemma 2
 * (2024, arXiv:2408.00118). Softcap from 1e-6 to 1e6; scale "rsqrt" unless given.
 */
export interface SoftcapRule {
  rule: "softcap";
  softcap: number;
  scale?: Scale;
}

/**
 * gain * q.k / (|q| |k|) (Henry et al. 2020, arXiv:2010.04245, who learn the gain). Gain from 1e-6 to 1e6; sqrt(d_k)
 * unless given, which leaves scores a standard deviation of 1.
 */
export interface QkNormRule {
  rule: "qk-norm";
  gain?: number;
}

/**
 * factor * ln(n) * the scaled score, n the number of keys: with scale "rsqrt", the default, the softmax of Nakanishi 2025
 * (arXiv:2501.19399) with s = factor; with "reciprocal" that of Su Jianlin (2022, kexue.fm/archives/9034). Factor from 1e-6
 * to 1e6; 1 unless given.
 */
export interface LogKeysRule {
  rule: "log-n";
  factor?: number;
  scale?: Scale;
}

/** How a query and a key make a score. */
export type ScaleRule = Scale | TemperatureRule | SoftcapRule | QkNormRule | LogKeysRule;

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
  /** Standard deviation of every component of the query, at least 0. Default 1. */
  queryStd?: number;
  /** The same for the key. */
  keyStd?: number;
  /** What q.k is multiplied by. Default "none". */
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
  /** Bins of equal width cover [low, high). */
  low: number;
  high: number;
  /** One count a bin. */
  counts: Float64Array;
  /** How many scores are below `low`. */
  underflow: number;
  /** How many are at or above `high`. */
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
  /**
   * Independent rows (one query, its own keys, values and upstream gradient) a dimension: 1..10^6. What each row gives is
   * kept until the end, 96 bytes a row and scale.
   */
  trials: number;
  /** Any integer in [0, 2^53). */
  seed: number;
  /**
   * One scale or up to 16; all scales of a dimension see the very same queries, keys, values and upstream gradients.
   * Default ["none", "rsqrt"].
   */
  scale?: ScaleRule | readonly ScaleRule[];
  /** Length of the value vectors that carry the gradient back: 1..4096. Default 16. */
  valueDim?: number;
  /** Rows with |J|_F below it are dead: 0..1. Default 1e-3. */
  deadThreshold?: number;
  /** Which quantiles to estimate, 1e-6..1 - 1e-6, at most 32. Default [0.01, 0.25, 0.5, 0.75, 0.99]. */
  quantiles?: readonly number[];
}

/**
 * `value` is the order statistic, linear between neighbours (R's type 7); `low` and `high` a 95 % interval and
 * `standardError` half a 68 % interval of order statistics, which hold whatever the law. NaN where there are too few
 * trials for them: some 6 / min(probability, 1 - probability) for the interval, 3 / min(…) for the error.
 */
export interface Quantile {
  probability: number;
  value: number;
  standardError: number;
  low: number;
  high: number;
}

/** What the trials say about a quantity. Errors are NaN for a single trial. */
export interface Estimate {
  mean: number;
  standardError: number;
  median: number;
  /** As in Quantile. */
  medianStandardError: number;
  /** sqrt(mean of the squares). */
  rms: number;
  rmsStandardError: number;
  /** In the order asked for. */
  quantiles: Quantile[];
}

/** J = diag(p) - p p^T is the Jacobian of the softmax, p the weights. */
export interface RowQuantities<Value> {
  /** Nats. */
  entropy: Value;
  maxProbability: Value;
  sumSquares: Value;
  /** tr J = 1 - sum p^2. */
  jacobianTrace: Value;
  jacobianFrobenius: Value;
  /** |J|_2, the largest eigenvalue. */
  jacobianSpectral: Value;
  /** Share of rows with |J|_F < deadThreshold. */
  deadRows: Value;
  /** Share of weights that are exactly 0 in float32, counted as in SoftmaxDiagnostics. */
  exactZeros: Value;
  /** Share of rows in which a float32 softmax gives a weight of exactly 1: the others add up to 2^-24 or less. */
  printsOne: Value;
  /**
   * Euclidean norm of dL/dq and Frobenius norms of dL/dK and dL/dV for dL/dO ~ N(0, 1), through the library's attention
   * and, with "qk-norm", through the normalisation: float32, relative error some 1e-5. Weights below 2^-100 of a row's
   * largest count as 0 there, so gradients below some 1e-30 are 0.
   */
  gradQueryNorm: Value;
  gradKeyNorm: Value;
  gradValueNorm: Value;
}

/** All but `theory` and `theoryRms` is measured. */
export interface GradientRow extends RowQuantities<Estimate> {
  dimension: number;
  /** With defaults filled in, but for the gain of "qk-norm". */
  scale: ScaleRule;
  trials: number;
  /** Exact expectations for normal components, or null where none is known: always with "softcap" and "qk-norm". */
  theory: ExpectedSoftmax | null;
  /** Exact root mean squares, null where `theory` is. */
  theoryRms: Record<"jacobianFrobenius" | "gradQueryNorm" | "gradKeyNorm" | "gradValueNorm", number> | null;
}

export interface AttentionRowOptions {
  /** d_k, 1..65536. */
  dimension: number;
  /** n, 1..65536. */
  keys: number;
  seed: number;
  /** Which trial of the sweep: 0..10^6 - 1. Default 0. */
  trial?: number;
  /** Default "none". */
  scale?: ScaleRule;
  /** As in the sweep, whose trials differ with it. Default 16. */
  valueDim?: number;
  /** As in the sweep. Default 1e-3. */
  deadThreshold?: number;
}

/** One trial of gradientSweep: its weights, and its value of every quantity that the sweep takes the mean of. */
export interface AttentionRow extends RowQuantities<number> {
  /** After scale, softcap or normalisation, one a key. */
  scores: Float64Array;
  /** softmax(scores), in the order of the keys. */
  probabilities: Float64Array;
}

/**
 * A long call in steps, for callers that have to stay responsive. Each step yields a function that gives the result so
 * far; the last returns the result. Bits do not depend on when steps are taken. Call the function before the next step:
 * one that is kept gives the state at the time it is called.
 *
 * Steps are estimated to take 2 milliseconds, except where the smallest part of the work takes longer: 256 samples of
 * more than some 2000 components, 60 milliseconds at 65536; a single trial of a gradient sweep whose keys * (dimension +
 * valueDim) pass some 200 000, seconds where memory ends. Such parts belong in workers.
 */
export type Steps<Result> = Generator<() => Result, Result, void>;

/** The long calls, a step at a time. */
export interface CoreSteps {
  sampleDotProducts(options: DotProductOptions): Steps<DotProductResult>;
  varianceSweep(options: VarianceSweepOptions): Steps<VarianceRow[]>;
  gradientSweep(options: GradientSweepOptions): Steps<GradientRow[]>;
}
