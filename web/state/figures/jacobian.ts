import type { FlagField, NumbersField } from "../schema.ts";
import { row } from "./softmax.ts";

const vector: NumbersField = {
  kind: "numbers",
  default: [1, 0, -1],
  min: -10,
  max: 10,
  decimals: 2,
  length: [0, row.scores.length[1]],
  about: "The vector that J is multiplied by, one component a key; missing ones are 0.",
};

const magnify: FlagField = {
  kind: "flag",
  default: false,
  about: "Whether colours reach their full strength at the largest entry instead of at 1/4.",
};

export const jacobian = { ...row, vector, magnify };
