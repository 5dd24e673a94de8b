/** How the figures about one row of softmax word their numbers. They are computed, not sampled: what is rounded is the display. */
import { exact, fixed } from "../charts/numbers.ts";
import { dead, type RowState, type SoftmaxRow } from "./softmax-row.ts";

/** A share of one near 1 is told by what is missing: 1 - 2e-9 and 1 are not the same when one learns from the rest. */
export function shareText(weight: number, complement: number): string {
  if (complement > 0 && complement < 5e-5) return `1 \u2212 ${exact(complement, 1)}`;
  return weight >= 1e-4 || weight === 0 ? fixed(weight, 4) : exact(weight, 2);
}

export function weightText(row: SoftmaxRow, i: number): string {
  if (i === row.largest.key) return shareText(row.largest.weight, row.largest.complement);
  // Weights that float32 rounds to 0 are still known by their logarithm.
  const weight = Math.exp(row.logWeights[i] as number);
  return shareText(weight, 1 - weight);
}

/** Beside a bar there is room for three digits or four. */
export function scoreLabel(score: number): string {
  const size = Math.abs(score);
  return Number.isInteger(score) ? fixed(score, 0) : fixed(score, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

export function slopeText(slope: number): string {
  return slope >= 1e-3 ? fixed(slope, 3) : exact(slope, 1);
}

/** As it was typed. */
export const plain = (value: number) => String(value).replace("-", "\u2212");

/** Where a row comes from, in words. */
export function rowText({ random, scores, seed, keys, dimension, spread }: RowState): string {
  const of = random
    ? `${keys} random keys at d_k = ${dimension}, seed ${seed}`
    : `scores ${scores.map(plain).join(", ")}`;
  return spread === 1 ? of : `${of}, times ${exact(spread, 3)}`;
}

/** What tells two files apart. */
export function rowTag({ random, scores, dimension }: RowState): string {
  return random ? `dk${dimension}` : `${scores.length}-keys`;
}

/** What the slopes left over mean, by how large all of them together are. */
export function saturationText({ trace, frobenius, largest, scores }: SoftmaxRow): string {
  if (frobenius < dead)
    return "The row is dead: move any score a little, and no weight moves by a thousandth of that.";
  if (trace < 0.1) return "Nearly all is decided: all slopes together come to less than a tenth.";
  if (largest.weight * scores.length < 1.5)
    return "The weights are close to equal: softmax hardly tells the keys apart.";
  return "Move any score, and the weights follow.";
}

export const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
