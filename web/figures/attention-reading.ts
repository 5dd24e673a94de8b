/** Where a number of the diagram comes from, in one line of arithmetic with the numbers put in. */
import { exact } from "../charts/numbers.ts";
import { isByHand } from "./attention-cells.ts";
import type { CellPosition } from "./attention-layout.ts";
import { type Direction, entry, type Matrix, type Pass } from "./attention-model.ts";
import { plainName } from "./attention-stages.ts";

/** Products written out before the rest is only counted. */
const written = 3;

/** Without zeros at its end: what comes in has two decimals at most. */
const plain = (value: number, digits = 3) =>
  exact(value, digits)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

const number = (value: number) => (value < 0 ? `(${plain(value)})` : plain(value));

function sumOfProducts(count: number, left: (i: number) => number, right: (i: number) => number): string {
  const terms = Array.from(
    { length: Math.min(count, written) },
    (_, i) => `${number(left(i))}\u00b7${number(right(i))}`,
  );
  const rest = count - terms.length;
  return `${terms.join(" + ")}${rest > 0 ? ` + \u2026 (${rest} more)` : ""}`;
}

/** "S, query 2, key 3": rows and columns are counted from 1. */
export function cellName({ slot, row, column }: CellPosition, direction: Direction): string {
  const scores = slot === "raw" || slot === "scaled" || slot === "masked" || slot === "weights";
  const places = scores ? `query ${row + 1}, key ${column + 1}` : `token ${row + 1}, component ${column + 1}`;
  return `${plainName(slot, direction)}, ${places}`;
}

const row = (matrix: Matrix, at: number) => (i: number) => entry(matrix, at, i);
const column = (matrix: Matrix, at: number) => (i: number) => entry(matrix, i, at);

const exponential = (score: number) => `exp(${plain(score, 3)})`;

const attended = (scores: Matrix, at: number) =>
  [...scores.values.subarray(at * scores.columns, (at + 1) * scores.columns)].filter(
    (score) => score > Number.NEGATIVE_INFINITY,
  );

/** What stands between "=" and the value; empty where the value is given. */
function forwardSteps(
  { slot, row: i, column: j }: CellPosition,
  { forward: f, source, factor }: Pass,
): string {
  switch (slot) {
    case "raw":
      return `q${i + 1}\u00b7k${j + 1} = ${sumOfProducts(source.dimension, row(f.query, i), row(f.key, j))}`;
    case "scaled":
      return factor === 1 && source.scale === "none"
        ? "the score as it is: the scale is off"
        : `${plain(entry(f.raw, i, j), 4)} / \u221a${source.dimension} = ${plain(entry(f.raw, i, j), 4)} / ${plain(1 / factor, 4)}`;
    case "masked": {
      if (entry(f.masked, i, j) === Number.NEGATIVE_INFINITY)
        return `key ${j + 1} comes after query ${i + 1}`;
      const added = source.bias[i]?.[j] ?? 0;
      const score = plain(entry(f.scaled, i, j), 4);
      return added === 0
        ? `${score}: the mask lets it pass`
        : `${score} + ${number(added)}, added by the mask`;
    }
    case "weights":
      return entry(f.masked, i, j) === Number.NEGATIVE_INFINITY
        ? "a masked key gets nothing"
        : `${exponential(entry(f.masked, i, j))} / (${attended(f.masked, i).map(exponential).join(" + ")})`;
    case "output":
      return sumOfProducts(source.tokens, row(f.weights, i), column(f.value, j));
    default:
      return "";
  }
}

function backwardSteps(
  { slot, row: i, column: j }: CellPosition,
  { forward: f, backward: b, source }: Pass,
): string {
  const divided = source.scale === "rsqrt" ? ` / \u221a${source.dimension}` : "";
  const { tokens } = source;
  switch (slot) {
    case "value":
      return sumOfProducts(tokens, column(f.weights, i), column(b.output, j));
    case "weights":
      return `do${i + 1}\u00b7v${j + 1} = ${sumOfProducts(f.value.columns, row(b.output, i), row(f.value, j))}`;
    case "masked": {
      let mean = 0;
      for (let k = 0; k < tokens; ++k) mean += entry(f.weights, i, k) * entry(b.weights, i, k);
      const [p, dp] = [entry(f.weights, i, j), entry(b.weights, i, j)];
      return `p (dp \u2212 mean) = ${plain(p, 3)} (${plain(dp, 3)} \u2212 ${number(mean)}), the mean of row ${i + 1} of dP by its weights`;
    }
    case "scaled":
      return "handed on by the mask";
    case "raw":
      return `${number(entry(b.scaled, i, j))}${divided || ", as the scale is off"}`;
    case "query":
      return sumOfProducts(tokens, row(b.raw, i), column(f.key, j));
    case "key":
      return sumOfProducts(tokens, column(b.raw, i), column(f.query, j));
    default:
      return "";
  }
}

export interface Reading {
  name: string;
  /** The value as text. */
  value: string;
  /** How it comes about, or that it is given. */
  steps: string;
  byHand: boolean;
}

export function reading(cell: CellPosition, direction: Direction, pass: Pass): Reading {
  const steps = direction === "forward" ? forwardSteps(cell, pass) : backwardSteps(cell, pass);
  const byHand = isByHand(cell, direction, pass);
  const value = (matrices: Pass["forward"]) => plain(entry(matrices[cell.slot], cell.row, cell.column), 4);
  const before = value(pass.untouched[direction]);
  const hand = `set by hand; ${steps ? `computed: ${before} = ${steps}` : `drawn: ${before}`}`;
  return {
    name: cellName(cell, direction),
    value: value(pass[direction]),
    steps: byHand ? hand : steps || "drawn from N(0, 1), rounded to hundredths",
    byHand,
  };
}
