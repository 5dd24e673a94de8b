/** The core on the page's own thread, for answers that take microseconds: eight scores, a matrix of a few rows. */
import { load } from "../core/index.ts";
import type { Core } from "../core/types.ts";

/** One for all figures of a page: loading again gives the same. */
export const sharedCore = (): Promise<Core> => load();
