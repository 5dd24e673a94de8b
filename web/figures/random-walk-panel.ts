/** The walks, the funnel they stay in, and the hill their ends pile up to. One vertical axis for all three. */
import { scaleLinear } from "d3-scale";
import { nothing, type SVGTemplateResult, svg } from "lit";
import { bottomAxis, leftAxis, type Position } from "../charts/axis.ts";
import { cursor } from "../charts/cursor.ts";
import { type Box, label } from "../charts/drawing.ts";
import { fan, rug, thinned } from "../charts/fan.ts";
import { histogram } from "../charts/histogram.ts";
import { lineWithBand, type Point } from "../charts/line.ts";
import { roughWidth } from "../charts/names.ts";
import { exact, fixed, measured } from "../charts/numbers.ts";
import { dashed, dotted, type Theme } from "../charts/theme.ts";
import { densityGrid, funnelSteps, type Law, type Walks } from "./random-walk-model.ts";

export interface PanelOptions {
  walks: Walks;
  law: Law;
  /** 97.5 % quantiles in standard deviations at `funnelSteps`. */
  reaches: readonly number[];
  arm: "raw" | "scaled";
  /** 0: raw, 1: divided by sqrt(d_k); between them while one turns into the other. */
  divided: number;
  /** How many steps the width holds; not whole while the view zooms. */
  view: number;
  theme: Theme;
  width: number;
  left: number;
  top: number;
}

export interface Panel {
  drawing: SVGTemplateResult;
  height: number;
  /** The number of steps under a point, or null outside the plot. */
  at(x: number, y: number): number | null;
}

/** Standard deviations shown to either side. */
const reachShown = 3.3;
/** A bin is a quarter of a standard deviation wide. */
const binReach = 3.5;
const bins = 28;
/** Paths that can still be told from each other; the numbers rest on all of them. */
const pathsDrawn = 160;
/** Density times standard deviation that fills the hill's room; the normal law peaks at 0.40. */
const tallest = 0.52;

export function panel(options: PanelOptions): Panel {
  const { walks, law, view, divided, theme, width, left, top, arm } = options;
  const narrow = width < 560;
  const steps = law.dimension;
  const room = narrow ? 84 : 190;
  const box: Box = {
    left: left + (narrow ? 40 : 44),
    right: left + width - room,
    top,
    bottom: top + (narrow ? 280 : 380),
  };
  const half = reachShown * view ** ((1 - divided) / 2);
  const shrink = steps ** (divided / 2);
  const x = scaleLinear([0, view], [box.left, box.right]).clamp(true);
  const y = scaleLinear([-half, half], [box.bottom, box.top]).clamp(true);
  const height = (sum: number) => y(sum / shrink);
  const paint = theme[arm];
  const dash = arm === "raw" ? dashed : undefined;
  const end = x(steps);
  const positions = thinned(Math.min(steps, Math.ceil(view)), Math.min(112, (box.right - box.left) / 3));
  const drawn = Math.min(pathsDrawn, walks.count);
  const strokes = { positions, x, y: height, paint };
  const ticks = y.ticks(narrow ? 5 : 7).map((at) => ({ at, label: fixed(at, half < 4 ? 1 : 0) }));
  const stepTicks = x
    .ticks(narrow ? 3 : 6)
    .filter(Number.isInteger)
    .map((at) => ({ at, label: String(at) }));
  const ground = { ...box, right: left + width };
  const title = arm === "raw" ? "q\u00b7k after i steps" : "q\u00b7k after i steps, divided by \u221ad_k";
  const drawing = svg`<g>
    ${leftAxis({ scale: y, box: ground, ticks, theme })}
    ${bottomAxis({ scale: x, box, ticks: stepTicks, theme, title: "steps: products q_i k_i added so far" })}
    ${label(title, { x: left, y: top - 30, fill: theme.ink, weight: 600 })}
    ${fan({ ...strokes, count: drawn, value: (path, i) => walks.at(path, i), opacity: narrow ? 0.2 : 0.28, width: 0.8 })}
    ${fan({ ...strokes, count: 1, value: (path, i) => walks.at(path, i), opacity: 1, width: 1.5 })}
    ${rug({ count: walks.count, value: (path) => walks.at(path, steps), x: end, length: 6, y: height, paint })}
    ${measuredFunnel({ ...strokes, walks, theme, dash })}
    ${funnel(options, x, height)}
    ${hill(options, { x: end + 8, room: (narrow ? 62 : 130) / tallest, height, shrink })}
    ${cursor({ x: end, top, bottom: box.bottom, left: box.left, right: left + width, text: `d_k = ${steps}`, theme })}
    ${brackets(options, x, height, narrow)}
  </g>`;
  return {
    drawing,
    height: box.bottom - top,
    at: (px, py) =>
      px < box.left - 8 || px > left + width || py < top - 24 || py > box.bottom + 24
        ? null
        : Math.max(1, Math.round(x.invert(px))),
  };
}

interface MeasuredFunnel {
  positions: readonly number[];
  walks: Walks;
  x: Position;
  y: Position;
  paint: string;
  theme: Theme;
  dash: string | undefined;
}

/** One measured standard deviation to either side. */
function measuredFunnel({ positions, walks, dash, ...common }: MeasuredFunnel): SVGTemplateResult[] {
  return [1, -1].map((side) => {
    const points = positions.map((i): Point => ({ x: i, y: side * walks.spread(i) }));
    return lineWithBand({ ...common, points, width: 3, ...(dash && { dash }) });
  });
}

/** Exactly one standard deviation, and exactly 95 %, ahead of the walks' ends too. */
function funnel({ reaches, view, theme, width }: PanelOptions, x: Position, y: Position): SVGTemplateResult {
  // Evenly along the root: the funnel is steepest where it begins.
  const roots = Array.from({ length: 65 }, (_, i) => (i / 64) * Math.sqrt(view));
  const line = (side: number, factor: (steps: number) => number) =>
    roots.map((root): Point => ({ x: root ** 2, y: side * root * factor(root ** 2) }));
  const reach = (steps: number) => interpolated(reaches, steps);
  const common = { x, y, theme };
  return svg`<g>${[1, -1].map((side) => [
    lineWithBand({ ...common, points: line(side, () => 1), paint: theme.theory, width: 1.2 }),
    lineWithBand({ ...common, points: line(side, reach), paint: theme.limit, width: 1.3, dash: dotted }),
  ])}${width < 560 ? nothing : label("95\u202f%", { x: x(view * 0.93), y: y(reach(view * 0.93) * Math.sqrt(view * 0.93)) - 6, fill: theme.muted, anchor: "middle", size: 11.5, halo: theme.paper })}</g>`;
}

/** Between two of `funnelSteps`, straight along the logarithm of the steps. */
function interpolated(reaches: readonly number[], steps: number): number {
  const after = funnelSteps.findIndex((at) => at >= steps);
  if (after <= 0) return reaches[Math.max(0, after)] as number;
  const [low, high] = [funnelSteps[after - 1], funnelSteps[after]] as [number, number];
  const share = Math.log(steps / low) / Math.log(high / low);
  const [from, to] = [reaches[after - 1], reaches[after]] as [number, number];
  return from + (to - from) * share;
}

interface HillPlace {
  x: number;
  /** Pixels of a density times standard deviation of 1. */
  room: number;
  height: Position;
  shrink: number;
}

/** The histogram of the ends, lying on its side: the vertical axis is that of the walks. */
function hill({ walks, law, arm, theme }: PanelOptions, { x, room, height }: HillPlace): SVGTemplateResult {
  const sigma = Math.sqrt(law.dimension);
  const perBin = bins / (2 * binReach * walks.count);
  const reach = binReach * sigma;
  const heights = walks.histogram(law.dimension, reach, bins).map((count) => count * perBin);
  // Across and along change places.
  return svg`<g transform="matrix(0 1 1 0 0 0)">${histogram({
    bins: { low: -reach, high: reach, heights },
    x: height,
    y: (density) => x + room * Math.min(density, tallest * 1.3),
    domain: [-reach, reach],
    paint: theme[arm],
    theme,
    exact: { x: densityGrid.map((z) => z * sigma), y: law.density },
    ...(arm === "raw" && { dash: "3 1.5" }),
  })}</g>`;
}

/** How far one standard deviation reaches at the end, and after a quarter of the steps: half as far. */
function brackets(options: PanelOptions, x: Position, y: Position, narrow: boolean): SVGTemplateResult {
  const { walks, law, arm, theme } = options;
  const steps = law.dimension;
  const root = Math.sqrt(steps);
  const by = arm === "scaled" ? root : 1;
  const end = x(steps);
  const spread = measured(walks.spread(steps) / by, walks.spreadBand(steps) / by).text;
  const theory =
    arm === "scaled" ? "exactly 1" : `${narrow ? "" : "exactly "}\u221a${steps} = ${exact(root, 4)}`;
  // Kept inside where the walks fill the width; bold letters are a tenth wider.
  const words = Math.max(1.15 * roughWidth(spread), roughWidth(theory));
  const x0 = end + (narrow ? 10 : 18);
  const side = { x: narrow ? Math.min(x0, options.left + options.width - words) : x0, halo: theme.paper };
  const quarter = steps >= 4 ? ruler(x(steps / 4), y(-root / 2), y(root / 2), theme.ink) : nothing;
  const above = Math.max(options.top + 14, y(3.1 * root));
  return svg`<g>
    ${quarter}
    ${steps >= 4 && !narrow ? quarterLabel(options, x(steps / 4), y((-3.1 * root) / 2) + 14) : nothing}
    ${ruler(end + 8, y(-root), y(root), theme[arm])}
    ${label(spread, { ...side, y: above, fill: theme[arm], size: narrow ? 12 : 15, weight: 700 })}
    ${label(theory, { ...side, y: above + 16, fill: theme.muted, size: 11.5 })}
  </g>`;
}

function quarterLabel({ left, width, theme }: PanelOptions, x: number, y: number): SVGTemplateResult {
  const text = "\u00bc of the steps, \u00bd the width";
  // Of the text's rough width, so that it can be kept inside without measuring it.
  const half = 2.9 * text.length;
  const centre = Math.min(left + width - half, Math.max(left + 44 + half, x));
  return label(text, { x: centre, y, fill: theme.muted, anchor: "middle", size: 11.5, halo: theme.paper });
}

function ruler(x: number, low: number, high: number, paint: string): SVGTemplateResult {
  return svg`<path d="M${x - 4} ${low}h8M${x - 4} ${high}h8M${x} ${low}V${high}" fill="none" stroke=${paint} stroke-width="1.8"></path>`;
}
