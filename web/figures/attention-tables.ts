/** The matrices as tables: those of one stage for reading, all of them for a file. */

import { editableColumns } from "../state/figures/attention.ts";
import type { Table } from "./actions.ts";
import { isByHand } from "./attention-cells.ts";
import { type Direction, type Matrix, type Pass, slots, summarise } from "./attention-model.ts";
import { plainName, type Stage } from "./attention-stages.ts";
import { handCount } from "./attention-words.ts";

const shown = (value: number) => (value === Number.NEGATIVE_INFINITY ? "\u2212\u221e" : value);

function rowsOf(name: string, { values, rows, columns }: Matrix, most: number): (string | number)[][] {
  return Array.from({ length: rows }, (_, row) => [
    `${name}, row ${row + 1}`,
    ...Array.from({ length: Math.min(columns, most) }, (_, column) =>
      shown(values[row * columns + column] as number),
    ),
  ]);
}

const blank = (rows: (string | number)[][], width: number) =>
  rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => "")]);

function named(stage: Stage, pass: Pass): [string, Matrix][] {
  return stage.makes.map((slot) => [plainName(slot, stage.direction), pass[stage.direction][slot]]);
}

export function stageTable(stage: Stage, pass: Pass): Table {
  const matrices = named(stage, pass);
  const rows = matrices.flatMap(([name, matrix]) => rowsOf(name, matrix, editableColumns));
  const width = Math.max(...rows.map((row) => row.length));
  const shapes = matrices.map(([name, matrix]) => {
    const { variance, largest } = summarise(matrix);
    const cut = matrix.columns > editableColumns ? `, the first ${editableColumns} columns` : "";
    return `${name}, ${matrix.rows} by ${matrix.columns}${cut}: variance ${Number(variance.toPrecision(3))}, largest ${Number(largest.toPrecision(3))}`;
  });
  return {
    caption: `${stage.title}. ${shapes.join("; ")}.${handCount(pass)}`,
    header: ["row", ...Array.from({ length: width - 1 }, (_, i) => `column ${i + 1}`)],
    rows: blank(rows, width),
  };
}

/** One value a line, so that matrices of every width go into one file. */
export function passTable(pass: Pass): Table {
  const directions: Direction[] = ["forward", "backward"];
  const { dimension, scale, causal, seed } = pass.source;
  return {
    caption: `d_k = ${dimension}, scale ${scale}, ${causal ? "causal" : "no"} mask, seed ${seed}.${handCount(pass)}`,
    header: ["matrix", "row", "column", "value", "set by hand"],
    rows: directions.flatMap((direction) =>
      slots.flatMap((slot) => {
        const { values, columns } = pass[direction][slot];
        const name = plainName(slot, direction);
        return Array.from(values, (value, at) => {
          const [row, column] = [Math.floor(at / columns), at % columns];
          return [name, row + 1, column + 1, value, Number(isByHand({ slot, row, column }, direction, pass))];
        });
      }),
    ),
  };
}
