/**
 * A fan: many paths that start together, thinned to what the width can show and bundled into a few <path> elements, so
 * that hundreds of them are redrawn within a frame. Where paths of different bundles cross, their paint adds up.
 */
import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Position } from "./axis.ts";

export interface FanOptions {
  /** How many paths there are. */
  count: number;
  /** Where along x every path has a point, ascending. */
  positions: ArrayLike<number>;
  /** Height of a path at a position, in the units of the y scale. */
  value: (path: number, position: number) => number;
  x: Position;
  y: Position;
  paint: string;
  opacity?: number;
  width?: number;
  dash?: string;
  bundles?: number;
}

/** Coordinates are whole tenths of a pixel: twice as quick to write as decimals, and half as long. */
const unit = 10;

export function fan(options: FanOptions): SVGTemplateResult {
  const { count, positions, value, x, y, paint, opacity = 0.3, width = 1, dash, bundles = 8 } = options;
  const across = Int32Array.from(positions, (position) => Math.round(unit * x(position)));
  const paths: string[] = new Array(Math.min(bundles, count)).fill("");
  for (let path = 0; path < count; ++path) {
    let left = across[0] as number;
    let up = Math.round(unit * y(value(path, positions[0] as number)));
    let line = `M${left} ${up}l`;
    for (let i = 1; i < across.length; ++i) {
      const nextLeft = across[i] as number;
      const nextUp = Math.round(unit * y(value(path, positions[i] as number)));
      line += `${nextLeft - left} ${nextUp - up} `;
      left = nextLeft;
      up = nextUp;
    }
    // A lone point draws nothing, and "l" without numbers is no path.
    if (across.length > 1) paths[path % paths.length] += line;
  }
  const dashes = dash?.replace(/[\d.]+/g, (length) => String(unit * Number(length)));
  return svg`<g transform="scale(${1 / unit})" fill="none" stroke=${paint} stroke-opacity=${opacity} stroke-width=${unit * width}
    stroke-linejoin="round" stroke-dasharray=${dashes ?? nothing}>${paths.map((d) => svg`<path d=${d}></path>`)}</g>`;
}

/**
 * At most `most` + 1 positions from 0 to `end`, both included. Between them they are multiples of one power of two, so
 * that a path whose end moves keeps the points it has and does not shimmer.
 */
export function thinned(end: number, most: number): number[] {
  const stride = 2 ** Math.max(0, Math.ceil(Math.log2(end / most)));
  const positions: number[] = [];
  for (let at = 0; at < end; at += stride) positions.push(at);
  positions.push(end);
  return positions;
}

export interface RugOptions {
  count: number;
  value: (path: number) => number;
  /** Where the strokes begin, and how long they are. */
  x: number;
  length: number;
  y: Position;
  paint: string;
  opacity?: number;
}

/** One short stroke for every value: where the paths of a fan end. */
export function rug({ count, value, x, length, y, paint, opacity = 0.45 }: RugOptions): SVGTemplateResult {
  let d = "";
  for (let path = 0; path < count; ++path) d += `M${x.toFixed(1)} ${y(value(path)).toFixed(1)}h${length}`;
  return svg`<path d=${d} fill="none" stroke=${paint} stroke-opacity=${opacity} stroke-width="1"></path>`;
}
