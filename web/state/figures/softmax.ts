import type { FlagField, IntegerField, NumberField, NumbersField } from "../schema.ts";
import { dimension, keys, seed } from "./shared.ts";

const most = 16;

const random: FlagField = {
  kind: "flag",
  default: false,
  about: "Whether the scores are those of a random query and random keys with `dimension` components.",
};

const scores: NumbersField = {
  kind: "numbers",
  default: [1, 2, 3],
  min: -1000,
  max: 1000,
  decimals: 3,
  length: [2, most],
  about: "The scores, one a key; shown unless `random` is on.",
};

const spread: NumberField = {
  kind: "number",
  default: 1,
  min: 0,
  max: 100,
  decimals: 4,
  about: "Multiplies every score before softmax. 1/sqrt(d_k) is the scale of attention.",
};

const key: IntegerField = {
  kind: "integer",
  default: 3,
  min: 1,
  max: most,
  about: "The key that is looked at; the last one where there are fewer.",
};

/** A row of scores, for every figure that shows a single row. */
export const row = { random, scores, seed, keys: { ...keys, default: 8, max: most }, dimension, spread, key };

export const softmax = row;
