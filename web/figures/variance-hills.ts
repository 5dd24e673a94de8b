/**
 * The hills: one histogram a row on one common axis. Widths are true; heights are density times the row's own standard
 * deviation, so that every hill has the same area in its own row and a needle stays comparable with a plain.
 */
import { scaleLinear } from "d3-scale";
import { type SVGTemplateResult, svg } from "lit";
import { bottomAxis } from "../charts/axis.ts";
import { type Box, label } from "../charts/drawing.ts";
import { histogram } from "../charts/histogram.ts";
import { exact, fixed } from "../charts/numbers.ts";
import { dashed, type Theme } from "../charts/theme.ts";
import { densityGrid, deviation, type Hill, type HillName } from "./variance-model.ts";
import { banded } from "./variance-words.ts";

export interface HillsOptions {
  hills: ReadonlyMap<HillName, Hill>;
  show: readonly HillName[];
  /** 0: raw, 1: divided by sqrt(d_k); between them while one turns into the other. */
  divided: number;
  arm: "raw" | "scaled";
  limit: boolean;
  theme: Theme;
  width: number;
  top: number;
}

const presetHeight = 74;
const chosenHeight = 138;
const reach = 3.5;
/** Density times standard deviation that fills a row; the normal law peaks at 0.40, d_k = 2 at 0.71. */
const tallest = 0.62;

export function hillsHeight(show: readonly HillName[]): number {
  return show.reduce((sum, name) => sum + (name === "chosen" ? chosenHeight : presetHeight), 0) + 22;
}

const normalCurve = densityGrid.map((z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI));

export function hills(options: HillsOptions): SVGTemplateResult {
  const { show, theme, width, top, divided, arm } = options;
  const narrow = width < 520;
  const box: Box = {
    left: narrow ? 4 : 86,
    right: narrow ? width - 4 : width - 118,
    top,
    bottom: top + hillsHeight(show),
  };
  const rows = show.map((name) => [name, options.hills.get(name)] as const);
  const [low, high] = common(
    rows.flatMap(([, hill]) => hill ?? []),
    divided,
  );
  const x = scaleLinear([low, high], [box.left, box.right]);
  const ticks = x.ticks(narrow ? 5 : 7).map((at) => ({ at, label: fixed(at, high - low < 4 ? 1 : 0) }));
  let y = box.top + 22;
  const drawn = rows.map(([name, hill]) => {
    const height = name === "chosen" ? chosenHeight : presetHeight;
    const row = hillRow({
      ...options,
      name,
      hill,
      x,
      box,
      narrow,
      base: y + height - 14,
      height,
      axis: [low, high],
    });
    y += height;
    return row;
  });
  const title = arm === "raw" ? "q\u00b7k" : "q\u00b7k / \u221ad_k";
  const column = narrow
    ? ""
    : label("standard deviation", { x: width, y: top + 4, fill: theme.muted, anchor: "end", size: 11.5 });
  return svg`<g>${bottomAxis({ scale: x, box, ticks, theme, title })}${column}${drawn}</g>`;
}

/** One axis for all: it follows the hills that reach farthest, raw or divided. */
function common(all: readonly Hill[], divided: number): [number, number] {
  const ends = all.flatMap(({ dimension, exact }) => {
    const shrink = dimension ** (divided / 2);
    const far = reach * Math.sqrt(exact.variance);
    return [(exact.mean - far) / shrink, (exact.mean + far) / shrink];
  });
  return ends.length ? [Math.min(...ends), Math.max(...ends)] : [-reach, reach];
}

interface RowOptions extends HillsOptions {
  name: HillName;
  hill: Hill | undefined;
  axis: readonly [number, number];
  x: (value: number) => number;
  box: Box;
  narrow: boolean;
  base: number;
  height: number;
}

function hillRow(options: RowOptions): SVGTemplateResult {
  const { name, hill, x, box, axis, narrow, base, height, theme, arm, divided, limit, width } = options;
  const ground = svg`<line x1=${box.left} x2=${box.right} y1=${base + 0.5} y2=${base + 0.5} stroke=${theme.grid}></line>`;
  if (!hill) return ground;
  const { dimension, result, density } = hill;
  const middle = hill.exact.mean;
  const paint = theme[arm];
  const chosen = name === "chosen";
  const room = height - (chosen ? 26 : 20);
  // Cut off above the row: at d_k = 1 the density is infinite at 0.
  const up = (value: number) => base - room * Math.min(1, value / tallest);
  const shrink = dimension ** (divided / 2);
  const sigma = Math.sqrt(hill.exact.variance);
  const across = (value: number) => x(value / shrink);
  const { low, high, counts } = result.histogram;
  const perBin = (sigma * counts.length) / (result.moments.count * (high - low));
  const grid = densityGrid.map((z) => middle + z * sigma);
  const { sd, half } = deviation(result.moments.variance, result.moments.varianceStandardError);
  const by = arm === "scaled" ? Math.sqrt(dimension) : 1;
  const spread = banded(sd / by, half / by);
  const rooted = arm === "raw" && hill.exact.variance === dimension ? `\u221a${dimension} = ` : "";
  const theory = `exact ${rooted}${exact(sigma / by, 4)}`;
  const size = chosen ? 15 : 12.5;
  const textY = narrow ? base - room + 8 : base - 18;
  const right = { x: width - (narrow ? 4 : 0), anchor: "end" as const, halo: theme.paper };
  return svg`<g>${ground}
    ${histogram({
      bins: { low, high, heights: counts.map((count) => count * perBin) },
      x: across,
      y: up,
      domain: [axis[0] * shrink, axis[1] * shrink],
      paint,
      theme,
      ...(arm === "raw" && { dash: "3 1.5" }),
      ...(density && { exact: { x: grid, y: density } }),
      ...(limit && { limit: { x: grid, y: normalCurve } }),
    })}
    ${spreadBar(across(middle - sigma), across(middle + sigma), base + 6, paint, arm)}
    ${label(`d_k = ${dimension}`, { x: narrow ? 4 : 0, y: textY, fill: theme.ink, size, weight: chosen ? 700 : 600, halo: theme.paper })}
    ${label(spread, { ...right, y: textY, fill: paint, size, weight: chosen ? 700 : 600 })}
    ${label(theory, { ...right, y: textY + 15, fill: theme.muted, size: 11.5 })}
  </g>`;
}

/** One standard deviation to either side. */
function spreadBar(
  left: number,
  right: number,
  y: number,
  paint: string,
  arm: "raw" | "scaled",
): SVGTemplateResult {
  return svg`<path d="M${left} ${y}H${right}" stroke=${paint} stroke-width="2.2" stroke-dasharray=${arm === "raw" ? dashed : "none"}></path>
    <path d="M${left} ${y - 4}v8M${right} ${y - 4}v8" stroke=${paint} stroke-width="1.6"></path>`;
}
