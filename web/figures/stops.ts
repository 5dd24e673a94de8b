/** The places a logarithmic slider can stop at: whole numbers, evenly spread by ratio, every power of two among them. */
import { dimension as dimensionLimits, keys as keyLimits } from "../state/figures/shared.ts";

/** How far d_k and n reach, in every figure. */
export { dimensionLimits, keyLimits };

export function logStops(low: number, high: number, perOctave: number): number[] {
  const stops = new Set<number>();
  const from = Math.log2(low) * perOctave;
  const to = Math.log2(high) * perOctave;
  for (let i = Math.round(from); i <= Math.round(to); ++i) stops.add(Math.round(2 ** (i / perOctave)));
  return [...stops];
}

/** Index of the stop nearest to `value` by ratio. */
export function nearestStop(stops: readonly number[], value: number): number {
  let best = 0;
  for (let i = 1; i < stops.length; ++i) {
    const distance = (index: number) => Math.abs(Math.log((stops[index] as number) / value));
    if (distance(i) < distance(best)) best = i;
  }
  return best;
}

export const dimensionStops = logStops(dimensionLimits.min, dimensionLimits.max, 12);
export const keyStops = logStops(keyLimits.min, keyLimits.max, 6);
/** Where curves against d_k are computed. */
export const powersOfTwo = logStops(dimensionLimits.min, dimensionLimits.max, 1);

/** The d_k nearest to any number. */
export function toDimension(value: number): number {
  return Math.round(Math.min(dimensionLimits.max, Math.max(dimensionLimits.min, value)));
}
