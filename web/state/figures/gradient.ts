import type { ChoiceField, IntegerField } from "../schema.ts";
import { dimension, keys, seed } from "./shared.ts";

const show: ChoiceField<"weights" | "row" | "gradient"> = {
  kind: "choice",
  default: "weights",
  values: ["weights", "row", "gradient"],
  about:
    "What is plotted: means over many rows, the weights of a single one, or the gradient that reaches the query.",
};

const row: IntegerField = {
  kind: "integer",
  default: 0,
  min: 0,
  max: 999_999,
  about: "Which of the rows is shown on its own.",
};

export const gradient = { seed, dimension, keys, show, row };
