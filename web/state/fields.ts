/** The one list of what can be set, from outside or by the reader, for every figure. */
import type { ChoiceField, FlagField, IntegerField, SetField } from "./schema.ts";

const seed: IntegerField = {
  kind: "integer",
  default: 2017,
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  about: "The start of the random numbers: the same seed gives the same picture on every machine.",
};

const dimension: IntegerField = {
  kind: "integer",
  default: 512,
  min: 1,
  max: 4096,
  about: "d_k, the number of components of a query and of a key.",
};

const keys: IntegerField = {
  kind: "integer",
  default: 16,
  min: 2,
  max: 1024,
  about: "n, the number of keys one query attends to.",
};

const components: ChoiceField<"normal" | "uniform" | "rademacher" | "laplace"> = {
  kind: "choice",
  default: "normal",
  values: ["normal", "uniform", "rademacher", "laplace"],
  about: "Law of the components of queries and keys; each has mean 0 and variance 1.",
};

const scale: ChoiceField<"none" | "rsqrt"> = {
  kind: "choice",
  default: "none",
  values: ["none", "rsqrt"],
  about: "What is drawn large: the raw dot products, or the ones divided by sqrt(d_k).",
};

const show: SetField<"3" | "100" | "1000" | "chosen"> = {
  kind: "set",
  default: ["3", "100", "1000", "chosen"],
  values: ["3", "100", "1000", "chosen"],
  about: "Which histograms are drawn.",
};

const limit: FlagField = {
  kind: "flag",
  default: false,
  about: "Whether the normal limit is drawn over the histograms.",
};

export const figureSchemas = {
  variance: { seed, dimension, components, scale, show, limit },
  gradient: { seed, dimension, keys },
};

export type FigureName = keyof typeof figureSchemas;
export const figureNames = Object.keys(figureSchemas) as FigureName[];
