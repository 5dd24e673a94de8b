/** What the figures of a single row know: the row, and the part of the state that it belongs to. */
import type { Core } from "../core/types.ts";
import type { Job } from "./latest.ts";
import { RandomRows, type RowState, type SoftmaxRow, softmaxRow } from "./softmax-row.ts";

export interface Point {
  x: number;
  y: number;
}

/** How far the sigmoid is drawn; beyond, its slope is below 1/2900. */
export const sigmoidReach = 8;

const sigmoidStep = 0.125;

export class SoftmaxModel {
  row: SoftmaxRow | null = null;
  source: RowState | null = null;
  /** The weight of one of two keys against the difference of their scores. */
  sigmoid: readonly Point[] = [];
  core: Core | null = null;
  readonly #random = new RandomRows();
  readonly #load: () => Promise<Core>;
  readonly #arrived: () => void;

  constructor(load: () => Promise<Core>, arrived: () => void) {
    this.#load = load;
    this.#arrived = arrived;
  }

  job(state: RowState): Job {
    const { random, scores, seed, keys, dimension, spread } = state;
    return {
      coarse: async () => {
        // A promise that is kept already still costs a turn, and a drawing in between.
        this.core ??= await this.#load();
        const { core } = this;
        if (this.sigmoid.length === 0) this.sigmoid = sigmoid(core);
        const row = random ? this.#random.scores(core, state) : Float32Array.from(scores);
        this.row = softmaxRow(core, row, spread);
        this.source = { random, scores, seed, keys, dimension, spread };
        this.#arrived();
      },
    };
  }
}

function sigmoid(core: Core): Point[] {
  const count = (2 * sigmoidReach) / sigmoidStep + 1;
  const at = (i: number) => i * sigmoidStep - sigmoidReach;
  const pairs = Float32Array.from({ length: 2 * count }, (_, i) => (i % 2 === 0 ? at(i / 2) : 0));
  const weights = core.softmax(pairs, { columns: 2 });
  return Array.from({ length: count }, (_, i) => ({ x: at(i), y: weights[2 * i] as number }));
}
