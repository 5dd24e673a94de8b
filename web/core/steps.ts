/** Long calls as generators: work in steps, with the result so far after each. */

import type { Steps } from "./types.ts";

/**
 * How long a step should take, in nanoseconds of estimated work. Estimated and not measured, so that a call is cut
 * in the same places everywhere; short enough that a step fits into a frame on a machine several times slower. A single
 * item that takes longer is a step of its own, however long.
 */
const stepNanoseconds = 2e6;

/** How many items of a given cost make a step. */
export const itemsPerStep = (nanosecondsPerItem: number) =>
  Math.max(1, Math.floor(stepNanoseconds / nanosecondsPerItem));

/** Runs to the end. */
export function drain<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
