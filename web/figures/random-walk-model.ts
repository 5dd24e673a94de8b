/** What the random-walk figure knows: the walks, how wide they have spread after every step, and the exact law of their ends. */
import type { Core, Pool, Theory } from "../core/types.ts";
import type { FigureState } from "../state/hash.ts";
import type { Job } from "./latest.ts";
import { dimensionLimits } from "./stops.ts";

export type RandomWalkState = FigureState<"random-walk">;

/** Every walk goes all the way; d_k says how far it is looked at. So one that grows longer goes on as it was. */
export const longest = dimensionLimits.max;
/** Walks of the first picture, and of the finished one. */
export const fewWalks = 64;
export const allWalks = 400;

/** Where the density is drawn, in standard deviations. None falls on 0, where it is infinite for one step. */
export const densityGrid = Float64Array.from({ length: 180 }, (_, i) => -3.58 + 0.04 * i);

/** Query components of all walks, one walk after the other, and key components: a stream each. */
const queryStream = 0;
const keyStream = 1;

export class Walks {
  readonly seed: number;
  readonly count: number;
  /** S_i = q_1 k_1 + ... + q_i k_i of walk w at [w * longest + i - 1]. */
  readonly #sums: Float32Array;
  /** Sample standard deviation of S_i over the walks at [i - 1]. */
  readonly #spread = new Float64Array(longest);

  constructor(seed: number, query: Float32Array, key: Float32Array) {
    this.seed = seed;
    this.count = query.length / longest;
    this.#sums = new Float32Array(query.length);
    const mean = new Float64Array(longest);
    for (let walk = 0, at = 0; walk < this.count; ++walk) {
      let sum = 0;
      for (let i = 0; i < longest; ++i, ++at) {
        sum += (query[at] as number) * (key[at] as number);
        this.#sums[at] = sum;
        // Welford's update: squares of the distances to the mean so far.
        const distance = sum - (mean[i] as number);
        mean[i] = (mean[i] as number) + distance / (walk + 1);
        this.#spread[i] = (this.#spread[i] as number) + distance * (sum - (mean[i] as number));
      }
    }
    for (let i = 0; i < longest; ++i)
      this.#spread[i] = Math.sqrt((this.#spread[i] as number) / (this.count - 1));
  }

  /** Where a walk stands after so many steps; at the start all stand at 0. */
  at(walk: number, steps: number): number {
    return steps === 0 ? 0 : (this.#sums[walk * longest + steps - 1] as number);
  }

  /** The measured standard deviation after so many steps. */
  spread(steps: number): number {
    return steps === 0 ? 0 : (this.#spread[steps - 1] as number);
  }

  /** Half the 95 % band of `spread`: the standard error of a variance, excess kurtosis 6/d, carried to its root. */
  spreadBand(steps: number): number {
    const relative = Math.sqrt(2 / (this.count - 1) + 6 / (steps * this.count));
    return (1.96 * this.spread(steps) * relative) / 2;
  }

  /** Ends after `steps` in bins over [-reach, reach); the few beyond are in no bin. */
  histogram(steps: number, reach: number, bins: number): Float64Array {
    const counts = new Float64Array(bins);
    for (let walk = 0; walk < this.count; ++walk) {
      const bin = Math.floor(((this.at(walk, steps) + reach) / (2 * reach)) * bins);
      if (bin >= 0 && bin < bins) counts[bin] = (counts[bin] as number) + 1;
    }
    return counts;
  }

  /** How many walks are within `bound` of where they began. */
  within(steps: number, bound: number): number {
    let hits = 0;
    for (let walk = 0; walk < this.count; ++walk) if (Math.abs(this.at(walk, steps)) <= bound) ++hits;
    return hits;
  }
}

/** The exact law of the sum after `dimension` steps. */
export interface Law {
  dimension: number;
  /** Density at `densityGrid` standard deviations, times the standard deviation. */
  density: Float64Array;
}

/** Where the funnel's 95 % line is computed: its reach in standard deviations changes smoothly, from 2.18 to 1.96. */
export const funnelSteps: readonly number[] = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 512, longest];

export class RandomWalkModel {
  walks: Walks | null = null;
  law: Law | null = null;
  /** 97.5 % quantiles in standard deviations, at `funnelSteps`; empty until they are there. */
  reaches: readonly number[] = [];
  readonly #arrived: () => void;
  readonly #laws = new Map<number, Law>();

  constructor(arrived: () => void) {
    this.#arrived = arrived;
  }

  job({ seed, dimension }: RandomWalkState, pool: Pool, core: () => Promise<Core>): Required<Job> {
    const drawn = () => this.walks?.seed === seed;
    const draw = async (count: number) => {
      const [query, key] = await Promise.all(
        [queryStream, keyStream].map((stream) => pool.randomNormal(count * longest, { seed, stream })),
      );
      return new Walks(seed, query as Float32Array, key as Float32Array);
    };
    return {
      coarse: async (signal) => {
        const { theory } = await core();
        const [walks, law] = await Promise.all([
          drawn() ? this.walks : draw(fewWalks),
          this.#law(dimension, pool),
        ]);
        if (signal.aborted) return;
        this.walks = walks;
        this.law = law;
        if (this.reaches.length === 0) this.reaches = funnelSteps.map((steps) => reach(theory, steps));
        this.#arrived();
      },
      refine: async (signal) => {
        if (!drawn() || this.walks?.count === allWalks) return;
        // The first walks are drawn again, to the same bits: a longer request begins with the shorter one.
        const walks = await draw(allWalks);
        if (signal.aborted || !drawn()) return;
        this.walks = walks;
        this.#arrived();
      },
    };
  }

  async #law(dimension: number, pool: Pool): Promise<Law> {
    const known = this.#laws.get(dimension);
    if (known) return known;
    const sigma = Math.sqrt(dimension);
    const grid = densityGrid.map((z) => z * sigma);
    const density = await pool.dotProductDensity(grid, { dimension });
    const law = { dimension, density: density.map((value) => value * sigma) };
    // A day of dragging must not fill the memory.
    if (this.#laws.size > 200) this.#laws.clear();
    this.#laws.set(dimension, law);
    return law;
  }
}

/** 95 % of sums of so many products lie within so many standard deviations. */
function reach(theory: Theory, dimension: number): number {
  return theory.dotProductQuantile(0.975, { dimension }) / Math.sqrt(dimension);
}
