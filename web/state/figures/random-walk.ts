import type { IntegerField } from "../schema.ts";
import { seed as anySeed, dimension, scale } from "./shared.ts";

/** Of this one the spread stays within its 95 % band at every length. */
const seed: IntegerField = { ...anySeed, default: 32 };

export const randomWalk = { seed, dimension, scale };
