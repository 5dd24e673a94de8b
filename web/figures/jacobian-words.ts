/** How the figure of the Jacobian words its entries, and what a product with it leaves of a vector. */
import { exact, fixed } from "../charts/numbers.ts";
import type { SoftmaxRow } from "./softmax-row.ts";

/** Three decimals; what they would show as 0 is told by its size. */
export function entryText(value: number): string {
  return Math.abs(value) >= 5e-4 || value === 0 ? fixed(value, 3) : exact(value, 1);
}

export function entry({ jacobian, weights }: SoftmaxRow, row: number, column: number): number {
  return jacobian[row * weights.length + column] as number;
}

/** What happens to weight `column` when score `row` is raised a little. */
export function nudgeText(row: SoftmaxRow, score: number, weight: number): string {
  const value = entry(row, score, weight);
  const change = Math.abs(value) < 1e-3 ? "hardly moves" : value > 0 ? "rises" : "falls";
  return `\u2202p_${weight + 1}/\u2202s_${score + 1} = ${entryText(value)}: raise s_${score + 1} a little, and p_${weight + 1} ${change}`;
}

export const lengthOf = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

/** How much of a vector comes back through J. */
export function returnText(vector: ArrayLike<number>, product: ArrayLike<number>): string {
  const [sent, back] = [lengthOf(vector), lengthOf(product)];
  if (sent === 0) return "Nothing is sent, and nothing comes back.";
  const share = back / sent;
  // Rounding leaves a little of what is 0 by formula.
  if (share < 1e-6 && isLevel(vector))
    return "A vector with the same number for every key comes back as nothing: softmax does not see what all scores have in common.";
  const lengths = `Of a vector of length ${exact(sent, 3)}, a length of ${entryText(back)} comes back`;
  return share < 1e-3
    ? `${lengths}: less than a thousandth.`
    : `${lengths}: ${fixed(100 * share, share < 0.1 ? 1 : 0)}\u202f%, and it is never more than half.`;
}

function isLevel(vector: ArrayLike<number>): boolean {
  return Array.from(vector).every((value) => value === vector[0]);
}
