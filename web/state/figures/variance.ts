import type { ChoiceField, FlagField, NumberField, SetField } from "../schema.ts";
import { dimension, scale, seed } from "./shared.ts";

const components: ChoiceField<"normal" | "uniform" | "rademacher" | "laplace" | "student-t"> = {
  kind: "choice",
  default: "normal",
  values: ["normal", "uniform", "rademacher", "laplace", "student-t"],
  about: "Law of the components of queries and keys, of variance 1 and mean 0 before `mean` is added.",
};

const degreesOfFreedom: NumberField = {
  kind: "number",
  default: 5,
  min: 2.1,
  max: 100,
  decimals: 1,
  about:
    "nu of student-t; other laws do not read it. With nu <= 4 a measured variance has no standard error.",
};

const mean: NumberField = {
  kind: "number",
  default: 0,
  min: -2,
  max: 2,
  decimals: 2,
  about: "Mean of every component, of queries and keys alike.",
};

const correlation: NumberField = {
  kind: "number",
  default: 0,
  min: 0,
  max: 1,
  decimals: 3,
  about: "Correlation of every two components of a query, and of every two of a key.",
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

export const variance = {
  seed,
  dimension,
  components,
  scale,
  show,
  limit,
  degreesOfFreedom,
  mean,
  correlation,
};
