/** The weights of one row, largest first, in both arms: how steeply softmax drops off. */
import { scaleLog } from "d3-scale";
import { type SVGTemplateResult, svg } from "lit";
import { bottomAxis, leftAxis, type Tick } from "../charts/axis.ts";
import { type Box, label } from "../charts/drawing.ts";
import { lineWithBand, type Point, spot } from "../charts/line.ts";
import { superscript } from "../charts/numbers.ts";
import { dashed, dotted, type Theme } from "../charts/theme.ts";
import type { SingleRow } from "./gradient-model.ts";

export interface RowPanelOptions {
  single: SingleRow | null;
  keys: number;
  box: Box;
  theme: Theme;
}

/** Weights below it end the line: a millionth of a millionth is nothing to any learner. */
const floor = 1e-12;
/** So many marks can still be told apart. */
const mostMarks = 64;

export function sorted(weights: Float64Array): Float64Array {
  return weights.slice().sort().reverse();
}

export function rowPanel({ single, keys, box, theme }: RowPanelOptions): SVGTemplateResult {
  const x = scaleLog([1, keys], [box.left + 8, box.right - 8]);
  const y = scaleLog([floor, 1.8], [box.bottom, box.top]).clamp(true);
  const ticks: Tick[] = [0, -3, -6, -9, -12].map((exponent) => ({
    at: 10 ** exponent,
    label: exponent === 0 ? "1" : `10${superscript(exponent)}`,
  }));
  const ranks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].filter((rank) => rank <= keys);
  const narrow = box.right - box.left < 380;
  const shown = narrow && ranks.length > 6 ? ranks.filter((_, i) => i % 2 === 0) : ranks;
  const even = [1, keys].map((rank) => ({ x: rank, y: 1 / keys }));
  return svg`<g>
    ${label("one row: its weights, largest first", { x: box.left - 44, y: box.top - 32, fill: theme.ink, weight: 600 })}
    ${leftAxis({ scale: y, box, ticks, theme })}
    ${bottomAxis({ scale: x, box, ticks: shown.map((at) => ({ at, label: String(at) })), theme, title: "rank of the key" })}
    ${lineWithBand({ points: even, x, y, paint: theme.limit, theme, width: 1.6, dash: dotted })}
    ${single ? [arm(single, "raw"), arm(single, "scaled")] : ""}
    ${label("all alike: 1/n", { x: box.right - 8, y: y(1 / keys) - 8, fill: theme.muted, size: 11.5, anchor: "end", halo: theme.paper })}
  </g>`;

  function arm(row: SingleRow, name: "raw" | "scaled"): SVGTemplateResult {
    const weights = sorted(row[name].probabilities);
    const within = weights.findIndex((weight) => weight < floor);
    // The line ends where it leaves the panel: along the floor there are no weights.
    const count = within < 0 ? weights.length : within + 1;
    const points: Point[] = Array.from({ length: count }, (_, i) => ({
      x: i + 1,
      y: Math.max(weights[i] as number, floor),
    }));
    const last = within < 0 ? points.length : within;
    const paint = theme[name];
    return svg`${lineWithBand({ points, x, y, paint, theme, width: 2.4, ...(name === "raw" && { dash: dashed }) })}
      ${last <= mostMarks ? points.slice(0, last).map((point) => spot({ cx: x(point.x), cy: y(point.y), paint, theme, mark: "dot" })) : ""}`;
  }
}
