import { dimension, keys, scale, seed } from "./shared.ts";

export const classroom = {
  seed,
  dimension: { ...dimension, max: 1024 },
  keys: { ...keys, default: 7, max: 10, about: "How many pupils there are: the keys." },
  scale,
};
