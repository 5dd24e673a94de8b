/** What the gradient figure can plot against d_k: which quantities share a panel, and on what scale. */
import { scaleLinear, scaleLog } from "d3-scale";
import type { Position, Tick } from "../charts/axis.ts";
import type { Box } from "../charts/drawing.ts";
import type { Mark } from "../charts/line.ts";
import { shareInterval, superscript } from "../charts/numbers.ts";
import type { Estimate, GradientRow } from "../core/types.ts";
import type { GradientState } from "./gradient-model.ts";
import { deadCount, halfBand, medianHalfBand, rmsHalfBand } from "./gradient-words.ts";
import { dimensionLimits } from "./stops.ts";

/** A value and its 95 % band, which is missing where too few rows were drawn. */
export interface Measure {
  value: number;
  low?: number;
  high?: number;
}

export interface Series {
  /** At the line's end, where a panel holds several. */
  name?: string;
  /** Whether the name stands below the line instead of above it. */
  below?: boolean;
  pick: (row: GradientRow) => Measure;
  /** Exact, where it is known. */
  theory?: (row: GradientRow) => number | undefined;
  marks: { raw: Mark; scaled: Mark };
  width: number;
}

/** What the scales of a panel depend on. */
export interface Reach {
  keys: number;
  /** m_n for these keys; 0 while nothing is known yet. */
  expectedMaximum: number;
  /** The largest value in the panel. */
  most: number;
}

export interface Panel {
  title: string;
  series: readonly Series[];
  /** The end of a logarithmic scale; a linear one has none. */
  floor?: (reach: Reach) => number;
  y: (box: Box, reach: Reach) => Position;
  ticks: (reach: Reach) => Tick[];
  /** Panels with a curve of their own. */
  curve?: "power-law" | "plateau";
}

const tick = (at: number, label = String(at)): Tick => ({ at, label });
const power = (exponent: number): Tick =>
  tick(10 ** exponent, exponent < -3 ? `10${superscript(exponent)}` : undefined);
const dots = { raw: "dot", scaled: "dot" } as const;
const hollow = { raw: "hollow", scaled: "hollow-square" } as const;

function banded(value: number, half: number, most = Number.POSITIVE_INFINITY): Measure {
  // Bands end where the quantity does.
  return { value, ...(half >= 0 && { low: Math.max(value - half, 0), high: Math.min(value + half, most) }) };
}

type Quantity = Exclude<
  { [K in keyof GradientRow]: GradientRow[K] extends Estimate ? K : never }[keyof GradientRow],
  undefined
>;

const meanOf = (name: Quantity, most?: number) => (row: GradientRow) =>
  banded(row[name].mean, halfBand(row[name], row.trials), most);
const medianOf = (name: Quantity) => (row: GradientRow) =>
  banded(row[name].median, medianHalfBand(row[name], row.trials));
const rmsOf = (name: Quantity) => (row: GradientRow) =>
  banded(row[name].rms, rmsHalfBand(row[name], row.trials));

const shares = () => [0, 0.25, 0.5, 0.75, 1].map((at) => tick(at, `${100 * at}\u202f%`));
const unit = (box: Box) => scaleLinear([0, 1], [box.bottom, box.top]).clamp(true);

/** The logarithmic panel ends a little below where the law ends. */
const lawFloor = ({ expectedMaximum }: Reach) =>
  (0.55 * (expectedMaximum || 1)) / Math.sqrt(dimensionLimits.max);

const slope: Panel = {
  title: "how far weights can move: mean of 1 \u2212 \u03a3p^2",
  series: [
    {
      pick: meanOf("jacobianTrace", 1),
      theory: ({ theory }) => theory?.jacobianTrace,
      marks: dots,
      width: 3,
    },
  ],
  floor: lawFloor,
  y: (box, reach) => scaleLog([lawFloor(reach), 1.25], [box.bottom, box.top]).clamp(true),
  ticks: (reach) => [1, 0.3, 0.1, 0.03, 0.01].filter((at) => at > lawFloor(reach)).map((at) => tick(at)),
  curve: "power-law",
};

const largest: Panel = {
  title: "the largest weight, on average",
  series: [
    {
      pick: meanOf("maxProbability", 1),
      theory: ({ theory }) => theory?.maxProbability,
      marks: dots,
      width: 3,
    },
  ],
  y: unit,
  ticks: () => [0, 0.25, 0.5, 0.75, 1].map((at) => tick(at)),
};

const dead: Panel = {
  title: "dead rows: Frobenius norm |J|_F below 1/1000",
  series: [
    {
      pick: (row) => ({ value: row.deadRows.mean, ...shareInterval(deadCount(row), row.trials) }),
      marks: hollow,
      width: 2,
    },
  ],
  y: unit,
  ticks: shares,
};

const entropy: Panel = {
  title: "entropy of the weights, mean, in nats",
  series: [{ pick: meanOf("entropy"), theory: ({ theory }) => theory?.entropy, marks: dots, width: 3 }],
  y: (box, { keys }) => scaleLinear([0, Math.log(keys)], [box.bottom, box.top]).clamp(true),
  ticks: ({ keys }) => [
    ...[0, 1, 2, 3, 4, 5, 6]
      .filter((at) => at < Math.log(keys) - 0.4 * (Math.log(keys) > 2 ? 1 : 0.5))
      .map((at) => tick(at)),
    tick(Math.log(keys), "ln n"),
  ],
};

const float32: Panel = {
  title: "float32: \u25cf rows that print 1, \u25cb weights at 0",
  series: [
    {
      pick: (row) => ({
        value: row.printsOne.mean,
        ...shareInterval(Math.round(row.printsOne.mean * row.trials), row.trials),
      }),
      marks: dots,
      width: 2.4,
    },
    { pick: meanOf("exactZeros", 1), marks: hollow, width: 1.4 },
  ],
  y: unit,
  ticks: shares,
};

const lowest = 1e-3;
/** Above the highest line there is room for its name. */
const highest = (most: number) => 2.5 * Math.max(10, most);

const queryGradient: Panel = {
  title: "length |dL/dq| of the query\u2019s gradient",
  series: [
    {
      name: "root mean square",
      pick: rmsOf("gradQueryNorm"),
      theory: ({ theoryRms }) => theoryRms?.gradQueryNorm,
      marks: { raw: "none", scaled: "none" },
      width: 1.4,
    },
    { name: "mean", below: true, pick: meanOf("gradQueryNorm"), marks: dots, width: 3 },
    { name: "median", pick: medianOf("gradQueryNorm"), marks: hollow, width: 1.8 },
  ],
  floor: () => lowest,
  y: (box, { most }) => scaleLog([lowest, highest(most)], [box.bottom, box.top]).clamp(true),
  ticks: ({ most }) => [-3, -2, -1, 0, 1, 2].filter((at) => 10 ** at < highest(most)).map(power),
  curve: "plateau",
};

const medianFloor = 1e-4;

const frobenius: Panel = {
  title: "median of |J|_F: what softmax passes on",
  series: [{ pick: medianOf("jacobianFrobenius"), marks: dots, width: 3 }],
  floor: () => medianFloor,
  y: (box) => scaleLog([medianFloor, 0.8], [box.bottom, box.top]).clamp(true),
  ticks: () => [-1, -2, -3, -4].map(power),
};

/** The panels of each view, the large one first; null where it shows a single row instead. */
export const views: Record<GradientState["show"], readonly [Panel | null, Panel, Panel]> = {
  weights: [slope, largest, dead],
  row: [null, entropy, float32],
  gradient: [queryGradient, frobenius, dead],
};
