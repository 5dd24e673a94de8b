/** The sweeps: their options by the API's names, and what runs them. */
import { readGradientSweep, readVarianceSweep } from "../core/experiment-options.ts";
import type { CallOptions, GradientSweepOptions, Pool, VarianceSweepOptions } from "../core/types.ts";
import { attributeName } from "../state/schema.ts";
import {
  type Arguments,
  number,
  numbers,
  type Option,
  type Options,
  ranges,
  scaleRule,
  scaleSyntax,
} from "./arguments.ts";

/** An option of the core's, and how its text is read. */
interface SweepOption extends Option {
  value: string;
  read(name: string, text: string): unknown;
  /** As it would be typed. */
  default?: string;
}

/** A row as JSON holds it: null where there is no number. */
export type Row = { readonly dimension: number; readonly [name: string]: unknown };
export type SweepValues = { readonly dimensions: readonly number[]; readonly [name: string]: unknown };

/** Rows so far are the package's own: NaN where there is no number. */
interface Job extends CallOptions {
  onProgress(soFar: readonly { dimension: number }[]): void;
}

export interface Sweep {
  about: string;
  options: Readonly<Record<string, SweepOption>>;
  /** Throws the core's own error where it would refuse them. */
  check(values: SweepValues): void;
  /** Rows of a dimension follow each other. */
  run(pool: Pool, values: SweepValues, job: Job): Promise<Row[]>;
  /** The name of what is counted, in options and in rows. */
  counted: "samples" | "trials";
}

const word = (_: string, text: string) => text;

const dimensions: SweepOption = {
  value: "LIST",
  about: "d_k: numbers and ranges, like 1,4,16 or 3..9 or 2^0..2^12",
  default: "2^0..2^12",
  read: ranges,
};
const seed: SweepOption = {
  value: "N",
  about: "start of the random numbers, 0 to 2^53 - 1",
  default: "1",
  read: number,
};

const varianceOptions: { [Name in keyof VarianceSweepOptions]-?: SweepOption } = {
  dimensions,
  samples: { value: "N", about: "pairs (q, k) a dimension", default: "100000", read: number },
  seed,
  components: { value: "LAW", about: "normal, uniform, rademacher, laplace, student-t", read: word },
  degreesOfFreedom: { value: "NU", about: "of student-t, above 2", read: number },
  correlation: { value: "RHO", about: "of every two components of a vector", read: number },
  mean: { value: "X", about: "of every component", read: number },
  queryStd: { value: "X", about: "standard deviation of the query's components", read: number },
  keyStd: { value: "X", about: "standard deviation of the key's components", read: number },
  scale: {
    value: "SCALE",
    about: "none, rsqrt, reciprocal, or a number alpha for d_k^-alpha",
    read: scaleRule,
  },
};

const variance: Sweep = {
  about: "variance of q.k against d_k, beside the exact one",
  options: varianceOptions,
  check: (values) => readVarianceSweep("sweep variance", values as unknown as VarianceSweepOptions),
  run: async (pool, values, job) =>
    plain(await pool.varianceSweep(values as unknown as VarianceSweepOptions, job)),
  counted: "samples",
};

const gradientOptions: { [Name in keyof GradientSweepOptions]-?: SweepOption } = {
  dimensions,
  keys: { value: "N", about: "keys a query attends to", default: "16", read: number },
  trials: { value: "N", about: "rows a dimension", default: "1000", read: number },
  seed,
  scale: {
    value: "LIST",
    about: scaleSyntax,
    default: "none,rsqrt",
    read: (name, text) => text.split(",").map((item) => scaleRule(name, item)),
  },
  valueDim: { value: "N", about: "length of the value vectors", read: number },
  deadThreshold: { value: "X", about: "rows with |J|_F below it are dead", read: number },
  quantiles: { value: "LIST", about: "which to estimate, like 0.25,0.5,0.75", read: numbers },
};

const gradient: Sweep = {
  about: "what softmax leaves of the gradient against d_k",
  options: gradientOptions,
  check: (values) => readGradientSweep("sweep gradient", values as unknown as GradientSweepOptions),
  run: async (pool, values, job) =>
    plain(await pool.gradientSweep(values as unknown as GradientSweepOptions, job)),
  counted: "trials",
};

export const sweeps = { variance, gradient };
export type SweepName = keyof typeof sweeps;
export const sweepNames = Object.keys(sweeps) as SweepName[];

/** Rows of a dimension: one a scale where several are compared. */
export const rowsEach = ({ scale }: SweepValues) => (Array.isArray(scale) ? scale.length : 1);

/** As they come back from a file, so that a merge of files prints what a single run prints. */
const plain = (rows: readonly unknown[]): Row[] => JSON.parse(JSON.stringify(rows));

export function commandLineOptions(sweep: Sweep): Options {
  const entries = Object.entries(sweep.options).map(([name, { value, about, default: usual }]) => [
    attributeName(name),
    { value, about: usual ? `${about} (default ${usual})` : about },
  ]);
  return Object.fromEntries(entries);
}

/** The options of the core's call: what was typed, and the command's own defaults. */
export function readValues(sweep: Sweep, args: Arguments): SweepValues {
  const values: Record<string, unknown> = {};
  for (const [name, { read, default: usual }] of Object.entries(sweep.options)) {
    const typed = attributeName(name);
    const text = args.text(typed) ?? usual;
    if (text !== undefined) values[name] = read(typed, text);
  }
  sweep.check(values as SweepValues);
  return values as SweepValues;
}
