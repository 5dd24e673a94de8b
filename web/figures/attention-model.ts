/**
 * What the attention figure knows: every matrix of one pass, forward and backward. All products and softmaxes are the
 * core's own; nothing is multiplied here.
 */
import type { AttentionOptions, AttentionShape, Core } from "../core/types.ts";
import type { FigureState } from "../state/hash.ts";
import { dimensionLimits } from "./stops.ts";

export type AttentionState = FigureState<"attention">;
export type AttentionSource = Omit<AttentionState, "stage" | "hide">;

/** The places in the diagram. Each holds a matrix on the way forward and, on the way back, the gradient of the loss by it. */
export const slots = ["query", "key", "value", "raw", "scaled", "masked", "weights", "output"] as const;
export type Slot = (typeof slots)[number];

export interface Matrix {
  rows: number;
  columns: number;
  /** Row-major. */
  values: Float32Array;
}

export interface Pass {
  source: AttentionSource;
  /** What the scores are multiplied by: 1/sqrt(d_k), or 1. */
  factor: number;
  forward: Record<Slot, Matrix>;
  backward: Record<Slot, Matrix>;
}

export const valueDim = 4;
const mostTokens = 6;
/** One stream of random numbers a matrix; row r begins at r * length, so that a longer row begins with the shorter. */
const streams = { query: 0, key: 1, value: 2, gradOutput: 3 } as const;
type Given = keyof typeof streams;

/** Rounded to hundredths: what is shown is all there is, and can be checked by hand. */
const hundredths = (value: number) => Math.round(100 * value) / 100;

export class Inputs {
  readonly #core: Core;
  readonly #seed: number;
  readonly #drawn = new Map<Given, Float32Array>();

  constructor(core: Core, seed: number) {
    this.#core = core;
    this.#seed = seed;
  }

  matrix(name: Given, rows: number, columns: number, set: readonly (readonly number[])[]): Matrix {
    const length = name === "query" || name === "key" ? dimensionLimits.max : valueDim;
    let drawn = this.#drawn.get(name);
    if (!drawn) {
      drawn = this.#core.randomNormal(mostTokens * length, { seed: this.#seed, stream: streams[name] });
      this.#drawn.set(name, drawn);
    }
    const values = new Float32Array(rows * columns);
    for (let row = 0; row < rows; ++row) {
      for (let column = 0; column < columns; ++column) {
        const random = hundredths(drawn[row * length + column] as number);
        values[row * columns + column] = set[row]?.[column] ?? random;
      }
    }
    return { rows, columns, values };
  }
}

export function attentionPass(core: Core, inputs: Inputs, source: AttentionSource): Pass {
  const { dimension, tokens, scale, causal, bias } = source;
  const query = inputs.matrix("query", tokens, dimension, source.query);
  const key = inputs.matrix("key", tokens, dimension, source.key);
  const value = inputs.matrix("value", tokens, valueDim, source.value);
  const gradOutput = inputs.matrix("gradOutput", tokens, valueDim, source.gradOutput);
  const [q, k, v, dO] = [query.values, key.values, value.values, gradOutput.values];
  const square = (values: Float32Array): Matrix => ({ rows: tokens, columns: tokens, values });

  const factor = scale === "rsqrt" ? 1 / Math.sqrt(dimension) : 1;
  const shape: AttentionShape = { queryLength: tokens, keyLength: tokens, headDim: dimension, valueDim };
  const added = Float32Array.from({ length: tokens ** 2 }, (_, at) => {
    return bias[Math.floor(at / tokens)]?.[at % tokens] ?? 0;
  });
  const options: AttentionOptions = { shape, scale: factor, isCausal: causal, attnMask: added };
  const scores = (returnWeights: "raw" | "masked", scaleBy: number) =>
    core.scaledDotProductAttention(q, k, v, { ...options, scale: scaleBy, returnWeights }).weights;
  const { output, logSumExp, weights } = core.scaledDotProductAttention(q, k, v, {
    ...options,
    returnWeights: "probabilities",
  });
  const p = weights as Float32Array;
  const gradients = core.scaledDotProductAttentionBackward(dO, q, k, v, output, logSumExp, options);
  // dP = dO V^T is a product of rows like Q K^T, so the same call makes it.
  const gradWeights = core.scaledDotProductAttention(dO, v, v, {
    shape: { ...shape, headDim: valueDim },
    scale: 1,
    returnWeights: "raw",
  }).weights as Float32Array;
  const gradScores = core.softmaxBackward(gradWeights, p, { columns: tokens });
  return {
    source,
    factor,
    forward: {
      query,
      key,
      value,
      raw: square(scores("raw", 1) as Float32Array),
      scaled: square(scores("raw", factor) as Float32Array),
      masked: square(scores("masked", factor) as Float32Array),
      weights: square(p),
      output: { rows: tokens, columns: valueDim, values: output },
    },
    backward: {
      query: { ...query, values: gradients.gradQuery },
      key: { ...key, values: gradients.gradKey },
      value: { ...value, values: gradients.gradValue },
      raw: square(core.softmaxBackward(gradWeights, p, { columns: tokens, scale: factor })),
      // What the mask adds does not depend on the scores: it hands the gradient on.
      scaled: square(gradScores),
      masked: square(gradScores),
      weights: square(gradWeights),
      output: gradOutput,
    },
  };
}

export function entry(matrix: Matrix, row: number, column: number): number {
  return matrix.values[row * matrix.columns + column] as number;
}

export interface Summary {
  /** About the entries' own mean, n - 1 in the denominator; of those that are not masked. */
  variance: number;
  /** The entry of the largest size, with its sign. */
  largest: number;
}

export function summarise({ values }: Matrix): Summary {
  let [count, mean, squares, largest] = [0, 0, 0, 0];
  for (const value of values) {
    if (value === Number.NEGATIVE_INFINITY) continue;
    const distance = value - mean;
    mean += distance / ++count;
    squares += distance * (value - mean);
    if (Math.abs(value) > Math.abs(largest)) largest = value;
  }
  return { variance: squares / (count - 1), largest };
}

export class AttentionModel {
  pass: Pass | null = null;
  /** The same numbers with the scale the other way: what it would be without, or with it. */
  other: Pass | null = null;
  readonly #arrived: () => void;
  #inputs: { seed: number; inputs: Inputs } | null = null;

  constructor(arrived: () => void) {
    this.#arrived = arrived;
  }

  job(state: AttentionState, core: () => Promise<Core>) {
    const { stage: _, hide: __, ...source } = state;
    return {
      coarse: async () => {
        const engine = await core();
        if (this.#inputs?.seed !== source.seed)
          this.#inputs = { seed: source.seed, inputs: new Inputs(engine, source.seed) };
        const { inputs } = this.#inputs;
        this.pass = attentionPass(engine, inputs, source);
        this.other = attentionPass(engine, inputs, {
          ...source,
          scale: source.scale === "none" ? "rsqrt" : "none",
        });
        this.#arrived();
      },
    };
  }
}
