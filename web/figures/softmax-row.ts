/** One row of scores and all that softmax makes of it, as the core computes it: what the figures about a single row show. */
import type { Core, SoftmaxDiagnostics } from "../core/types.ts";

/** Where the scores come from: typed, or those of a random query and random keys. */
export interface RowState {
  random: boolean;
  scores: readonly number[];
  seed: number;
  keys: number;
  dimension: number;
  /** Multiplies the scores before softmax. */
  spread: number;
}

export interface SoftmaxRow {
  /** Before the spread. */
  scores: Float32Array;
  spread: number;
  weights: Float32Array;
  /** ln p: tells weights apart that float32 rounds to 0 or to 1. */
  logWeights: Float32Array;
  /** n x n, row-major: diag(p) - p p^T. */
  jacobian: Float32Array;
  /** p (1 - p): the diagonal of the Jacobian, accurate for the largest weight too. */
  slopes: Float32Array;
  entropy: number;
  /** exp(entropy), and 1 / sum p^2. */
  perplexity: number;
  effectiveKeys: number;
  largest: { key: number; weight: number; complement: number };
  trace: number;
  frobenius: number;
  spectral: number;
}

/** A Jacobian of smaller Frobenius norm is called dead, as in the figure of gradients; so is a slope. */
export const dead = 1e-3;

/** Values of the one row that was asked for. */
function only(diagnostics: SoftmaxDiagnostics) {
  const of = (name: keyof SoftmaxDiagnostics) => diagnostics[name][0] as number;
  return {
    entropy: of("entropy"),
    perplexity: of("perplexity"),
    effectiveKeys: of("effectiveKeys"),
    trace: of("jacobianTrace"),
    frobenius: of("jacobianFrobenius"),
    spectral: of("jacobianSpectral"),
    weight: of("maxProbability"),
    complement: of("maxComplement"),
  };
}

export function softmaxRow(core: Core, scores: Float32Array, spread: number): SoftmaxRow {
  const options = { scale: spread };
  const weights = core.softmax(scores, options);
  const jacobian = core.softmaxJacobian(weights);
  const { weight, complement, ...rest } = only(core.softmaxDiagnostics(scores, options));
  return {
    scores,
    spread,
    weights,
    logWeights: core.logSoftmax(scores, options),
    jacobian,
    slopes: weights.map((_, i) => jacobian[i * scores.length + i] as number),
    // By the scores: weights may be equal in float32 where the scores are not.
    largest: { key: scores.indexOf(Math.max(...scores)), weight, complement },
    ...rest,
  };
}

/** The logit ln(p / (1 - p)) of key `i`: how far its score is ahead of all others together. */
export function lead({ logWeights, largest }: SoftmaxRow, i: number): number {
  const own = logWeights[i] as number;
  return own - (i === largest.key ? Math.log(largest.complement) : Math.log1p(-Math.exp(own)));
}

/** Components drawn once a seed: as many as the largest d_k has. */
const components = 4096;

/**
 * Scores of random queries and keys: the query is stream 0 of the seed, every key a further stream. One draw serves every
 * d_k, which takes the first d_k components, so that the same query meets the same keys while d_k moves.
 */
export class RandomRows {
  #seed = -1;
  readonly #streams = new Map<number, Float32Array>();

  scores(core: Core, { seed, keys, dimension }: Pick<RowState, "seed" | "keys" | "dimension">): Float32Array {
    if (seed !== this.#seed) this.#streams.clear();
    this.#seed = seed;
    const query = this.#draw(core, 0);
    return Float32Array.from({ length: keys }, (_, key) => dot(query, this.#draw(core, key + 1), dimension));
  }

  #draw(core: Core, stream: number): Float32Array {
    const drawn = this.#streams.get(stream) ?? core.randomNormal(components, { seed: this.#seed, stream });
    this.#streams.set(stream, drawn);
    return drawn;
  }
}

/** In double precision. */
function dot(query: Float32Array, key: Float32Array, dimension: number): number {
  let sum = 0;
  for (let i = 0; i < dimension; ++i) sum += (query[i] as number) * (key[i] as number);
  return sum;
}
