import { dimension, keys, scale, seed } from "./shared.ts";

export const classroom = {
  // A class whose tallest is ahead of the second by what is usual among seven.
  seed: { ...seed, default: 2551 },
  dimension: { ...dimension, max: 1024 },
  keys: { ...keys, default: 7, max: 10, about: "How many pupils there are: the keys." },
  scale,
};
