/** What the experiments should find, in closed form or by quadrature. Shares no code with the sampling. */
import type { Heap } from "./heap.ts";
import { createLaws } from "./theory-law.ts";
import { createMoments } from "./theory-moments.ts";
import { createRows } from "./theory-rows.ts";
import type { Theory } from "./types.ts";

export const createTheory = (heap: Heap): Theory => ({
  ...createLaws(heap),
  ...createMoments(heap.engine),
  ...createRows(heap),
});
