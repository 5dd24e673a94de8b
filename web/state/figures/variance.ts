import type { ChoiceField, FlagField, SetField } from "../schema.ts";
import { dimension, scale, seed } from "./shared.ts";

const components: ChoiceField<"normal" | "uniform" | "rademacher" | "laplace"> = {
  kind: "choice",
  default: "normal",
  values: ["normal", "uniform", "rademacher", "laplace"],
  about: "Law of the components of queries and keys; each has mean 0 and variance 1.",
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

export const variance = { seed, dimension, components, scale, show, limit };
