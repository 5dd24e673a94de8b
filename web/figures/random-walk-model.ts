/** What the random-walk figure knows: the walks, how wide they have spread after every step, and the exact law of their ends. */
import type { Core, Pool, Theory } from "../core/types.ts";
import type { FigureState } from "../state/hash.ts";
import type { Job } from "./latest.ts";
import { dimensionLimits } from "./stops.ts";

export type RandomWalkState = FigureState<"random-walk">;

/** Every walk goes all the way; d_k says how far it is looked at. So one that grows longer goes on as it was. */
export const longest = dimensionLimits.max;
/** Walks come in groups, a few milliseconds of work each, until there are all. */
export const groupWalks = 50;
export const allWalks = 400;

/** Where the density is drawn, in standard deviations. None falls on 0, where it is infinite for one step. */
export const densityGrid = Float64Array.from({ length: 180 }, (_, i) => -3.58 + 0.04 * i);

/** The walks drawn so far, and how wide they have spread. */
export class Walks {
  readonly seed: number;
  readonly count: number;
  /** S_i = q_1 k_1 + ... + q_i k_i of walk w of a group at [w * longest + i - 1]. */
  readonly #groups: readonly Float32Array[];
  /** Mean of S_i over the walks, and the sum of squared distances from it, at [i - 1]. */
  readonly #mean: Float64Array;
  readonly #squares: Float64Array;

  constructor(seed: number, groups: readonly Float32Array[], mean: Float64Array, squares: Float64Array) {
    this.seed = seed;
    this.count = groups.length * groupWalks;
    this.#groups = groups;
    this.#mean = mean;
    this.#squares = squares;
  }

  static none(seed: number): Walks {
    return new Walks(seed, [], new Float64Array(longest), new Float64Array(longest));
  }

  /** These and one more group, from its query and key components, one walk after the other. */
  and(query: Float32Array, key: Float32Array): Walks {
    const sums = new Float32Array(groupWalks * longest);
    const [mean, squares] = [this.#mean.slice(), this.#squares.slice()];
    for (let walk = 0, at = 0; walk < groupWalks; ++walk) {
      const count = this.count + walk + 1;
      let sum = 0;
      for (let i = 0; i < longest; ++i, ++at) {
        sum += (query[at] as number) * (key[at] as number);
        sums[at] = sum;
        // Welford's update: squares of the distances to the mean so far.
        const distance = sum - (mean[i] as number);
        mean[i] = (mean[i] as number) + distance / count;
        squares[i] = (squares[i] as number) + distance * (sum - (mean[i] as number));
      }
    }
    return new Walks(this.seed, [...this.#groups, sums], mean, squares);
  }

  /** Where a walk stands after so many steps; at the start all stand at 0. */
  at(walk: number, steps: number): number {
    if (steps === 0) return 0;
    const group = this.#groups[Math.floor(walk / groupWalks)] as Float32Array;
    return group[(walk % groupWalks) * longest + steps - 1] as number;
  }

  /** The measured standard deviation after so many steps. */
  spread(steps: number): number {
    return steps === 0 ? 0 : Math.sqrt((this.#squares[steps - 1] as number) / (this.count - 1));
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

  job(
    { seed, dimension }: RandomWalkState,
    pool: Pool,
    core: () => Promise<Core>,
    streams: boolean,
  ): Required<Job> {
    const drawn = () => (this.walks?.seed === seed ? this.walks : null);
    /** One group more. A group has two streams of random numbers: one for its queries, one for its keys. */
    const grown = async (walks: Walks) => {
      const group = walks.count / groupWalks;
      const [query, key] = await Promise.all(
        [2 * group, 2 * group + 1].map((stream) => pool.randomNormal(groupWalks * longest, { seed, stream })),
      );
      return walks.and(query as Float32Array, key as Float32Array);
    };
    return {
      coarse: async (signal) => {
        const { theory } = await core();
        const [walks, law] = await Promise.all([
          drawn() ?? grown(Walks.none(seed)),
          this.#law(dimension, pool),
        ]);
        if (signal.aborted) return;
        this.walks = walks;
        this.law = law;
        if (this.reaches.length === 0) this.reaches = funnelSteps.map((steps) => reach(theory, steps));
        this.#arrived();
      },
      refine: async (signal) => {
        let walks = drawn();
        while (walks && walks.count < allWalks) {
          walks = await grown(walks);
          if (signal.aborted || !drawn()) return;
          if (!streams && walks.count < allWalks) continue;
          this.walks = walks;
          this.#arrived();
        }
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
