import type { CellsField, ChoiceField, FlagField, IntegerField, MatrixField } from "../schema.ts";
import { dimension as anyDimension, scale as anyScale, seed as anySeed } from "./shared.ts";

/** With so few numbers one draw is far from the next; this one is typical. */
const seed: IntegerField = { ...anySeed, default: 37 };

const dimension: IntegerField = { ...anyDimension, default: 64 };

const scale: ChoiceField<"none" | "rsqrt"> = {
  ...anyScale,
  default: "rsqrt",
  about: "Whether the scores go into softmax as they are, or divided by sqrt(d_k).",
};

const tokens: IntegerField = {
  kind: "integer",
  default: 4,
  min: 2,
  max: 6,
  about: "How many tokens attend to each other: rows of Q, K and V.",
};

const causal: FlagField = {
  kind: "flag",
  default: false,
  about: "Whether a token sees only itself and what came before it.",
};

const stage: ChoiceField<
  | "inputs"
  | "scores"
  | "scale"
  | "mask"
  | "softmax"
  | "output"
  | "grad-output"
  | "grad-matmul"
  | "grad-softmax"
  | "grad-scale"
  | "grad-inputs"
> = {
  kind: "choice",
  default: "output",
  values: [
    "inputs",
    "scores",
    "scale",
    "mask",
    "softmax",
    "output",
    "grad-output",
    "grad-matmul",
    "grad-softmax",
    "grad-scale",
    "grad-inputs",
  ],
  about:
    "How far the computation has come: forward to the output, then backward to the gradients of Q and K.",
};

/** Columns that can be set, which are those that are shown. */
export const editableColumns = 8;

const block = (about: string): MatrixField => ({
  kind: "matrix",
  default: [[]],
  min: -1000,
  max: 1000,
  decimals: 2,
  rows: [1, tokens.max],
  columns: [0, editableColumns],
  about: `${about}, a row a token: 1,0;0,1. What is not set is random.`,
});

const query = block("The first columns of Q");
const key = block("The first columns of K");
const value = block("The first columns of V");
const gradOutput = block("The first columns of dO, the gradient that comes back to the output");

const bias: MatrixField = {
  ...block(""),
  columns: [0, tokens.max],
  about: "What the mask adds to the scores, a row a query: 0,5;0,0.",
};

/** Columns of V, O and dO. */
export const valueDim = 4;

const cells = (
  matrix: string,
  limits: Pick<CellsField, "min" | "max" | "decimals" | "columns">,
): CellsField => ({
  kind: "cells",
  default: [],
  rows: tokens.max,
  ...limits,
  about: `Numbers of ${matrix} that are set by hand, as row,column,value: 1,2,0.5. The others are computed.`,
});
const scoreLimits = { min: -1000, max: 1000, decimals: 2, columns: tokens.max };

const scores = cells("S = QK^T", scoreLimits);
const scaledScores = cells("the scaled scores", scoreLimits);
const maskedScores = cells("the masked scores Z", scoreLimits);
const weights = cells("the weights P", { min: 0, max: 1, decimals: 4, columns: tokens.max });
const output = cells("the output O", { ...scoreLimits, columns: valueDim });

export const attention = {
  seed,
  dimension,
  scale,
  tokens,
  causal,
  stage,
  query,
  key,
  value,
  gradOutput,
  bias,
  scores,
  scaledScores,
  maskedScores,
  weights,
  output,
};
