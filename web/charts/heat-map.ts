/**
 * A matrix as coloured cells, on a scale that parts at 0. Strength grows with the square root of the value, so that a
 * tenth of the full value is still seen; the sign is told by hue and, for readers who cannot, by a stroke in the cell.
 */
import { nothing, type SVGTemplateResult, svg } from "lit";
import { type Box, label } from "./drawing.ts";
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
  const weight = (on: boolean) => (on ? 700 : 400);
  const fill = (on: boolean) => (on ? theme.ink : theme.muted);
  return svg`<g>
    ${cells}
    <rect x=${box.left} y=${box.top} width=${box.right - box.left} height=${box.bottom - box.top} fill="none" stroke=${theme.muted} stroke-opacity="0.6"></rect>
    ${rowNames.map((name, i) => label(name, { x: box.left - 8, y: box.top + (i + 0.5) * height + 4, fill: fill(i === options.row), weight: weight(i === options.row), anchor: "end", size: 11.5 }))}
    ${columnNames.map((name, i) => label(name, { x: box.left + (i + 0.5) * width, y: box.top - 8, fill: fill(i === options.column), weight: weight(i === options.column), anchor: "middle", size: 11.5 }))}
    ${options.row === undefined ? nothing : frame(options, width, height)}
  </g>`;
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
    ${text ? label(text, { x: middle.x, y: middle.y + 4, fill: theme.ink, anchor: "middle", size: options.textSize ?? 11.5 }) : nothing}
    ${!text && value < 0 && far > 0.02 && Math.min(width, height) >= roomForSign ? sign(middle, Math.min(width, height), theme.ink) : nothing}`;
}

/** A minus, where there is no room for the number. */
function sign({ x, y }: { x: number; y: number }, size: number, paint: string): SVGTemplateResult {
  const half = Math.min(5, size / 4);
  return svg`<line x1=${x - half} x2=${x + half} y1=${y} y2=${y} stroke=${paint} stroke-width="1.3"></line>`;
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

export interface HeatKeyOptions {
  box: Box;
  reach: number;
  theme: Theme;
  /** Values named below the strip, as text. */
  ticks: readonly { at: number; label: string }[];
}

const steps = 40;

/** The strip that says which colour means which value, from -reach to reach. */
export function heatKey({ box, reach, theme, ticks }: HeatKeyOptions): SVGTemplateResult {
  const x = (value: number) => box.left + ((value / reach + 1) / 2) * (box.right - box.left);
  const width = (box.right - box.left) / steps;
  const shades = Array.from({ length: steps }, (_, i) => {
    const value = reach * ((2 * (i + 0.5)) / steps - 1);
    return svg`<rect x=${box.left + i * width} y=${box.top} width=${width} height=${box.bottom - box.top} shape-rendering="crispEdges"
      fill=${value < 0 ? theme.fall : theme.rise} fill-opacity=${(fullOpacity * strength(value, reach)).toFixed(3)}></rect>`;
  });
  return svg`<g>${shades}
    <rect x=${box.left} y=${box.top} width=${box.right - box.left} height=${box.bottom - box.top} fill="none" stroke=${theme.muted} stroke-opacity="0.6"></rect>
    ${ticks.map(
      (
        tick,
      ) => svg`<line x1=${x(tick.at)} x2=${x(tick.at)} y1=${box.bottom} y2=${box.bottom + 4} stroke=${theme.muted}></line>
      ${label(tick.label, { x: x(tick.at), y: box.bottom + 16, fill: theme.muted, anchor: "middle", size: 11 })}`,
    )}
  </g>`;
}
