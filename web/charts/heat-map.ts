/**
 * A matrix as coloured cells, on a scale that parts at 0. Strength grows with the square root of the value, so that a
 * tenth of the full value is still seen; the sign is told by hue and, for readers who cannot, by a stroke in the cell.
 */
import { nothing, type SVGTemplateResult, svg } from "lit";
import { type Box, type LabelOptions, label } from "./drawing.ts";
import { nameSize, namesWithRoom, widest } from "./names.ts";
import type { Theme } from "./theme.ts";

export interface Cell {
  row: number;
  column: number;
}

export interface HeatMapOptions {
  /** Row-major. */
  values: ArrayLike<number>;
  rows: number;
  columns: number;
  box: Box;
  /** The size of a value that is painted in full; larger ones look alike. */
  reach: number;
  theme: Theme;
  /** A value as text, written into cells that have room for it. */
  text?: (value: number) => string;
  /** Size of that text. Where it is given, the cells are known to have room. */
  textSize?: number;
  /** What values above 0 are painted with, where they are not one end of a scale that parts at 0. */
  rise?: string;
  rowNames?: readonly string[];
  columnNames?: readonly string[];
  /** The row a reader looks at, and the cell in it. */
  row?: number;
  column?: number;
}

/** No cell is painted so strongly that ink would not be read on it. */
export const fullOpacity = 0.56;
const roomForText = 44;
const textHeight = 14;
const roomForSign = 9;

/** 0 to 1; what is not a number counts as nothing. */
export function strength(value: number, reach: number): number {
  return Math.sqrt(Math.min(1, Math.abs(value) / reach)) || 0;
}

const extent = ({ rows, columns, box }: HeatMapOptions) => ({
  width: (box.right - box.left) / Math.max(1, columns),
  height: (box.bottom - box.top) / Math.max(1, rows),
});

/** The cell under a point of the drawing, or null beside them. */
export function cellAt(options: HeatMapOptions, x: number, y: number): Cell | null {
  const { width, height } = extent(options);
  const column = Math.floor((x - options.box.left) / width);
  const row = Math.floor((y - options.box.top) / height);
  const inside = column >= 0 && row >= 0 && column < options.columns && row < options.rows;
  return inside ? { row, column } : null;
}

export function heatMap(options: HeatMapOptions): SVGTemplateResult {
  const { values, rows, columns, box, theme, rowNames = [], columnNames = [] } = options;
  const { width, height } = extent(options);
  const cells: SVGTemplateResult[] = [];
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const x = box.left + column * width;
      const y = box.top + row * height;
      cells.push(cell(values[row * columns + column] as number, { x, y, width, height }, options));
    }
  }
  return svg`<g>
    ${cells}
    <rect x=${box.left} y=${box.top} width=${box.right - box.left} height=${box.bottom - box.top} fill="none" stroke=${theme.muted} stroke-opacity="0.6"></rect>
    ${nameAll(rowNames, height, textHeight, options.row, (i) => ({ x: box.left - 8, y: box.top + (i + 0.5) * height + 4, anchor: "end" }))}
    ${nameAll(columnNames, width, widest(columnNames), options.column, (i) => ({ x: box.left + (i + 0.5) * width, y: box.top - 8, anchor: "middle" }))}
    ${options.row === undefined ? nothing : frame(options, width, height)}
  </g>`;

  function nameAll(
    names: readonly string[],
    apart: number,
    room: number,
    selected: number | undefined,
    at: (i: number) => Pick<LabelOptions, "x" | "y" | "anchor">,
  ) {
    const shown = namesWithRoom(room, apart, selected);
    const one = (name: string, i: number) => {
      const chosen = i === selected;
      const look = { fill: chosen ? theme.ink : theme.muted, weight: chosen ? 700 : 400, size: nameSize };
      return shown(i) ? label(name, { ...at(i), ...look }) : nothing;
    };
    return names.map(one);
  }
}

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

function cell(value: number, { x, y, width, height }: Place, options: HeatMapOptions): SVGTemplateResult {
  const { theme, reach } = options;
  const far = strength(value, reach);
  const paint = value < 0 ? theme.fall : (options.rise ?? theme.rise);
  const middle = { x: x + width / 2, y: y + height / 2 };
  const roomy = options.textSize !== undefined || Math.min(width * 0.95, height * 1.6) >= roomForText;
  const text = options.text && roomy ? options.text(value) : "";
  return svg`<rect x=${x} y=${y} width=${width} height=${height} fill=${paint} fill-opacity=${(fullOpacity * far).toFixed(3)}
      stroke=${theme.grid} stroke-width="1"></rect>
    ${text ? label(text, { x: middle.x, y: middle.y + 4, fill: theme.ink, anchor: "middle", size: options.textSize ?? 11.5, ...fitted(text, width) }) : nothing}
    ${!text && value < 0 && far > 0.02 && Math.min(width, height) >= roomForSign ? sign(middle, Math.min(width, height), far, theme.ink) : nothing}`;
}

/** Five characters fill a narrow cell; how wide they are depends on the font, how much room there is does not. */
function fitted(text: string, width: number): { fit?: number } {
  return text.length > 4 && width < 42 ? { fit: width - 4 } : {};
}

/** A minus, where there is no room for the number; as faint as its cell, but to be seen wherever that is. */
function sign(
  { x, y }: { x: number; y: number },
  size: number,
  far: number,
  paint: string,
): SVGTemplateResult {
  const half = Math.min(5, size / 4);
  return svg`<line x1=${x - half} x2=${x + half} y1=${y} y2=${y} stroke=${paint} stroke-opacity=${(0.25 + 0.75 * far).toFixed(3)} stroke-width="1.3"></line>`;
}

function frame(
  { row = 0, column, box, theme }: HeatMapOptions,
  width: number,
  height: number,
): SVGTemplateResult {
  const y = box.top + row * height;
  return svg`<rect x=${box.left - 1.5} y=${y - 0.5} width=${box.right - box.left + 3} height=${height + 1} fill="none" stroke=${theme.ink} stroke-width="2.5" rx="2"></rect>
    ${column === undefined ? nothing : svg`<rect x=${box.left + column * width + 2.5} y=${y + 2.5} width=${Math.max(0, width - 5)} height=${Math.max(0, height - 5)} fill="none" stroke=${theme.ink} stroke-width="1.5" stroke-dasharray="3 2"></rect>`}`;
}
