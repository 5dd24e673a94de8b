/** Cells that can be pointed at, walked through by key, and changed: what each of these means, without a browser. */

import { editableColumns, attention as fields } from "../state/figures/attention.ts";
import type { MatrixField } from "../state/schema.ts";
import type { CellPosition, Layout } from "./attention-layout.ts";
import { type AttentionState, entry, type Pass, type Slot, slots } from "./attention-model.ts";
import { type Direction, made, type Stage } from "./attention-stages.ts";

type Given = "query" | "key" | "value" | "gradOutput" | "bias";

/** Which field of the state a matrix comes from; null where it is computed. An edited score is what the mask adds. */
export function givenBy(slot: Slot, direction: Direction): Given | null {
  if (direction === "backward") return slot === "output" ? "gradOutput" : null;
  if (slot === "query" || slot === "key" || slot === "value") return slot;
  return slot === "masked" ? "bias" : null;
}

/** Whether the number in this cell can be set. A masked score cannot: nothing finite is below -infinity. */
export function editable(cell: CellPosition, { direction }: Stage, pass: Pass): boolean {
  return (
    givenBy(cell.slot, direction) !== null &&
    entry(pass[direction][cell.slot], cell.row, cell.column) !== Number.NEGATIVE_INFINITY
  );
}

export function limitsOf(slot: Slot, direction: Direction): MatrixField {
  return fields[givenBy(slot, direction) ?? "query"];
}

/** The state in which this cell shows `value`: its matrix is written out as far as it is shown. */
export function edited(
  cell: CellPosition,
  value: number,
  { direction }: Stage,
  pass: Pass,
): Partial<AttentionState> {
  const given = givenBy(cell.slot, direction);
  if (!given || !Number.isFinite(value)) return {};
  const { tokens, bias } = pass.source;
  const matrix = pass[direction][cell.slot];
  const columns = Math.min(matrix.columns, editableColumns);
  const block = Array.from({ length: tokens }, (_, row) =>
    Array.from({ length: columns }, (_, column) =>
      given === "bias" ? (bias[row]?.[column] ?? 0) : entry(matrix, row, column),
    ),
  );
  const added = given === "bias" ? value - entry(pass.forward.scaled, cell.row, cell.column) : value;
  (block[cell.row] as number[])[cell.column] = added;
  return { [given]: block };
}

/** Random numbers in place of all that was typed: what a new seed means. */
export const untouched: Partial<AttentionState> = {
  query: [[]],
  key: [[]],
  value: [[]],
  gradOutput: [[]],
  bias: [[]],
};

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
