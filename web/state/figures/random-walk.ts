import { dimension, scale, seed } from "./shared.ts";

export const randomWalk = { seed, dimension, scale };
