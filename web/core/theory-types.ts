/** Public names of the theory: what the experiments should find. */
import type { ComponentLaw, Scale } from "./types.ts";

export interface ExpectedSoftmax {
  logPartition: number;
  entropy: number;
  sumSquares: number;
  maxProbability: number;
  jacobianTrace: number;
  jacobianFrobeniusSquared: number;
}

export interface TwoKeys {
  slope: number;
  medianSlope: number;
  entropy: number;
  maxProbability: number;
  deadShare: number;
}

export interface DensityOptions {
  dimension: number;
  queryStd?: number;
  keyStd?: number;
}

export interface MomentsOptions {
  dimension: number;
  components?: ComponentLaw;
  mean?: number;
  queryStd?: number;
  keyStd?: number;
}

export interface DotProductMoments {
  mean: number;
  variance: number;
  excessKurtosis: number;
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
  /** Of unscaled q.k; excessKurtosis is NaN where the score is a constant. */
  dotProductMoments(options: MomentsOptions): DotProductMoments;
  /** Standard error of a variance estimated from `samples` independent scores. */
  varianceStandardError(options: MomentsOptions & { samples: number }): number;
  /** Softmax of `keys` independent N(0, scoreStd^2) scores. */
  expectedSoftmax(options: { keys: number; scoreStd: number }): ExpectedSoftmax;
  /** Softmax of one row of attention: the scores share one query of N(0, I_dimension). */
  expectedAttentionRow(options: { keys: number; dimension: number; scale?: Scale }): ExpectedSoftmax;
  /** m_n, the mean of the largest of n independent standard normals. */
  expectedMaximum(n: number): number;
  /** d_k = 2 ln n, above which unscaled attention freezes. */
  freezingDimension(n: number): number;
  twoKeys(options: { differenceStd: number }): TwoKeys;
}
