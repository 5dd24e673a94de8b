/** What the classroom knows: how each pupil stands to the others, and the row that their heights make. */
import type { Core } from "../core/types.ts";
import type { FigureState } from "../state/hash.ts";
import type { Job } from "./latest.ts";
import { type SoftmaxRow, softmaxRow } from "./softmax-row.ts";

export type ClassroomState = FigureState<"classroom">;
export type ClassroomSource = Pick<ClassroomState, "seed" | "keys" | "dimension" | "scale">;

/** The standard deviation of the scores, given a query of its usual length, the root of d_k. */
export function spreadOf({ dimension, scale }: Pick<ClassroomState, "dimension" | "scale">): number {
  return scale === "none" ? Math.sqrt(dimension) : 1;
}

/**
 * Given the query, the scores of random keys are independent and normal, and their standard deviation is the query's
 * length. So a pupil keeps its place in the class, a standard normal number, and d_k only spreads the class.
 */
export class ClassroomModel {
  source: ClassroomSource | null = null;
  row: SoftmaxRow | null = null;
  #core: Core | null = null;
  readonly #load: () => Promise<Core>;
  readonly #arrived: () => void;

  constructor(load: () => Promise<Core>, arrived: () => void) {
    this.#load = load;
    this.#arrived = arrived;
  }

  job({ seed, keys, dimension, scale }: ClassroomState): Job {
    return {
      coarse: async () => {
        this.#core ??= await this.#load();
        const places = this.#core.randomNormal(keys, { seed });
        this.row = softmaxRow(this.#core, places, spreadOf({ dimension, scale }));
        this.source = { seed, keys, dimension, scale };
        this.#arrived();
      },
    };
  }

  /** The same class, spread otherwise: for what lies between two settings. */
  at(spread: number): SoftmaxRow | null {
    if (!this.#core || !this.row || this.row.spread === spread) return this.row;
    return softmaxRow(this.#core, this.row.scores, spread);
  }
}
