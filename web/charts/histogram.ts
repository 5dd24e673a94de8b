/** A histogram as a stepped hill, with exact or limiting curves drawn over it. */
import { line } from "d3-shape";
import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Position } from "./axis.ts";
import { dotted, type Theme } from "./theme.ts";

export interface Bins {
  low: number;
  high: number;
  /** Height of each bin, in the units of the y scale. */
  heights: ArrayLike<number>;
}

export interface Curve {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

export interface HistogramOptions {
  bins: Bins;
  x: Position;
  y: Position;
  /** Only this part of the x axis is drawn; bins beyond it are left out. */
  domain: readonly [number, number];
  paint: string;
  theme: Theme;
  dash?: string;
  exact?: Curve;
  limit?: Curve;
}

function stepPath({ bins, x, y, domain }: HistogramOptions): string {
  const width = (bins.high - bins.low) / bins.heights.length;
  const first = Math.max(0, Math.floor((domain[0] - bins.low) / width));
  const last = Math.min(bins.heights.length, Math.ceil((domain[1] - bins.low) / width));
  const clamp = (value: number) => Math.min(domain[1], Math.max(domain[0], value));
  const base = y(0).toFixed(2);
  let path = `M${x(clamp(bins.low + first * width)).toFixed(2)} ${base}`;
  for (let bin = first; bin < last; ++bin) {
    const right = x(clamp(bins.low + (bin + 1) * width)).toFixed(2);
    path += `V${y(bins.heights[bin] as number).toFixed(2)}H${right}`;
  }
  return `${path}V${base}`;
}

function curvePath(curve: Curve, { x, y, domain }: HistogramOptions): string {
  const points: [number, number][] = [];
  for (let i = 0; i < curve.x.length; ++i) {
    const at = curve.x[i] as number;
    const height = curve.y[i] as number;
    if (at >= domain[0] && at <= domain[1] && Number.isFinite(height)) points.push([x(at), y(height)]);
  }
  return line<[number, number]>().digits(2)(points) ?? "";
}

export function histogram(options: HistogramOptions): SVGTemplateResult {
  const { paint, theme, exact, limit, dash } = options;
  return svg`<g>
    <path d=${stepPath(options)} fill=${paint} fill-opacity="0.22" stroke=${paint} stroke-opacity="0.85" stroke-width="1.1" stroke-dasharray=${dash ?? nothing} stroke-linejoin="round"></path>
    ${limit ? svg`<path d=${curvePath(limit, options)} fill="none" stroke=${theme.limit} stroke-width="1.6" stroke-dasharray=${dotted} stroke-linecap="round"></path>` : nothing}
    ${exact ? svg`<path d=${curvePath(exact, options)} fill="none" stroke=${theme.theory} stroke-width="1.3"></path>` : nothing}
  </g>`;
}
