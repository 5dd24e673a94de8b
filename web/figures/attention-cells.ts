/** Cells that can be pointed at, walked through by key, and changed: what each of these means, without a browser. */

import { editableColumns, attention as fields } from "../state/figures/attention.ts";
import type { CellsField, CellValue, MatrixField } from "../state/schema.ts";
import type { CellPosition, Layout } from "./attention-layout.ts";
import {
  type AttentionState,
  type Direction,
  entry,
  type Pass,
  type Slot,
  slots,
} from "./attention-model.ts";
import { made, type Stage } from "./attention-stages.ts";

type Given = "query" | "key" | "value" | "gradOutput";
type SetCells = "scores" | "scaledScores" | "maskedScores" | "weights" | "output";

/** Matrices that come in are written out as far as they are shown; of those that are computed, only the cells set by hand. */
const given: Partial<Record<Slot, Given>> = { query: "query", key: "key", value: "value" };
const computed: Partial<Record<Slot, SetCells>> = {
  raw: "scores",
  scaled: "scaledScores",
  masked: "maskedScores",
  weights: "weights",
  output: "output",
};

function fieldOf(slot: Slot, direction: Direction): Given | SetCells | null {
  if (direction === "backward") return slot === "output" ? "gradOutput" : null;
  return given[slot] ?? computed[slot] ?? null;
}

const isGiven = (name: Given | SetCells): name is Given => fields[name].kind === "matrix";

/** Whether the numbers in this place come in from outside: drawn or set, but not computed. */
export function comesIn(slot: Slot, direction: Direction): boolean {
  const name = fieldOf(slot, direction);
  return name !== null && isGiven(name);
}

/** Whether the number in this cell can be set. What the mask hides cannot: nothing finite is below -infinity. */
export function editable({ slot, row, column }: CellPosition, { direction }: Stage, pass: Pass): boolean {
  const name = fieldOf(slot, direction);
  if (name === null || column >= (isGiven(name) ? editableColumns : fields[name].columns)) return false;
  const hidden = entry(pass.forward.masked, row, Math.min(column, pass.source.tokens - 1));
  return (slot !== "masked" && slot !== "weights") || hidden !== Number.NEGATIVE_INFINITY;
}

export function limitsOf(slot: Slot, direction: Direction): MatrixField | CellsField {
  return fields[fieldOf(slot, direction) ?? "query"];
}

function block(cell: CellPosition, value: number, direction: Direction, pass: Pass): number[][] {
  const matrix = pass[direction][cell.slot];
  const columns = Math.min(matrix.columns, editableColumns);
  const rows = Array.from({ length: matrix.rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => entry(matrix, row, column)),
  );
  (rows[cell.row] as number[])[cell.column] = value;
  return rows;
}

const others = (cells: readonly CellValue[], { row, column }: CellPosition) =>
  cells.filter(([down, across]) => down !== row + 1 || across !== column + 1);

/** The state in which this cell shows `value`. */
export function edited(
  cell: CellPosition,
  value: number,
  { direction }: Stage,
  pass: Pass,
): Partial<AttentionState> {
  const name = fieldOf(cell.slot, direction);
  if (!name || !Number.isFinite(value)) return {};
  if (isGiven(name)) return { [name]: block(cell, value, direction, pass) };
  return { [name]: [...others(pass.source[name], cell), [cell.row + 1, cell.column + 1, value]] };
}

/** The state in which this cell holds what it would without the hand. */
export function undone(cell: CellPosition, { direction }: Stage, pass: Pass): Partial<AttentionState> {
  const name = fieldOf(cell.slot, direction);
  if (!name) return {};
  if (!isGiven(name)) return { [name]: others(pass.source[name], cell) };
  const drawn = pass.untouched[direction][cell.slot];
  const rows = block(cell, entry(drawn, cell.row, cell.column), direction, pass);
  const all = rows.every((row, i) => row.every((value, j) => value === entry(drawn, i, j)));
  return { [name]: all ? fields[name].default : rows };
}

export function isByHand({ slot, row, column }: CellPosition, direction: Direction, pass: Pass): boolean {
  const name = fieldOf(slot, direction);
  if (!name) return false;
  if (entry(pass[direction][slot], row, column) !== entry(pass.untouched[direction][slot], row, column))
    return true;
  // Set to what was computed anyway.
  const hidden = slot === "masked" || slot === "weights" ? entry(pass.forward.masked, row, column) : 0;
  return (
    !isGiven(name) &&
    hidden !== Number.NEGATIVE_INFINITY &&
    others(pass.source[name], { slot, row, column }).length < pass.source[name].length
  );
}

export interface HandMade extends CellPosition {
  direction: Direction;
}

/** Every cell that is set by hand. */
export function handMade(pass: Pass): HandMade[] {
  const directions: Direction[] = ["forward", "backward"];
  return directions.flatMap((direction) =>
    slots.flatMap((slot) => {
      const { rows, columns } = pass[direction][slot];
      const found: HandMade[] = [];
      for (let row = 0; row < rows; ++row)
        for (let column = 0; column < Math.min(columns, editableColumns); ++column)
          if (isByHand({ slot, row, column }, direction, pass)) found.push({ slot, row, column, direction });
      return found;
    }),
  );
}

/** Nothing set by hand: also what a new seed means. */
export const untouched: Partial<AttentionState> = Object.fromEntries(
  [...Object.values(given), "gradOutput", "bias", ...Object.values(computed)].map((name) => [
    name,
    fields[name as Given].default,
  ]),
);

/** Where an arrow key, Home or End leads inside a matrix, and Page Up and Page Down between those that are made; or null. */
export function cellAfterKey(
  key: string,
  from: CellPosition | null,
  stage: Stage,
  { places }: Layout,
): CellPosition | null {
  const ready = slots.filter((slot) => made(stage).has(slot));
  const start =
    from && ready.includes(from.slot) ? from : { slot: stage.makes[0] as Slot, row: 0, column: 0 };
  const { rows, columns } = places[start.slot];
  const row = Math.min(start.row, rows - 1);
  const column = Math.min(start.column, columns - 1);
  const inside = (nextRow: number, nextColumn: number): CellPosition => ({
    slot: start.slot,
    row: Math.min(rows - 1, Math.max(0, nextRow)),
    column: Math.min(columns - 1, Math.max(0, nextColumn)),
  });
  const other = (step: number): CellPosition => {
    const slot = ready[(ready.indexOf(start.slot) + step + ready.length) % ready.length] as Slot;
    return {
      slot,
      row: Math.min(row, places[slot].rows - 1),
      column: Math.min(column, places[slot].columns - 1),
    };
  };
  switch (key) {
    case "ArrowUp":
      return inside(row - 1, column);
    case "ArrowDown":
      return inside(row + 1, column);
    case "ArrowLeft":
      return inside(row, column - 1);
    case "ArrowRight":
      return inside(row, column + 1);
    case "Home":
      return inside(row, 0);
    case "End":
      return inside(row, columns - 1);
    case "PageUp":
      return other(-1);
    case "PageDown":
      return other(1);
    default:
      return null;
  }
}
