import { dimension, keys, seed } from "./shared.ts";

export const gradient = { seed, dimension, keys };
