/** Passes of the attention figure, and the same in plain doubles. */
import assert from "node:assert/strict";
import { load } from "sqrtdk";
import {
  type AttentionState,
  attentionPass,
  Inputs,
  type Matrix,
  type Pass,
  slots,
} from "../../web/figures/attention-model.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { type CellValue, defaults } from "../../web/state/schema.ts";

export const core = await load();
export const defaultState = defaults(figureSchemas.attention);
export const passOf = (some: Partial<AttentionState> = {}): Pass => {
  const state = { ...defaultState, ...some };
  return attentionPass(core, new Inputs(core, state.seed), state);
};

export type Rows = number[][];
export const rowsOf = ({ rows, columns, values }: Matrix): Rows =>
  Array.from({ length: rows }, (_, row) => [...values.subarray(row * columns, (row + 1) * columns)]);
const transposed = (m: Rows): Rows => (m[0] as number[]).map((_, j) => m.map((row) => row[j] as number));
const product = (a: Rows, b: Rows): Rows =>
  a.map((row) =>
    transposed(b).map((column) => row.reduce((sum, x, i) => sum + x * (column[i] as number), 0)),
  );

const withCells = (m: Rows, cells: readonly CellValue[]): Rows =>
  m.map((row, i) =>
    row.map((x, j) => cells.find(([down, across]) => down === i + 1 && across === j + 1)?.[2] ?? x),
  );

/** The formula of the paper and its derivative, as one writes it down, from numbers set by hand on with these. */
export function reference({ forward, backward, source }: Pass) {
  const [q, k, v, dO] = [forward.query, forward.key, forward.value, backward.output].map(rowsOf) as [
    Rows,
    Rows,
    Rows,
    Rows,
  ];
  const c = source.scale === "rsqrt" ? 1 / Math.sqrt(source.dimension) : 1;
  const raw = withCells(product(q, transposed(k)), source.scores);
  const scaled = withCells(
    raw.map((row) => row.map((s) => c * s)),
    source.scaledScores,
  );
  const hidden = (i: number, j: number) => source.causal && j > i;
  const shown = (cells: readonly CellValue[]) =>
    cells.filter(([row, column]) => !hidden(row - 1, column - 1));
  const masked = withCells(
    scaled.map((row, i) =>
      row.map((s, j) => (hidden(i, j) ? Number.NEGATIVE_INFINITY : s + (source.bias[i]?.[j] ?? 0))),
    ),
    shown(source.maskedScores),
  );
  const softmax = masked.map((row) => {
    const largest = Math.max(...row);
    const powers = row.map((z) => Math.exp(z - largest));
    const total = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / total);
  });
  const weights = withCells(softmax, shown(source.weights));
  const dP = product(dO, transposed(v));
  const dZ = weights.map((row, i) => {
    const mean = row.reduce((sum, p, j) => sum + p * (dP[i]?.[j] as number), 0);
    return row.map((p, j) => p * ((dP[i]?.[j] as number) - mean));
  });
  const dS = dZ.map((row) => row.map((z) => c * z));
  return {
    forward: {
      query: q,
      key: k,
      value: v,
      raw,
      scaled,
      masked,
      weights,
      output: withCells(product(weights, v), source.output),
    },
    backward: {
      query: product(dS, k),
      key: product(transposed(dS), q),
      value: product(transposed(weights), dO),
      raw: dS,
      scaled: dZ,
      masked: dZ,
      weights: dP,
      output: dO,
    },
  };
}

/** Every matrix of the pass against the reference. */
export function assertRight(pass: Pass, what: string): void {
  const right = reference(pass);
  for (const direction of ["forward", "backward"] as const)
    for (const slot of slots) {
      const ours = rowsOf(pass[direction][slot]).flat();
      const theirs = right[direction][slot].flat();
      assert.equal(ours.length, theirs.length);
      const size = Math.max(...theirs.filter(Number.isFinite).map(Math.abs));
      // float32 sums of up to 4096 products, and unscaled scores of size 70 in an exponent: 70 * 2^-24 * some.
      for (const [i, value] of ours.entries()) {
        const named = `${direction} ${slot}[${i}] at ${what}: ${value}, not ${theirs[i]}`;
        if (theirs[i] === Number.NEGATIVE_INFINITY) assert.equal(value, theirs[i], named);
        else assert.ok(Math.abs(value - (theirs[i] as number)) <= 3e-5 * Math.max(size, 1e-6), named);
      }
    }
}
