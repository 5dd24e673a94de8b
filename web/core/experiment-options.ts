/** Options of the experiments, checked and with defaults filled in: plain values that can also be posted to a worker. */
import {
  flag,
  integer,
  integers,
  isList,
  maximumSeed,
  readItems,
  readOptions,
  real,
  reject,
} from "./checks.ts";
import { SqrtdkError } from "./errors.ts";
import { type Components, lawOptions, maximumDimension, readDimension, readLaw, readScale } from "./laws.ts";
import { readScaleRule, scaleRulesOf } from "./scale-rules.ts";
import type {
  AttentionRowOptions,
  DotProductOptions,
  GradientSweepOptions,
  Scale,
  ScaleRule,
  VarianceSweepOptions,
} from "./types.ts";

const maximumBins = 65536;
/** Of a call that returns the scores themselves, 512 MB. */
const maximumValues = 2 ** 26;

const samplingOptions = ["samples", "seed", ...lawOptions, "scale"] as const;

interface Sampling extends Components {
  samples: number;
  seed: number;
  scale: Scale;
}

export interface DotProducts extends Sampling {
  dimension: number;
  bins: number;
  range: [number, number] | undefined;
  returnValues: boolean;
}

export interface VarianceSweep extends Sampling {
  dimensions: number[];
}

interface GradientTrial {
  keys: number;
  seed: number;
  valueDim: number;
  deadThreshold: number;
}

export interface GradientSweep extends GradientTrial {
  dimensions: number[];
  trials: number;
  scale: ScaleRule[];
  quantiles: number[];
}

interface AttentionRowCall extends GradientTrial {
  dimension: number;
  trial: number;
  scale: ScaleRule;
}

function readSampling(
  call: string,
  o: { [name in (typeof samplingOptions)[number]]?: unknown },
  dimension: number,
): Sampling {
  return {
    ...readLaw(call, o, dimension),
    samples: integer(call, "samples", o.samples, 1, 2 ** 32 - 1),
    seed: integer(call, "seed", o.seed, 0, maximumSeed),
    scale: readScale(call, "scale", o.scale ?? "none"),
  };
}

function readRange(call: string, value: unknown): [number, number] {
  const expected = "two finite numbers [low, high], low < high";
  if (!isList(value)) reject("ERR_TYPE", call, "range", expected, value);
  if (value.length !== 2) reject("ERR_TYPE", call, "range", expected, value);
  const low = real(call, "range[0]", value[0]);
  const high = real(call, "range[1]", value[1]);
  // Neither the range nor the number of bins in a unit of it may be infinite.
  if (!(low < high && Number.isFinite(high - low) && Number.isFinite(maximumBins / (high - low))))
    throw new SqrtdkError("ERR_RANGE", `${call}: range must be ${expected}, got [${low}, ${high}]`);
  return [low, high];
}

export function readDotProducts(call: string, options: DotProductOptions): DotProducts {
  const known = ["dimension", ...samplingOptions, "bins", "range", "returnValues"] as const;
  const o = readOptions(call, options, known);
  const dimension = readDimension(call, o.dimension);
  const sampling = readSampling(call, o, dimension);
  const returnValues = flag(call, "returnValues", o.returnValues ?? false);
  if (returnValues && sampling.samples > maximumValues)
    reject("ERR_RANGE", call, "samples", `at most ${maximumValues} with returnValues`, sampling.samples);
  return {
    dimension,
    ...sampling,
    bins: integer(call, "bins", o.bins ?? 200, 1, maximumBins),
    range: o.range === undefined ? undefined : readRange(call, o.range),
    returnValues,
  };
}

export function readVarianceSweep(call: string, options: VarianceSweepOptions): VarianceSweep {
  const o = readOptions(call, options, ["dimensions", ...samplingOptions]);
  const dimensions = integers(call, "dimensions", o.dimensions, 1, maximumDimension);
  const largest = dimensions.reduce((a, b) => Math.max(a, b));
  return { dimensions, ...readSampling(call, o, largest) };
}

const trialOptions = ["keys", "seed", "scale", "valueDim", "deadThreshold"] as const;
const maximumTrials = 1e6;
const maximumQuantiles = 32;

function readTrial(call: string, o: { [name in (typeof trialOptions)[number]]?: unknown }): GradientTrial {
  return {
    keys: integer(call, "keys", o.keys, 1, 65536),
    seed: integer(call, "seed", o.seed, 0, maximumSeed),
    valueDim: integer(call, "valueDim", o.valueDim ?? 16, 1, 4096),
    deadThreshold: real(call, "deadThreshold", o.deadThreshold ?? 1e-3, 0, 1),
  };
}

/** Further out even the largest number of trials could not tell a quantile from an extreme. */
function readQuantiles(call: string, value: unknown): number[] {
  if (!isList(value)) reject("ERR_TYPE", call, "quantiles", "an array", value);
  if (value.length > maximumQuantiles)
    reject("ERR_RANGE", call, "quantiles", `at most ${maximumQuantiles} of them`, value);
  return readItems(value, (p, i) =>
    real(call, `quantiles[${i}]`, p, 1 / maximumTrials, 1 - 1 / maximumTrials),
  );
}

export function readGradientSweep(call: string, options: GradientSweepOptions): GradientSweep {
  const o = readOptions(call, options, ["dimensions", "trials", ...trialOptions, "quantiles"]);
  return {
    dimensions: integers(call, "dimensions", o.dimensions, 1, maximumDimension),
    trials: integer(call, "trials", o.trials, 1, maximumTrials),
    ...readTrial(call, o),
    scale: scaleRulesOf(call, o.scale ?? ["none", "rsqrt"]),
    quantiles: readQuantiles(call, o.quantiles ?? [0.01, 0.25, 0.5, 0.75, 0.99]),
  };
}

export function readAttentionRow(call: string, options: AttentionRowOptions): AttentionRowCall {
  const o = readOptions(call, options, ["dimension", "trial", ...trialOptions]);
  return {
    dimension: readDimension(call, o.dimension),
    trial: integer(call, "trial", o.trial ?? 0, 0, maximumTrials - 1),
    ...readTrial(call, o),
    scale: readScaleRule(call, "scale", o.scale ?? "none"),
  };
}
