/**
 * What the attention figure knows: every matrix of one pass, forward and backward. All products and softmaxes are the
 * core's own; nothing is multiplied here.
 */
import type { Core } from "../core/types.ts";
import { valueDim } from "../state/figures/attention.ts";
import type { FigureState } from "../state/hash.ts";
import type { CellValue } from "../state/schema.ts";
import { dimensionLimits } from "./stops.ts";

export type AttentionState = FigureState<"attention">;
export type AttentionSource = Omit<AttentionState, "stage" | "hide">;

/** The places in the diagram. Each holds a matrix on the way forward and, on the way back, the gradient of the loss by it. */
export const slots = ["query", "key", "value", "raw", "scaled", "masked", "weights", "output"] as const;
export type Slot = (typeof slots)[number];

export type Direction = "forward" | "backward";

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
  /** What would stand in each place if nothing in that very place were set by hand. */
  untouched: Record<Direction, Record<Slot, Matrix>>;
}

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

function withCells(
  matrix: Matrix,
  cells: readonly CellValue[],
  open: (at: number) => boolean = () => true,
): Matrix {
  const values = Float32Array.from(matrix.values);
  for (const [row, column, value] of cells) {
    const at = (row - 1) * matrix.columns + column - 1;
    if (row <= matrix.rows && column <= matrix.columns && open(at)) values[at] = value;
  }
  return { ...matrix, values };
}

function transposed({ rows, columns, values }: Matrix): Matrix {
  const turned = Float32Array.from(
    values,
    (_, at) => values[(at % rows) * columns + Math.floor(at / rows)] as number,
  );
  return { rows: columns, columns: rows, values: turned };
}

/** factor A B^T, by the scores of the core's attention. */
function product(core: Core, a: Matrix, b: Matrix, factor = 1): Matrix {
  const shape = { queryLength: a.rows, keyLength: b.rows, headDim: a.columns, valueDim: 1 };
  const { weights } = core.scaledDotProductAttention(a.values, b.values, new Float32Array(b.rows), {
    shape,
    scale: factor,
    returnWeights: "raw",
  });
  return { rows: a.rows, columns: b.rows, values: weights as Float32Array };
}

/**
 * by p (dp - sum of p dp), row by row. The core counts on weights that add up to 1; where the hand has changed that, a
 * further key with the gradient 0 holds what is missing, which leaves the formula as it is.
 */
function throughSoftmax(
  core: Core,
  gradWeights: Matrix,
  weights: Matrix,
  computed: Matrix,
  by: number,
): Matrix {
  const { rows, columns } = weights;
  const wider = ({ values }: Matrix, last: (row: number) => number) =>
    Float32Array.from({ length: rows * (columns + 1) }, (_, at) => {
      const [row, column] = [Math.floor(at / (columns + 1)), at % (columns + 1)];
      return column < columns ? (values[row * columns + column] as number) : last(row);
    });
  const missing = (row: number) => {
    const own = weights.values.subarray(row * columns, (row + 1) * columns);
    const changed = own.some((weight, column) => weight !== entry(computed, row, column));
    return changed ? own.reduce((rest, weight) => rest - weight, 1) : 0;
  };
  const gradient = core.softmaxBackward(
    wider(gradWeights, () => 0),
    wider(weights, missing),
    {
      columns: columns + 1,
      scale: by,
    },
  );
  return { rows, columns, values: gradient.filter((_, at) => at % (columns + 1) < columns) };
}

/**
 * Forward and back, stage by stage, so that a number set by hand in any of them is what the next ones work on. Scores
 * times the identity are these scores: so the core's attention goes on from any of its own stages. The way back uses
 * the numbers as they stand, those set by hand too, as if they had been computed.
 */
export function attentionPass(core: Core, inputs: Inputs, source: AttentionSource): Pass {
  const { dimension, tokens, scale, causal, bias } = source;
  const given = (name: Given, columns: number, set: readonly (readonly number[])[] = source[name]) =>
    inputs.matrix(name, tokens, columns, set);
  const drawn = (name: Given, columns: number) => given(name, columns, []);
  const query = given("query", dimension);
  const key = given("key", dimension);
  const value = given("value", valueDim);
  const gradOutput = given("gradOutput", valueDim);
  const square = (entryAt: (row: number, column: number) => number): Matrix => {
    const values = Float32Array.from({ length: tokens ** 2 }, (_, at) =>
      entryAt(Math.floor(at / tokens), at % tokens),
    );
    return { rows: tokens, columns: tokens, values };
  };
  const identity = square((row, column) => Number(row === column));
  const added = square((row, column) => bias[row]?.[column] ?? 0).values;

  const factor = scale === "rsqrt" ? 1 / Math.sqrt(dimension) : 1;
  const computedRaw = product(core, query, key);
  const raw = withCells(computedRaw, source.scores);
  const computedScaled = product(core, raw, identity, factor);
  const scaled = withCells(computedScaled, source.scaledScores);
  const shape = { queryLength: tokens, keyLength: tokens, headDim: tokens, valueDim };
  const afterMask = core.scaledDotProductAttention(scaled.values, identity.values, value.values, {
    shape,
    scale: 1,
    isCausal: causal,
    attnMask: added,
    returnWeights: "masked",
  });
  const computedMasked: Matrix = { ...identity, values: afterMask.weights as Float32Array };
  // No hand shows a query what the mask hides from it.
  const seen = (at: number) => computedMasked.values[at] !== Number.NEGATIVE_INFINITY;
  const masked = withCells(computedMasked, source.maskedScores, seen);
  const computedWeights = { ...identity, values: core.softmax(masked.values, { columns: tokens }) };
  const weights = withCells(computedWeights, source.weights, seen);
  const computedOutput = product(core, weights, transposed(value));
  const output = withCells(computedOutput, source.output);

  const gradWeights = product(core, gradOutput, value);
  const gradScores = (by: number) => throughSoftmax(core, gradWeights, weights, computedWeights, by);
  const gradRaw = gradScores(factor);
  // What the mask adds does not depend on the scores: it hands the gradient on.
  const gradMasked = gradScores(1);
  const forward = { query, key, value, raw, scaled, masked, weights, output };
  const backward = {
    query: product(core, gradRaw, transposed(key)),
    key: product(core, transposed(gradRaw), transposed(query)),
    value: product(core, transposed(weights), transposed(gradOutput)),
    raw: gradRaw,
    scaled: gradMasked,
    masked: gradMasked,
    weights: gradWeights,
    output: gradOutput,
  };
  return {
    source,
    factor,
    forward,
    backward,
    untouched: {
      forward: {
        query: drawn("query", dimension),
        key: drawn("key", dimension),
        value: drawn("value", valueDim),
        raw: computedRaw,
        scaled: computedScaled,
        masked: computedMasked,
        weights: computedWeights,
        output: computedOutput,
      },
      backward: { ...backward, output: drawn("gradOutput", valueDim) },
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
