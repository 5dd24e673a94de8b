/** Options of attention: sizes, scale and masks, checked and in the engine's terms. */
import {
  flag,
  integer,
  isList,
  maximumFactor,
  oneOf,
  readFactor,
  readItems,
  readOptions,
  reject,
} from "./checks.ts";
import { SqrtdkError } from "./errors.ts";
import type { AttentionOptions, AttentionShape } from "./types.ts";

export type Sizes = Required<AttentionShape>;
/** AttentionCall of src/bindings/attention.cpp. The addresses in it are filled in when the data are in place. */
export interface EngineCall extends Sizes {
  layout: number;
  scale: number;
  softcap: number;
  causal: number;
  causalOffset: number;
  maskStrides: readonly number[];
  mask: number;
  bias: number;
  query: number;
  key: number;
  value: number;
}

/** The fields in the order in which the engine reads them. */
export const engineFields = (c: EngineCall) => [
  ...[c.batch, c.heads, c.kvHeads, c.queryLength, c.keyLength, c.headDim, c.valueDim],
  ...[c.layout, c.scale, c.softcap, c.causal, c.causalOffset],
  ...c.maskStrides,
  ...[c.mask, c.bias, c.query, c.key, c.value],
];

export interface ReadAttention {
  sizes: Sizes;
  engineCall: EngineCall;
  attnMask: unknown;
  maskShape: readonly number[] | undefined;
  /** The engine's number of what to return; 0 is nothing. */
  weights: number;
  out: unknown;
}

const maximumLength = 2 ** 30;
const minimumSoftcap = 1e-30;
const weightNames = ["raw", "softcap", "masked", "probabilities"] as const;
const optionNames = [
  "shape",
  "layout",
  "attnMask",
  "attnMaskShape",
  "isCausal",
  "causalOffset",
  "scale",
  "softcap",
] as const;
const forwardNames = [...optionNames, "returnWeights", "out"] as const;

function readSizes(call: string, shape: unknown): Sizes {
  const names = ["batch", "heads", "kvHeads", "queryLength", "keyLength", "headDim", "valueDim"] as const;
  if (shape === undefined) reject("ERR_TYPE", call, "shape", "an object", shape);
  const o = readOptions(call, shape, names, "shape");
  const size = (name: (typeof names)[number], low: number, otherwise?: number) =>
    integer(call, `shape.${name}`, o[name] ?? otherwise, low, maximumLength);
  const heads = size("heads", 1, 1);
  const kvHeads = size("kvHeads", 1, heads);
  if (heads % kvHeads !== 0)
    throw new SqrtdkError(
      "ERR_SHAPE",
      `${call}: shape.kvHeads must divide shape.heads = ${heads}, got ${kvHeads}`,
    );
  const headDim = size("headDim", 1);
  return {
    batch: size("batch", 0, 1),
    heads,
    kvHeads,
    queryLength: size("queryLength", 0),
    keyLength: size("keyLength", 0),
    headDim,
    valueDim: size("valueDim", 1, headDim),
  };
}

function readCausalOffset(call: string, value: unknown, { queryLength, keyLength }: Sizes): number {
  if (value === "bottom-right") return keyLength - queryLength;
  if (typeof value === "number") return integer(call, "causalOffset", value, -maximumLength, maximumLength);
  return reject("ERR_TYPE", call, "causalOffset", 'an integer or "bottom-right"', value);
}

/** 0, or a cap that float32 knows, with room for the scores divided by it. */
function readSoftcap(call: string, value: unknown, scale: number): number {
  if (value === 0) return 0;
  const expected = `0 or a number from ${minimumSoftcap} to ${maximumFactor}`;
  if (typeof value !== "number") reject("ERR_TYPE", call, "softcap", expected, value);
  if (!(value >= minimumSoftcap && value <= maximumFactor))
    reject("ERR_RANGE", call, "softcap", expected, value);
  if (Math.abs(scale) / value > maximumFactor)
    reject("ERR_RANGE", call, "softcap", `at least |scale| / ${maximumFactor}`, value);
  return value;
}

function readMaskShape(call: string, value: unknown): number[] | undefined {
  if (value === undefined) return undefined;
  if (!isList(value)) reject("ERR_TYPE", call, "attnMaskShape", "an array", value);
  if (value.length > 4) reject("ERR_SHAPE", call, "attnMaskShape", "at most four sizes", value);
  return readItems(value, (size, i) => integer(call, `attnMaskShape[${i}]`, size, 0, maximumLength));
}

export function readAttention(call: string, options: AttentionOptions, direction: "forward" | "backward") {
  const o: { [name in (typeof forwardNames)[number]]?: unknown } = readOptions(
    call,
    options,
    direction === "forward" ? forwardNames : optionNames,
  );
  const sizes = readSizes(call, o.shape);
  const scale = readFactor(call, o.scale ?? 1 / Math.sqrt(sizes.headDim));
  const engineCall: EngineCall = {
    // Spelt out: spreading an object into one of this many fields costs 20 microseconds.
    batch: sizes.batch,
    heads: sizes.heads,
    kvHeads: sizes.kvHeads,
    queryLength: sizes.queryLength,
    keyLength: sizes.keyLength,
    headDim: sizes.headDim,
    valueDim: sizes.valueDim,
    layout: ["BHLD", "BLHD"].indexOf(oneOf(call, "layout", o.layout ?? "BHLD", ["BHLD", "BLHD"])),
    scale,
    softcap: readSoftcap(call, o.softcap ?? 0, scale),
    causal: Number(flag(call, "isCausal", o.isCausal ?? false)),
    causalOffset: readCausalOffset(call, o.causalOffset ?? 0, sizes),
    maskStrides: [0, 0, 0, 0],
    mask: 0,
    bias: 0,
    query: 0,
    key: 0,
    value: 0,
  };
  const weights =
    o.returnWeights === undefined
      ? 0
      : 1 + weightNames.indexOf(oneOf(call, "returnWeights", o.returnWeights, weightNames));
  const maskShape = readMaskShape(call, o.attnMaskShape);
  return { sizes, engineCall, attnMask: o.attnMask, maskShape, weights, out: o.out } satisfies ReadAttention;
}

/**
 * Strides of a mask under NumPy's rule: sizes are aligned at the last dimension, and a size of 1, or none, is repeated.
 * Without a shape the mask is [queryLength, keyLength], or has every dimension.
 */
export function setMaskStrides(call: string, read: ReadAttention, length: number): void {
  const { batch, heads, queryLength, keyLength } = read.sizes;
  const full = [batch, heads, queryLength, keyLength];
  const shape = read.maskShape ?? (length === queryLength * keyLength ? [queryLength, keyLength] : full);
  const sizes = [...Array(4 - shape.length).fill(1), ...shape] as number[];
  const product = sizes.reduce((a, b) => a * b, 1);
  if (sizes.some((size, i) => size !== 1 && size !== full[i]) || product !== length) {
    const wanted = read.maskShape ? `attnMaskShape [${read.maskShape}]` : `[${full.slice(2)}] or [${full}]`;
    throw new SqrtdkError(
      "ERR_SHAPE",
      `${call}: attnMask must be ${wanted} and fit [batch, heads, queryLength, keyLength] = [${full}], ` +
        `got ${length} values`,
    );
  }
  read.engineCall.maskStrides = sizes.map((size, i) =>
    size === 1 ? 0 : sizes.slice(i + 1).reduce((a, b) => a * b, 1),
  );
}
