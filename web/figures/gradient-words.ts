/** How the gradient figure words what was measured, and no more than that. */
import { count, measured, rough, share } from "../charts/numbers.ts";
import type { Estimate, GradientRow } from "../core/types.ts";

/** A standard error from fewer rows says too little to be shown as a band. */
export const fewestForBand = 30;

export function halfBand(estimate: Estimate, trials: number): number {
  return trials < fewestForBand ? Number.NaN : 1.96 * estimate.standardError;
}

export function meanText(estimate: Estimate, trials: number): string {
  const half = halfBand(estimate, trials);
  return Number.isNaN(half) ? rough(estimate.mean) : measured(estimate.mean, half).text;
}

/** How many of the rows drawn were dead. */
export function deadCount({ deadRows, trials }: GradientRow): number {
  return Math.round(deadRows.mean * trials);
}

export function deadText(row: GradientRow): string {
  return share(deadCount(row), row.trials);
}

/** Medians come without a band, so they get one digit, and far below the mean only their order of magnitude. */
export function medianText({ mean, median }: Estimate): string {
  return median < mean / 1000 ? "less than a thousandth of that" : rough(median);
}

/** What the two arms' gradient norms say about each other and about how the unscaled one is spread over rows. */
export function spreadText(raw: GradientRow, scaled: GradientRow): string {
  if (raw.trials < fewestForBand) return "";
  const { mean, median } = raw.gradQueryNorm;
  const low = mean - halfBand(raw.gradQueryNorm, raw.trials);
  const high = scaled.gradQueryNorm.mean + halfBand(scaled.gradQueryNorm, scaled.trials);
  const compared = low > high ? "On average the unscaled gradient is the longer one. " : "";
  const rows = `half of the ${count(raw.trials)} unscaled rows got less than`;
  if (median >= 0.8 * mean) return `${compared}Its mean and its median lie close together.`;
  if (median >= 0.1 * mean) {
    const tenths = 10 * (Math.floor((10 * median) / mean) + 1);
    return `${compared}It is spread unevenly: ${rows} ${tenths}\u202f% of that mean.`;
  }
  const part = [
    [1e-3, "a thousandth"],
    [1e-2, "a hundredth"],
    [0.1, "a tenth"],
  ].find(([bound]) => median < mean * (bound as number));
  return `${compared}But ${rows} ${part?.[1]} of that mean; the other half makes it up.`;
}
