/** The Jacobian as a heat map; beside it one of its rows, and a vector before and after the product with it. */
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { nothing, type SVGTemplateResult, svg } from "lit";
import { leftAxis, type Tick } from "../charts/axis.ts";
import { type Bar, bars, slots } from "../charts/bars.ts";
import { type Box, label } from "../charts/drawing.ts";
import { heatKey } from "../charts/heat-key.ts";
import { type Cell, cellAt, type HeatMapOptions, heatMap } from "../charts/heat-map.ts";
import { widest } from "../charts/names.ts";
import { exact } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import { entryText, nudgeText } from "./jacobian-words.ts";
import { grab, ticksOf } from "./softmax-panels.ts";
import type { SoftmaxRow } from "./softmax-row.ts";
import { plain } from "./softmax-words.ts";

export interface JacobianPanelsOptions {
  row: SoftmaxRow;
  /** What J is multiplied by, and what comes back. */
  vector: readonly number[];
  product: ArrayLike<number>;
  /** The row and the column one looks at, from 0. */
  cell: Cell;
  magnify: boolean;
  /** What the axis of the vector reaches to, either way. */
  reach: number;
  grabs: boolean;
  theme: Theme;
  left: number;
  width: number;
  top: number;
}

export interface JacobianPanels {
  drawing: SVGTemplateResult;
  height: number;
  cellAt(x: number, y: number): Cell | null;
  /** The component of the vector under a point, or null. */
  componentAt(x: number, y: number): number | null;
  /** The scale of the vector. */
  y: ScaleLinear<number, number>;
}

/** No entry of J is larger: p (1 - p), and p_i p_j with p_i + p_j at most 1. */
const largestEntry = 0.25;
const axisWidth = 44;
const below = 70;
/** Below it the sentence under the map takes two lines. */
const roomForSentence = 400;

interface Boxes {
  map: Box;
  key: Box;
  row: Box;
  vector: Box;
  product: Box;
  bottom: number;
}

function boxes({ left, top, width }: JacobianPanelsOptions): Boxes {
  const wide = width >= 640;
  // On a phone the last number of the key needs room beside the map.
  const side = Math.min(430, wide ? width * 0.43 - 30 : width - 46);
  const map = { left: left + 30, right: left + 30 + side, top, bottom: top + side };
  const under = map.bottom + (side < roomForSentence ? 52 : 36);
  const key = { left: map.left, right: map.right, top: under, bottom: under + 12 };
  const from = wide ? map.right + 40 : left;
  const start = wide ? top : key.bottom + 76;
  const panel = (x: number, right: number, y: number, height: number): Box => ({
    left: x + axisWidth,
    right,
    top: y,
    bottom: y + height,
  });
  const end = left + width - 4;
  const half = (end - from - 16) / 2;
  const tall = wide ? (key.bottom - start - below) / 2 : 150;
  const row = panel(from, end, start, tall);
  const line = row.bottom + below;
  const vector = panel(from, from + half, line, tall);
  const product = panel(from + half + 16, end, line, tall);
  return { map, key, row, vector, product, bottom: Math.max(product.bottom, key.bottom) + 22 };
}

export function panels(options: JacobianPanelsOptions): JacobianPanels {
  const { top, vector, reach, row } = options;
  const place = boxes(options);
  const y = scaleLinear([-reach, reach], [place.vector.bottom, place.vector.top]);
  const map = mapOptions(options, place.map);
  const inside = ({ top: from, bottom: to }: Box, at: number) => at > from - 20 && at < to + 24;
  return {
    drawing: svg`<g>
      ${mapPanel(options, map, place)}
      ${rowPanel(options, place.row)}
      ${vectorPanel(options, place.vector, { y, values: vector, name: "g", title: "g, your own vector", grips: true })}
      ${vectorPanel(options, place.product, { y, values: options.product, name: "", title: "J g, what comes back", grips: false })}
    </g>`,
    height: place.bottom - top,
    y,
    cellAt: (atX, atY) => cellAt(map, atX, atY),
    componentAt: (atX, atY) =>
      inside(place.vector, atY) ? slots(row.weights.length, place.vector).at(atX) : null,
  };
}

function title(text: string, x: number, y: number, theme: Theme): SVGTemplateResult {
  return label(text, { x, y, fill: theme.ink, weight: 600 });
}

/** The value that is painted in full. */
function fullValue({ magnify, row }: JacobianPanelsOptions): number {
  const most = row.jacobian.reduce((best, value) => Math.max(best, Math.abs(value)), 0);
  return magnify && most > 0 ? most : largestEntry;
}

function mapOptions(options: JacobianPanelsOptions, box: Box): HeatMapOptions {
  const { row, cell, theme } = options;
  const count = row.weights.length;
  const names = (letter: string) => Array.from({ length: count }, (_, i) => `${letter}_${i + 1}`);
  return {
    values: row.jacobian,
    rows: count,
    columns: count,
    box,
    reach: fullValue(options),
    theme,
    text: entryText,
    rowNames: names("s"),
    columnNames: names("p"),
    row: cell.row,
    column: cell.column,
  };
}

function mapPanel(
  options: JacobianPanelsOptions,
  map: HeatMapOptions,
  { key, map: box }: Boxes,
): SVGTemplateResult {
  const { theme, row, cell, left } = options;
  const { reach } = map;
  const ticks: Tick[] = [-1, -0.25, 0, 0.25, 1].map((part) => ({
    at: part * reach,
    label: part === 0 ? "0" : reach === largestEntry ? plain(part * reach) : exact(part * reach, 1),
  }));
  const sentence = nudgeText(row, cell.row, cell.column);
  const lines = box.right - box.left < roomForSentence ? sentence.split(/(?<=:) /) : [sentence];
  return svg`<g>
    ${title("J = diag(p) \u2212 p p^T", left, box.top - 30, theme)}
    ${heatMap(map)}
    ${lines.map((line, i) => label(line, { x: box.left, y: box.bottom + 20 + 16 * i, fill: theme.ink, size: 12 }))}
    ${heatKey({ box: key, reach, theme, ticks })}
  </g>`;
}

const painted = (value: number, theme: Theme): Pick<Bar, "paint"> => ({
  paint: value < 0 ? theme.fall : theme.rise,
});

function rowPanel(options: JacobianPanelsOptions, box: Box): SVGTemplateResult {
  const { row, cell, theme } = options;
  const count = row.weights.length;
  const reach = fullValue(options);
  // With room for the values beyond the bars' ends.
  const y = scaleLinear([-1.2 * reach, 1.2 * reach], [box.bottom, box.top]);
  const shown = Array.from({ length: count }, (_, i) => {
    const value = row.jacobian[cell.row * count + i] as number;
    return { value, name: `p_${i + 1}`, text: entryText(value), ...painted(value, theme) };
  });
  const ticks = [-reach, 0, reach].map((at) => ({
    at,
    label: at === 0 ? "0" : reach === largestEntry ? plain(at) : exact(at, 1),
  }));
  const start = box.left - axisWidth;
  const plot = { ...box, left: start + Math.max(axisWidth, 12 + widest(ticks.map((tick) => tick.label))) };
  return svg`<g>
    ${title(`row s_${cell.row + 1}: each weight\u2019s gain per unit of s_${cell.row + 1}`, start, box.top - 30, theme)}
    ${leftAxis({ scale: y, box: plot, ticks, theme })}
    ${bars({ bars: shown, box: plot, y, paint: theme.rise, theme, selected: cell.column })}
  </g>`;
}

interface VectorPanel {
  y: ScaleLinear<number, number>;
  values: ArrayLike<number>;
  name: string;
  title: string;
  grips: boolean;
}

/** Both vectors on one scale: that the second is shorter is what there is to see. */
function vectorPanel(options: JacobianPanelsOptions, box: Box, panel: VectorPanel): SVGTemplateResult {
  const { row, theme, grabs } = options;
  const { y, values, grips } = panel;
  const shown = Array.from(row.weights, (_, i) => {
    const value = values[i] ?? 0;
    return {
      value,
      name: grips ? `g_${i + 1}` : String(i + 1),
      text: grips ? plain(value) : entryText(value),
      ...(grips ? {} : painted(value, theme)),
    };
  });
  return svg`<g>
    ${title(panel.title, box.left - axisWidth, box.top - 30, theme)}
    ${leftAxis({ scale: y, box, ticks: ticksOf(y, 4), theme })}
    ${bars({ bars: shown, box, y, paint: theme.muted, theme, grips })}
    ${grips && grabs ? shown.map((bar, i) => grab(i, y(bar.value), box, shown.length)) : nothing}
  </g>`;
}
