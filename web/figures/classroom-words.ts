/** What is to be seen in the classroom, in words. The picture is an analogy, and the words keep to what was computed. */
import { fixed } from "../charts/numbers.ts";
import type { SoftmaxRow } from "./softmax-row.ts";
import { slopeText } from "./softmax-words.ts";

/** "38.1 %", and near the ends as many digits as it takes not to say 0 or 100. */
export function percentText(weight: number, complement = 1 - weight): string {
  const digits = (distance: number) => Math.min(6, Math.max(1, Math.ceil(-Math.log10(100 * distance)) + 1));
  const near = Math.min(weight, complement);
  return `${fixed(100 * weight, near > 1e-8 ? digits(near) : 1)}\u202f%`;
}

/** How many pupils have a light one would notice. */
export function litPupils({ weights }: SoftmaxRow): number {
  return weights.filter((weight) => weight >= 0.01).length;
}

export function lightText(row: SoftmaxRow): string {
  const lit = litPupils(row);
  const count = row.weights.length;
  if (lit === count) return "Everybody has some of the light";
  return lit === 1
    ? "One pupil has all the light that one would notice"
    : `${lit} of ${count} pupils have light that one would notice`;
}

export function learningText(row: SoftmaxRow): string {
  const tall = row.slopes[row.largest.key] as number;
  const most = Math.max(...row.slopes);
  if (most < 1e-3)
    return `Nobody learns, and the tall one no more than the others: whether it grows or shrinks a little, its light stays the same (${slopeText(tall)}).`;
  if (most < 0.05)
    return `There is little left to learn from: of a little growth, no pupil gets more than ${slopeText(most)} as light.`;
  return `Who grows a little gets more light: up to ${slopeText(most)} for every unit of height.`;
}
