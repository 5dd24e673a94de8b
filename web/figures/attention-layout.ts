/**
 * Where the matrices and blocks of the diagram stand. Wide: the scores in a row to the right of Q and K, then down
 * through softmax to the output. Narrow: one below the other, two to a row where they fit.
 */
import { valueDim } from "../state/figures/attention.ts";
import type { Slot } from "./attention-model.ts";

export interface Place {
  x: number;
  y: number;
  rows: number;
  /** Columns that are shown; the matrix may have more. */
  columns: number;
}

/** A block works on one matrix, or on two, and makes one. */
export interface Block {
  operation: "matmul" | "scale" | "mask" | "softmax" | "weigh";
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Link {
  /** Corners of the way from one matrix to the block, or on from it, in the forward direction. */
  points: readonly (readonly [number, number])[];
  /** The matrices it leads from and to, with a block between them or not. */
  from: Slot;
  into: Slot;
}

export interface Layout {
  places: Record<Slot, Place>;
  blocks: readonly Block[];
  links: readonly Link[];
  cell: { width: number; height: number };
  height: number;
  wide: boolean;
}

export interface LayoutOptions {
  width: number;
  tokens: number;
  dimension: number;
  /** The most columns of Q and K that are shown. */
  columns: number;
}

/** Above every matrix: its name and shape, its variance and largest value. */
export const headHeight = 36;
const cellHeight = 25;
const smallestCell = 34;
const largestCell = 48;
const blockHeight = 34;
/** Between two matrices of a row, at least. */
export const gutter = 12;

export function layout(options: LayoutOptions): Layout {
  return wideLayout(options) ?? stackedLayout(options);
}

function wideLayout({ width, tokens, dimension, columns }: LayoutOptions): Layout | null {
  const most = Math.min(dimension, columns);
  const narrowest = width < 860 ? 58 : 68;
  // Q or V, two columns of scores, and the masked scores with the output below them.
  const cells = (shown: number) => Math.max(shown, valueDim) + 2 * tokens + Math.max(tokens, valueDim);
  const cellFor = (shown: number) => Math.floor((width - 3 * narrowest) / cells(shown));
  let shown = most;
  while (shown > 4 && cellFor(shown) < smallestCell + 3) --shown;
  const cellWidth = Math.min(largestCell, cellFor(shown));
  if (cellWidth < smallestCell) return null;
  // What is left over goes between the matrices.
  const gap = Math.floor((width - cells(shown) * cellWidth) / 3);

  const square = tokens * cellWidth;
  const inputs = Math.max(shown, valueDim) * cellWidth;
  const body = tokens * cellHeight;
  const step = headHeight + body + 20;
  const first = inputs + gap;
  const [second, third] = [first + square + gap, first + 2 * (square + gap)];
  const middle = step / 2;
  const last = 2 * step + 24;
  const place = (x: number, y: number, count: number): Place => ({ x, y, rows: tokens, columns: count });
  const places: Record<Slot, Place> = {
    query: place(inputs - shown * cellWidth, 0, shown),
    key: place(inputs - shown * cellWidth, step, shown),
    value: place(inputs - valueDim * cellWidth, last, valueDim),
    raw: place(first, middle, tokens),
    scaled: place(second, middle, tokens),
    masked: place(third, middle, tokens),
    weights: place(first, last, tokens),
    output: place(third, last, valueDim),
  };
  const line = (name: Slot) => places[name].y + headHeight + body / 2;
  // Arrows are what is left on either side.
  const blockWidth = Math.min(64, gap - 10);
  const block = (operation: Block["operation"], x: number, y: number, wide = blockWidth): Block => ({
    operation,
    x: x - wide / 2,
    y: y - blockHeight / 2,
    width: wide,
    height: blockHeight,
  });
  const half = gap / 2;
  const chain = line("raw");
  const [matmulX, scaleX, maskX] = [inputs + half, second - half, third - half];
  const softmaxX = second + square / 2;
  const softmaxY = middle + headHeight + body + 38;
  const weighX = softmaxX;
  const weighY = line("weights");
  const edge = blockWidth / 2;
  const rise = blockHeight / 2;
  const under = last + headHeight + body + 16;
  const link = (from: Slot, into: Slot, ...points: [number, number][]): Link => ({ points, from, into });
  const valueX = inputs - (valueDim * cellWidth) / 2;
  const softmaxEdge = 36;
  const links = [
    link("query", "raw", [inputs, line("query")], [matmulX, line("query")], [matmulX, chain - rise]),
    link("key", "raw", [inputs, line("key")], [matmulX, line("key")], [matmulX, chain + rise]),
    link("query", "raw", [matmulX + edge, chain], [first, chain]),
    link("raw", "scaled", [first + square, chain], [scaleX - edge, chain]),
    link("raw", "scaled", [scaleX + edge, chain], [second, chain]),
    link("scaled", "masked", [second + square, chain], [maskX - edge, chain]),
    link("scaled", "masked", [maskX + edge, chain], [third, chain]),
    link(
      "masked",
      "weights",
      [third + square / 2, middle + headHeight + body],
      [third + square / 2, softmaxY],
      [softmaxX + softmaxEdge, softmaxY],
    ),
    link(
      "masked",
      "weights",
      [softmaxX - softmaxEdge, softmaxY],
      [first + square / 2, softmaxY],
      [first + square / 2, last - 2],
    ),
    link("weights", "output", [first + square, weighY], [weighX - softmaxEdge, weighY]),
    link(
      "value",
      "output",
      [valueX, last + headHeight + body],
      [valueX, under],
      [weighX, under],
      [weighX, weighY + rise],
    ),
    link("weights", "output", [weighX + softmaxEdge, weighY], [third, weighY]),
  ];
  return {
    places,
    blocks: [
      block("matmul", matmulX, chain),
      block("scale", scaleX, chain),
      block("mask", maskX, chain),
      block("softmax", softmaxX, softmaxY, 2 * softmaxEdge),
      block("weigh", weighX, weighY, 2 * softmaxEdge),
    ],
    links,
    cell: { width: cellWidth, height: cellHeight },
    height: under + 10,
    wide: true,
  };
}

function stackedLayout({ width, tokens, dimension, columns }: LayoutOptions): Layout {
  const shown = Math.max(1, Math.min(dimension, columns, Math.floor(width / 30)));
  const pairCell = Math.floor((width - gutter) / (2 * Math.max(tokens, valueDim)));
  const pairs = pairCell >= 29;
  const cellWidth = Math.min(
    largestCell,
    Math.floor(width / Math.max(shown, valueDim, tokens)),
    pairs ? pairCell : largestCell,
  );
  const body = tokens * cellHeight;
  const both = pairs && 2 * shown * cellWidth + gutter <= width;
  const rows: Slot[][] = pairs
    ? [
        ...(both ? [["query", "key"] as Slot[]] : [["query"] as Slot[], ["key"] as Slot[]]),
        ["raw", "scaled"],
        ["masked", "weights"],
        ["value", "output"],
      ]
    : [["query"], ["key"], ["raw"], ["scaled"], ["masked"], ["weights"], ["value"], ["output"]];
  const places: Partial<Record<Slot, Place>> = {};
  const step = headHeight + body + 22;
  rows.forEach((row, at) => {
    row.forEach((slot, side) => {
      const own =
        slot === "query" || slot === "key"
          ? shown
          : slot === "value" || slot === "output"
            ? valueDim
            : tokens;
      places[slot] = {
        x: side === 0 ? 0 : Math.ceil((width + gutter) / 2),
        y: at * step,
        rows: tokens,
        columns: own,
      };
    });
  });
  return {
    places: places as Record<Slot, Place>,
    blocks: [],
    links: [],
    cell: { width: cellWidth, height: cellHeight },
    height: rows.length * step,
    wide: false,
  };
}

export interface CellPosition {
  slot: Slot;
  row: number;
  column: number;
}

/** The cell under a point of the diagram, or null between the matrices. */
export function cellAt({ places, cell }: Layout, x: number, y: number): CellPosition | null {
  for (const [slot, place] of Object.entries(places) as [Slot, Place][]) {
    const column = Math.floor((x - place.x) / cell.width);
    const row = Math.floor((y - place.y - headHeight) / cell.height);
    if (row >= 0 && column >= 0 && row < place.rows && column < place.columns) return { slot, row, column };
  }
  return null;
}
