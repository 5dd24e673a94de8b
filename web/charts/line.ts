/** A line with its error band and marks. Points are joined straight: nothing is drawn that was not computed. */
import { area, line } from "d3-shape";
import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Position } from "./axis.ts";
import type { Theme } from "./theme.ts";

export interface Point {
  x: number;
  y: number;
  /** The band; absent where the value is exact. */
  low?: number;
  high?: number;
}

export type Mark = "none" | "dot" | "hollow" | "hollow-square";

export interface LineOptions {
  points: readonly Point[];
  x: Position;
  y: Position;
  paint: string;
  theme: Theme;
  width?: number;
  dash?: string;
  mark?: Mark;
  band?: boolean;
}

export function lineWithBand(options: LineOptions): SVGTemplateResult {
  const { points, x, y, paint, theme, width = 2, dash, mark = "none", band = true } = options;
  const banded = band ? points.filter((point) => point.low !== undefined && point.high !== undefined) : [];
  const ribbon = area<Point>()
    .x((point) => x(point.x))
    .y0((point) => y(point.low as number))
    .y1((point) => y(point.high as number))(banded as Point[]);
  const path = line<Point>()
    .x((point) => x(point.x))
    .y((point) => y(point.y))(points as Point[]);
  return svg`<g>
    ${ribbon ? svg`<path d=${ribbon} fill=${paint} fill-opacity="0.2"></path>` : nothing}
    ${width > 0 && path ? svg`<path d=${path} fill="none" stroke=${paint} stroke-width=${width} stroke-linejoin="round" stroke-dasharray=${dash ?? nothing}></path>` : nothing}
    ${mark === "none" ? nothing : points.map((point) => spot({ cx: x(point.x), cy: y(point.y), paint, theme, mark }))}
  </g>`;
}

export interface SpotOptions {
  cx: number;
  cy: number;
  paint: string;
  theme: Theme;
  mark: Mark;
  radius?: number;
}

/** One mark: filled, or hollow with paper inside. */
export function spot({ cx, cy, paint, theme, mark, radius = 3.2 }: SpotOptions): SVGTemplateResult {
  if (mark === "hollow-square") {
    return svg`<rect x=${cx - radius} y=${cy - radius} width=${2 * radius} height=${2 * radius} fill=${theme.paper} stroke=${paint} stroke-width="1.6"></rect>`;
  }
  const hollow = mark === "hollow";
  return svg`<circle cx=${cx} cy=${cy} r=${radius} fill=${hollow ? theme.paper : paint} stroke=${hollow ? paint : theme.paper} stroke-width="1.6"></circle>`;
}
