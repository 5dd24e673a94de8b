/** Three panels on one d_k axis: the slope softmax has left, the largest weight, the share of dead rows. */
import { scaleLinear, scaleLog } from "d3-scale";
import { type SVGTemplateResult, svg } from "lit";
import { bottomAxis, leftAxis, type Position, powerOfTwoTicks, type Tick } from "../charts/axis.ts";
import { cursor, threshold } from "../charts/cursor.ts";
import { type Box, label } from "../charts/drawing.ts";
import { lineWithBand, type Mark, type Point, spot } from "../charts/line.ts";
import { exact, shareInterval } from "../charts/numbers.ts";
import { dashed, dotted, type Theme } from "../charts/theme.ts";
import type { ExpectedSoftmax, GradientRow } from "../core/types.ts";
import type { Pair } from "./gradient-model.ts";
import { deadCount, halfBand } from "./gradient-words.ts";
import { dimensionLimits, toDimension } from "./stops.ts";

export interface PanelsOptions {
  sweep: readonly Pair[];
  chosen: Pair | null;
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

/** A value and its 95 % band, which is missing where too few rows were drawn. */
interface Measure {
  value: number;
  low?: number;
  high?: number;
}

interface Panel {
  title: string;
  pick: (row: GradientRow) => Measure;
  theory?: (expected: ExpectedSoftmax) => number;
  y: (box: Box, floor: number) => Position;
  ticks: (floor: number) => Tick[];
  marks: { raw: Mark; scaled: Mark };
}

const tick = (at: number, label = String(at)): Tick => ({ at, label });

const meanOf =
  (name: "jacobianTrace" | "maxProbability") =>
  (row: GradientRow): Measure => {
    const value = row[name].mean;
    const half = halfBand(row[name], row.trials);
    // Bands of shares and weights end where shares and weights do.
    const band = { low: Math.max(value - half, 0), high: Math.min(value + half, 1) };
    return { value, ...(!Number.isNaN(half) && band) };
  };

const slope: Panel = {
  title: "how far the weights can still move: mean of 1 \u2212 \u03a3p^2",
  pick: meanOf("jacobianTrace"),
  theory: (expected) => expected.jacobianTrace,
  y: (box, floor) => scaleLog([floor, 1.25], [box.bottom, box.top]).clamp(true),
  ticks: (floor) => [1, 0.3, 0.1, 0.03, 0.01].filter((at) => at > floor).map((at) => tick(at)),
  marks: { raw: "dot", scaled: "dot" },
};

const largest: Panel = {
  title: "the largest weight, on average",
  pick: meanOf("maxProbability"),
  theory: (expected) => expected.maxProbability,
  y: (box) => scaleLinear([0, 1], [box.bottom, box.top]),
  ticks: () => [0, 0.25, 0.5, 0.75, 1].map((at) => tick(at)),
  marks: { raw: "dot", scaled: "dot" },
};

const dead: Panel = {
  title: "dead rows: Frobenius norm |J|_F below 1/1000",
  pick: (row) => ({ value: row.deadRows.mean, ...shareInterval(deadCount(row), row.trials) }),
  y: (box) => scaleLinear([0, 1], [box.bottom, box.top]).clamp(true),
  ticks: () => [0, 0.25, 0.5, 0.75, 1].map((at) => tick(at, `${100 * at}\u202f%`)),
  marks: { raw: "hollow", scaled: "hollow-square" },
};

export function panels(options: PanelsOptions): Panels {
  const { width, left, top } = options;
  const wide = width >= 780;
  const main = wide ? Math.round(width * 0.56) : width;
  const box = (from: number, span: number, y: number, height: number): Box => ({
    left: from + 44,
    right: from + span - 10,
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
  const kinds = [slope, largest, dead];
  const scales = boxes.map((each) =>
    scaleLog([dimensionLimits.min, dimensionLimits.max], [each.left, each.right]),
  );
  const drawings = kinds.map((kind, i) =>
    panel(options, kind, boxes[i] as Box, scales[i] as Position, i === 0),
  );
  return {
    drawing: svg`<g>${drawings}</g>`,
    height: (boxes[2] as Box).bottom - top,
    at: (x, y) => {
      const hit = boxes.findIndex(
        (each) => x > each.left - 16 && x < each.right + 16 && y > each.top - 26 && y < each.bottom + 26,
      );
      const scale = scales[hit];
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
  // The logarithmic panel ends a little below where the law ends.
  const floor = (0.55 * (expectedMaximum || 1)) / Math.sqrt(dimensionLimits.max);
  const y = kind.y(box, floor);
  const points = (arm: "raw" | "scaled"): Point[] =>
    sweep.map((pair) => {
      const { value, low, high } = kind.pick(pair[arm]);
      // A logarithmic scale has no place for 0.
      const band = low !== undefined &&
        high !== undefined && { low: first ? Math.max(low, floor) : low, high };
      return { x: pair.dimension, y: Math.max(value, 0), ...band };
    });
  const theory = (arm: "raw" | "scaled"): Point[] => {
    const all = chosen && chosen.raw.dimension === dimension ? [...sweep, chosen] : sweep;
    return [...all]
      .sort((a, b) => a.dimension - b.dimension)
      .filter((pair, i, sorted) => pair.dimension !== sorted[i - 1]?.dimension)
      .flatMap((pair) => {
        const expected = pair[arm].theory;
        return expected && kind.theory ? [{ x: pair.dimension, y: kind.theory(expected) }] : [];
      });
  };
  const common = { x, y, theme };
  const arms = (["raw", "scaled"] as const).map((arm) => [
    lineWithBand({
      ...common,
      points: points(arm),
      paint: theme[arm],
      width: kind.theory ? 3 : 2,
      ...(arm === "raw" && { dash: dashed }),
    }),
    lineWithBand({ ...common, points: theory(arm), paint: theme.theory, width: 0.9 }),
    lineWithBand({
      ...common,
      points: points(arm),
      paint: theme[arm],
      width: 0,
      band: false,
      mark: kind.marks[arm],
    }),
  ]);
  const now = chosen?.dimension === dimension ? chosen : null;
  const nowMark = (arm: "raw" | "scaled") =>
    now &&
    spot({
      cx: x(dimension),
      cy: y(kind.pick(now[arm]).value),
      paint: theme[arm],
      theme,
      mark: kind.marks[arm],
      radius: 5.2,
    });
  return svg`<g>
    ${label(kind.title, { x: box.left - 44, y: box.top - 32, fill: theme.ink, weight: 600 })}
    ${leftAxis({ scale: y, box, ticks: kind.ticks(floor), theme })}
    ${bottomAxis({ scale: x, box, ticks: powerOfTwoTicks(dimensionLimits.min, dimensionLimits.max, box.right - box.left < 380 ? 4 : 2), theme, title: "d_k" })}
    ${first ? freezing(x, box, keys, theme) : threshold({ x: x(2 * Math.log(keys)), top: box.top, bottom: box.bottom, text: "", theme })}
    ${first && expectedMaximum > 0 ? powerLaw(x, y, expectedMaximum, theme) : ""}
    ${arms}
    ${cursor({ x: x(dimension), top: box.top, bottom: box.bottom, left: box.left, right: box.right, text: first ? `d_k = ${dimension}` : "", theme })}
    ${nowMark("raw")}${nowMark("scaled")}
  </g>`;
}

function freezing(x: Position, box: Box, keys: number, theme: Theme): SVGTemplateResult {
  const at = 2 * Math.log(keys);
  const text = `freezing begins: d_k = 2 ln n = ${exact(at, 2)}`;
  return threshold({ x: x(at), top: box.top, bottom: box.bottom, text, theme, labelAt: box.bottom - 12 });
}

/** E[tr J] -> m_n / sqrt(d_k), m_n the mean of the largest of n standard normals; drawn from where it is a good description on. */
function powerLaw(x: Position, y: Position, constant: number, theme: Theme): SVGTemplateResult {
  const law = (d: number) => constant / Math.sqrt(d);
  const from = Math.max(4, constant * constant);
  const points = [from, dimensionLimits.max].map((d) => ({ x: d, y: law(d) }));
  const at = 90;
  return svg`${lineWithBand({ points, x, y, paint: theme.limit, theme, width: 1.6, dash: dotted })}
    ${label(`law: ${exact(constant, 3)} / \u221ad_k`, { x: x(at), y: y(law(at)) + 26, fill: theme.muted, size: 11.5, anchor: "end", halo: theme.paper })}`;
}
