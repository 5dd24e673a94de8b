/** Three panels, one large and two small: against one d_k axis, or one row by itself beside two of these. */
import { scaleLog } from "d3-scale";
import { type SVGTemplateResult, svg } from "lit";
import { bottomAxis, leftAxis, type Position, powerOfTwoTicks } from "../charts/axis.ts";
import { cursor, threshold } from "../charts/cursor.ts";
import { type Box, label } from "../charts/drawing.ts";
import { lineWithBand, type Point, spot } from "../charts/line.ts";
import { roughWidth } from "../charts/names.ts";
import { exact } from "../charts/numbers.ts";
import { dashed, dotted, type Theme } from "../charts/theme.ts";
import { type Panel, type Reach, type Series, views } from "./gradient-kinds.ts";
import { type GradientState, type Pair, plateau, type SingleRow } from "./gradient-model.ts";
import { rowPanel } from "./gradient-row-panel.ts";
import { dimensionLimits, toDimension } from "./stops.ts";

export interface PanelsOptions {
  show: GradientState["show"];
  sweep: readonly Pair[];
  chosen: Pair | null;
  single: SingleRow | null;
  dimension: number;
  keys: number;
  /** m_n for these keys; 0 while nothing is known yet. */
  expectedMaximum: number;
  theme: Theme;
  width: number;
  left: number;
  top: number;
}

export interface Panels {
  drawing: SVGTemplateResult;
  height: number;
  /** The d_k under a point, or null. */
  at(x: number, y: number): number | null;
}

const armNames = ["raw", "scaled"] as const;
type Arm = (typeof armNames)[number];

export function panels(options: PanelsOptions): Panels {
  const { show, width, left, top } = options;
  const wide = width >= 780;
  const main = wide ? Math.round(width * 0.56) : width;
  const box = (from: number, span: number, y: number, height: number): Box => ({
    left: from + 44,
    right: from + span - 16,
    top: y,
    bottom: y + height,
  });
  const side = left + main + 44;
  const boxes = wide
    ? [
        box(left, main, top, 400),
        box(side, width - main - 44, top, 160),
        box(side, width - main - 44, top + 240, 160),
      ]
    : [box(left, main, top, 260), box(left, main, top + 356, 150), box(left, main, top + 602, 150)];
  const kinds = views[show];
  const scales = boxes.map((each) =>
    scaleLog([dimensionLimits.min, dimensionLimits.max], [each.left, each.right]),
  );
  const first = kinds[0] === null ? 1 : 0;
  const drawings = kinds.map((kind, i) => {
    const place = boxes[i] as Box;
    if (kind === null) return rowPanel({ ...options, box: place });
    return panel(options, kind, place, scales[i] as Position, i === first);
  });
  return {
    drawing: svg`<g>${drawings}</g>`,
    height: (boxes[2] as Box).bottom - top,
    at: (x, y) => {
      const hit = boxes.findIndex(
        (each) => x > each.left - 16 && x < each.right + 16 && y > each.top - 26 && y < each.bottom + 26,
      );
      const scale = kinds[hit] ? scales[hit] : undefined;
      return scale ? toDimension(scale.invert(x)) : null;
    },
  };
}

function panel(
  options: PanelsOptions,
  kind: Panel,
  box: Box,
  x: Position,
  first: boolean,
): SVGTemplateResult {
  const { sweep, chosen, dimension, theme, keys, expectedMaximum } = options;
  const values = sweep.flatMap((pair) =>
    kind.series.flatMap(({ pick }) => armNames.map((arm) => pick(pair[arm]).value)),
  );
  const reach: Reach = { keys, expectedMaximum, most: Math.max(0, ...values) };
  const y = kind.y(box, reach);
  const floor = kind.floor?.(reach) ?? Number.NEGATIVE_INFINITY;
  const common = { x, y, theme };
  const drawn = kind.series.map((series) => {
    const paths = armNames.map((arm) => ({ arm, points: pointsOf(sweep, series, arm, floor) }));
    return svg`
      ${paths.map(({ arm, points }) => [
        lineWithBand({
          ...common,
          points,
          paint: theme[arm],
          width: series.width,
          ...(arm === "raw" && { dash: dashed }),
        }),
        lineWithBand({ ...common, points: theoryOf(options, series, arm), paint: theme.theory, width: 0.9 }),
        lineWithBand({
          ...common,
          points: points.filter((point) => point.y > floor),
          paint: theme[arm],
          width: 0,
          band: false,
          mark: series.marks[arm],
        }),
      ])}`;
  });
  const now = chosen?.dimension === dimension ? chosen : null;
  const marks = now
    ? kind.series.flatMap((series) => armNames.map((arm) => nowMark(now, series, arm, { ...common, floor })))
    : "";
  // Above all lines, the cursor's too, wherever it is moved to.
  const names = [
    box.bottom - box.top > 200 ? freezing(x, box, keys, theme) : "",
    kind.curve === "power-law" && expectedMaximum > 0 ? powerLawName(x, y, expectedMaximum, theme) : "",
    ...kind.series.map((series) =>
      nameAtEnd(series, pointsOf(sweep, series, "raw", floor), { ...common, floor }),
    ),
  ];
  return svg`<g>
    ${label(kind.title, { x: box.left - 44, y: box.top - 32, fill: theme.ink, weight: 600 })}
    ${leftAxis({ scale: y, box, ticks: kind.ticks(reach), theme })}
    ${bottomAxis({ scale: x, box, ticks: powerOfTwoTicks(dimensionLimits.min, dimensionLimits.max, box.right - box.left < 380 ? 4 : 2), theme, title: "d_k" })}
    ${threshold({ x: x(2 * Math.log(keys)), top: box.top, bottom: box.bottom, theme })}
    ${kind.curve === "power-law" && expectedMaximum > 0 ? powerLaw(x, y, expectedMaximum, theme) : ""}
    ${kind.curve === "plateau" && expectedMaximum > 0 ? plateauLine(x, y, expectedMaximum, theme) : ""}
    ${drawn}
    ${cursor({ x: x(dimension), top: box.top, bottom: box.bottom, left: box.left, right: box.right, text: first ? `d_k = ${dimension}` : "", theme })}
    ${names}
    ${marks}
  </g>`;
}

function pointsOf(sweep: readonly Pair[], series: Series, arm: Arm, floor: number): Point[] {
  const points = sweep.map((pair) => {
    const { value, low, high } = series.pick(pair[arm]);
    // A logarithmic scale has no place for 0.
    const band = low !== undefined &&
      high !== undefined && { low: Math.max(low, floor), high: Math.max(high, floor) };
    return { x: pair.dimension, y: Math.max(value, 0, floor), ...band };
  });
  // A line ends where it leaves the panel: along the floor nothing was measured.
  const gone = points.findIndex(
    (point, i) => point.y <= floor && points.slice(i).every((each) => each.y <= floor),
  );
  return gone < 0 ? points : points.slice(0, gone + 1);
}

function theoryOf({ sweep, chosen, dimension }: PanelsOptions, { theory }: Series, arm: Arm): Point[] {
  if (!theory) return [];
  const all = chosen && chosen.raw.dimension === dimension ? [...sweep, chosen] : sweep;
  return [...all]
    .sort((a, b) => a.dimension - b.dimension)
    .filter((pair, i, sorted) => pair.dimension !== sorted[i - 1]?.dimension)
    .flatMap((pair) => {
      const expected = theory(pair[arm]);
      return expected === undefined ? [] : [{ x: pair.dimension, y: expected }];
    });
}

interface Frame {
  x: Position;
  y: Position;
  theme: Theme;
}

function nowMark(now: Pair, series: Series, arm: Arm, { x, y, theme, floor }: Frame & { floor: number }) {
  const { value } = series.pick(now[arm]);
  const mark = series.marks[arm];
  if (mark === "none" || value <= floor) return "";
  return spot({ cx: x(now.dimension), cy: y(value), paint: theme[arm], theme, mark, radius: 5.2 });
}

/** The name of an unscaled line, at its end. */
function nameAtEnd(
  { name, below }: Series,
  points: readonly Point[],
  { x, y, theme, floor }: Frame & { floor: number },
): SVGTemplateResult | "" {
  const end = points.at(-1);
  if (!name || !end) return "";
  const look = { fill: theme.raw, size: 11.5, weight: 600, halo: theme.paper };
  if (end.y > floor) {
    return label(name, { ...look, x: x(end.x), y: y(end.y) + (below ? 18 : -9), anchor: "end" });
  }
  // Where the line falls out of the panel, the name stands beside the fall.
  const high = points.findLast((point) => point.y > 10 * floor) ?? end;
  const tight = x(high.x) + 12 + roughWidth(name) > x(dimensionLimits.max);
  return label(name, {
    ...look,
    x: x(high.x) + (tight ? -9 : 12),
    y: y(high.y) + (tight ? 12 : -2),
    anchor: tight ? "end" : "start",
  });
}

/** The name of the threshold, beside its foot: there the lines are still high above. */
function freezing(x: Position, box: Box, keys: number, theme: Theme): SVGTemplateResult[] {
  const at = 2 * Math.log(keys);
  const value = `d_k = 2 ln n = ${exact(at, 2)}`;
  const lines = box.right - box.left < 380 ? ["freezing begins:", value] : [`freezing begins: ${value}`];
  const look = { x: x(at) + 6, fill: theme.muted, size: 11.5, halo: theme.paper };
  return lines.map((text, i) => label(text, { ...look, y: box.bottom - 12 - 16 * (lines.length - 1 - i) }));
}

const powerLawOf = (constant: number) => (d: number) => constant / Math.sqrt(d);

/** E[tr J] -> m_n / sqrt(d_k), m_n the mean of the largest of n standard normals; drawn from where it is a good description on. */
function powerLaw(x: Position, y: Position, constant: number, theme: Theme): SVGTemplateResult {
  const law = powerLawOf(constant);
  const from = Math.max(4, constant * constant);
  const points = [from, dimensionLimits.max].map((d) => ({ x: d, y: law(d) }));
  return lineWithBand({ points, x, y, paint: theme.limit, theme, width: 1.6, dash: dotted });
}

function powerLawName(x: Position, y: Position, constant: number, theme: Theme): SVGTemplateResult {
  const at = 90;
  const look = { fill: theme.muted, size: 11.5, anchor: "end", halo: theme.paper } as const;
  return label(`law: ${exact(constant, 3)} / \u221ad_k`, {
    ...look,
    x: x(at),
    y: y(powerLawOf(constant)(at)) + 26,
  });
}

/** Where the mean length of the unscaled gradient tends to: it does not vanish. */
function plateauLine(x: Position, y: Position, constant: number, theme: Theme): SVGTemplateResult {
  const height = plateau(constant);
  const points = [64, dimensionLimits.max].map((d) => ({ x: d, y: height }));
  return lineWithBand({ points, x, y, paint: theme.limit, theme, width: 1.6, dash: dotted });
}
