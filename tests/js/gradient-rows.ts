/** Made-up results of a gradient sweep, for tests of what is drawn and said. */
import type { Estimate, GradientRow } from "../../web/core/types.ts";

export const estimate = (mean: number, standardError = 0, median = mean): Estimate => ({
  mean,
  standardError,
  median,
  medianStandardError: standardError,
  rms: mean,
  rmsStandardError: standardError,
  quantiles: [],
});

/** Zeros but for what is given. */
export function gradientRow(some: Partial<GradientRow>): GradientRow {
  const zero = estimate(0);
  return {
    dimension: 512,
    scale: "none",
    trials: 1000,
    entropy: zero,
    maxProbability: zero,
    sumSquares: zero,
    jacobianTrace: zero,
    jacobianFrobenius: zero,
    jacobianSpectral: zero,
    deadRows: zero,
    exactZeros: zero,
    printsOne: zero,
    gradQueryNorm: zero,
    gradKeyNorm: zero,
    gradValueNorm: zero,
    theory: null,
    theoryRms: null,
    ...some,
  };
}
