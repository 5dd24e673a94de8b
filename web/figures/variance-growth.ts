/** Variance against d_k on doubly logarithmic axes, and below it measured over exact, magnified until the band shows. */
import { scaleLinear, scaleLog } from "d3-scale";
import { type SVGTemplateResult, svg } from "lit";
import { bottomAxis, leftAxis, powerOfTwoTicks } from "../charts/axis.ts";
import { cursor } from "../charts/cursor.ts";
import { type Box, label } from "../charts/drawing.ts";
import { lineWithBand, type Point, spot } from "../charts/line.ts";
import { dashed, dotted, type Theme } from "../charts/theme.ts";
import type { VarianceRow } from "../core/types.ts";
import { dimensionLimits } from "./stops.ts";

export interface GrowthOptions {
  rows: readonly VarianceRow[];
  /** Variance at the chosen d_k, measured apart and with more samples. */
  chosen: { dimension: number; variance: number; exactVariance: number } | null;
  dimension: number;
  arm: "raw" | "scaled";
  theme: Theme;
  left: number;
  width: number;
  top: number;
  height: number;
}

export interface Growth {
  drawing: SVGTemplateResult;
  /** The plot's horizontal extent and scale, to turn a pointer into a d_k. */
  box: Box;
  invert: (x: number) => number;
}

const magnifications = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

export function growth(options: GrowthOptions): Growth {
  const { rows, chosen, dimension, theme, left, width, top, height } = options;
  const box: Box = {
    left: left + 46,
    right: left + width - 16,
    top,
    bottom: top + Math.round((height - 52) * 0.68),
  };
  const lens: Box = { ...box, top: box.bottom + 52, bottom: top + height };
  const { min, max } = dimensionLimits;
  const x = scaleLog([min, max], [box.left, box.right]);
  // Broken assumptions let the variance grow beyond d_k, and the axis with it.
  const highest = Math.max(max, ...rows.map((row) => row.exact));
  const y = scaleLog([0.35 * min, 1.7 * highest], [box.bottom, box.top]);
  const ticks = powerOfTwoTicks(min, max, width < 420 ? 4 : 2);
  const decades = powersOfTen(highest).map((at) => ({
    at,
    label: at < 1e5 ? String(at) : `10^${Math.log10(at)}`,
  }));
  const series = (divide: boolean): Point[] =>
    rows.map((row) => {
      const by = divide ? row.dimension : 1;
      const value = row.variance / by;
      if (row.standardError === null) return { x: row.dimension, y: value };
      const half = (1.96 * row.standardError) / by;
      // A coarse band can reach below zero, where a logarithm has nothing to show.
      return { x: row.dimension, y: value, low: Math.max(value - half, value / 20), high: value + half };
    });
  // Between the computed d_k the law may bend; where the variance is d_k the line is straight.
  const exact = (divide: boolean): Point[] =>
    rows.map((row) => ({ x: row.dimension, y: row.exact / (divide ? row.dimension : 1) }));
  const promised = (power: number) => [min, max].map((d) => ({ x: d, y: d ** power }));
  const broken = rows.some((row) => Math.abs(row.exact / row.dimension - 1) > 1e-9);
  const end = rows.at(-1);
  const common = { x, y, theme };
  const now = chosen && chosen.dimension === dimension ? chosen : null;
  const mark = (value: number, paint: string) =>
    spot({ cx: x(dimension), cy: y(value), paint, theme, mark: "dot", radius: 5 });
  const drawing = svg`<g>
    ${leftAxis({ scale: y, box, ticks: decades, theme })}
    ${label("variance against d_k", { x: left, y: top - 30, fill: theme.ink, weight: 600 })}
    ${bottomAxis({ scale: x, box, ticks, theme })}
    ${lineWithBand({ ...common, points: series(false), paint: theme.raw, dash: dashed, width: 3 })}
    ${lineWithBand({ ...common, points: series(true), paint: theme.scaled, width: 3 })}
    ${[false, true].map((divide) => lineWithBand({ ...common, points: exact(divide), paint: theme.theory, width: 0.9 }))}
    ${broken ? [1, 0].map((power) => lineWithBand({ ...common, points: promised(power), paint: theme.limit, width: 1.6, dash: dotted })) : ""}
    ${lineWithBand({ ...common, points: series(false), paint: theme.raw, mark: "dot", width: 0, band: false })}
    ${lineWithBand({ ...common, points: series(true), paint: theme.scaled, mark: "dot", width: 0, band: false })}
    ${magnifier(options, x, lens)}
    ${bottomAxis({ scale: x, box: lens, ticks, theme, title: "d_k" })}
    ${cursor({ ...box, x: x(dimension), text: `d_k = ${dimension}`, theme })}
    ${cursor({ ...lens, x: x(dimension), text: "", theme })}
    ${label(broken ? "unscaled" : "unscaled: d_k", { x: x(96), y: y(near(rows, 96)) - 14, fill: theme.raw, anchor: "end", weight: 600, halo: theme.paper })}
    ${label(broken ? "divided by \u221ad_k" : "divided by \u221ad_k: 1", { x: x(max), y: y(end ? end.exact / max : 1) - 10, fill: theme.scaled, anchor: "end", weight: 600, halo: theme.paper })}
    ${now ? [mark(now.variance, theme.raw), mark(now.variance / dimension, theme.scaled)] : ""}
  </g>`;
  return { drawing, box: { ...box, bottom: lens.bottom }, invert: (at) => x.invert(at) };
}

/** Ten and its powers up to `highest`, every second one where they are many. */
function powersOfTen(highest: number): number[] {
  const exponents = Array.from({ length: Math.floor(Math.log10(highest)) + 1 }, (_, i) => i);
  return exponents.filter((each) => exponents.length <= 5 || each % 2 === 0).map((each) => 10 ** each);
}

/** The exact variance at the first computed d_k from `dimension` on. */
function near(rows: readonly VarianceRow[], dimension: number): number {
  return rows.find((row) => row.dimension >= dimension)?.exact ?? dimension;
}

function magnifier(options: GrowthOptions, x: (value: number) => number, box: Box): SVGTemplateResult {
  const { rows, arm, theme, left, chosen, dimension } = options;
  const points = rows.map((row): Point => {
    const ratio = row.variance / row.exact - 1;
    if (row.standardError === null) return { x: row.dimension, y: ratio };
    const half = (1.96 * row.standardError) / row.exact;
    return { x: row.dimension, y: ratio, low: ratio - half, high: ratio + half };
  });
  const farthest = Math.max(0, ...points.flatMap(({ y, low = y, high = y }) => [-low, high]));
  const span = magnifications.find((step) => step >= farthest) ?? 1;
  const y = scaleLinear([-span, span], [box.bottom, box.top]).clamp(true);
  const percent = (at: number) => `${at > 0 ? "+" : at < 0 ? "\u2212" : ""}${Math.abs(100 * at)}\u202f%`;
  const ticks = [-span, 0, span].map((at) => ({ at, label: percent(at) }));
  const paint = theme[arm];
  const now = chosen && chosen.dimension === dimension ? chosen.variance / chosen.exactVariance - 1 : null;
  return svg`<g>
    ${label("measured against exact, magnified", { x: left, y: box.top - 14, fill: theme.ink, weight: 600 })}
    ${leftAxis({ scale: y, box, ticks, theme })}
    ${lineWithBand({
      points: [dimensionLimits.min, dimensionLimits.max].map((d) => ({ x: d, y: 0 })),
      x,
      y,
      paint: theme.theory,
      theme,
      width: 1,
    })}
    ${lineWithBand({ points, x, y, paint, theme, width: 1.6, mark: "dot", ...(arm === "raw" && { dash: dashed }) })}
    ${now === null ? "" : spot({ cx: x(dimension), cy: y(now), paint, theme, mark: "dot", radius: 5 })}
  </g>`;
}
