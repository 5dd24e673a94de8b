/** Fields that several figures have. */
import type { ChoiceField, IntegerField, SetField } from "../schema.ts";

export const seed: IntegerField = {
  kind: "integer",
  default: 2017,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  about: "The start of the random numbers: the same seed gives the same picture on every machine.",
};

export const dimension: IntegerField = {
  kind: "integer",
  default: 512,
  min: 1,
  max: 4096,
  about: "d_k, the number of components of a query and of a key.",
};

export const keys: IntegerField = {
  kind: "integer",
  default: 16,
  min: 2,
  max: 1024,
  about: "n, the number of keys one query attends to.",
};

export const scale: ChoiceField<"none" | "rsqrt"> = {
  kind: "choice",
  default: "none",
  values: ["none", "rsqrt"],
  about: "What is shown: the raw dot products, or the ones divided by sqrt(d_k).",
};

/** Every figure has this one; it is added where the schemas are joined. */
export const hide: SetField<"title" | "controls" | "legend" | "words" | "status" | "actions" | "table"> = {
  kind: "set",
  default: [],
  values: ["title", "controls", "legend", "words", "status", "actions", "table"],
  about: "Parts of the figure that are left out.",
};
