/** The gradient figure's numbers as tables: means over rows, and the weights of one. */
import type { GradientRow } from "../core/types.ts";
import type { Table } from "./actions.ts";
import type { GradientModel, GradientSource, SingleRow } from "./gradient-model.ts";
import { sorted } from "./gradient-row-panel.ts";

const columns: readonly [name: string, value: (row: GradientRow) => number | string][] = [
  ["rows", (row) => row.trials],
  ["1 - sum p^2", (row) => row.jacobianTrace.mean],
  ["std. error", (row) => row.jacobianTrace.standardError],
  ["exact", (row) => row.theory?.jacobianTrace ?? ""],
  ["largest weight", (row) => row.maxProbability.mean],
  ["std. error", (row) => row.maxProbability.standardError],
  ["exact", (row) => row.theory?.maxProbability ?? ""],
  ["entropy, nats", (row) => row.entropy.mean],
  ["std. error", (row) => row.entropy.standardError],
  ["exact", (row) => row.theory?.entropy ?? ""],
  ["|J|_F median", (row) => row.jacobianFrobenius.median],
  ["std. error", (row) => row.jacobianFrobenius.medianStandardError],
  ["share of |J|_F < 0.001", (row) => row.deadRows.mean],
  ["share of weights 0 in float32", (row) => row.exactZeros.mean],
  ["share of rows that print 1", (row) => row.printsOne.mean],
  ["|dL/dq| mean", (row) => row.gradQueryNorm.mean],
  ["std. error", (row) => row.gradQueryNorm.standardError],
  ["|dL/dq| median", (row) => row.gradQueryNorm.median],
  ["std. error", (row) => row.gradQueryNorm.medianStandardError],
  ["|dL/dq| root mean square", (row) => row.gradQueryNorm.rms],
  ["std. error", (row) => row.gradQueryNorm.rmsStandardError],
  ["exact", (row) => row.theoryRms?.gradQueryNorm ?? ""],
];

export function gradientTable({ source, sweep, chosen }: GradientModel): Table {
  const all = chosen ? [...sweep, chosen] : sweep;
  const row = (dimension: number, name: string, arm: GradientRow) => [
    dimension,
    name,
    ...columns.map(([, value]) => value(arm)),
  ];
  return {
    caption:
      source && chosen
        ? `Softmax of ${source.keys} scores, seed ${source.seed}. The last two rows are d_k = ${chosen.dimension}, measured apart.`
        : "No rows yet.",
    header: ["d_k", "arm", ...columns.map(([name]) => name)],
    rows: all.flatMap((pair) => [
      row(pair.dimension, "unscaled", pair.raw),
      row(pair.dimension, "divided", pair.scaled),
    ]),
  };
}

export function rowTable({ dimension, row, raw, scaled }: SingleRow, { keys, seed }: GradientSource): Table {
  const [unscaled, divided] = [sorted(raw.probabilities), sorted(scaled.probabilities)];
  return {
    caption: `Row ${row + 1} of ${keys} keys, d_k = ${dimension}, seed ${seed}: its weights, largest first.`,
    header: ["rank", "unscaled", "divided"],
    rows: Array.from({ length: keys }, (_, i) => [i + 1, unscaled[i] as number, divided[i] as number]),
  };
}
