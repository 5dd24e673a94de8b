/** What the gradient figure knows: both arms at every power of two, and at the chosen d_k, and what they belong to. */
import type { AttentionRow, GradientRow, Pool } from "../core/types.ts";
import type { FigureState } from "../state/hash.ts";
import type { Job } from "./latest.ts";

export type GradientState = FigureState<"gradient">;
export type GradientSource = Pick<GradientState, "seed" | "keys">;

/** The two arms at one d_k; they saw the same queries and keys. */
export interface Pair {
  dimension: number;
  raw: GradientRow;
  scaled: GradientRow;
}

/** One row in both arms: of one query, its own keys and values. */
export interface SingleRow {
  dimension: number;
  /** Which row of the seed it is. */
  row: number;
  raw: AttentionRow;
  scaled: AttentionRow;
}

/**
 * Work of a row grows with d_k, so the sweep is asked in groups: small d_k get many trials at little cost, and a group
 * that is dear does not hold the others up.
 */
const groups: readonly (readonly number[])[] = [
  [1, 2, 4, 8, 16, 32, 64],
  [128, 256, 512],
  [1024, 2048, 4096],
];

const dearestFirst = [...groups].reverse();

/** Trials x keys x sum of dimensions; about 2 ns each. */
const coarseWork = 3.5e6;
/** Refined in two strides: no group stays coarse while another is polished. */
const middleWork = 8e7;
const fineWork = 8e8;
/** So that the dearest setting answers at once too; bands are drawn only from enough rows. */
const fewest = 4;
const coarseTrials = 2000;
const fineTrials = 2 ** 14;

export function trialsFor(dimensions: readonly number[], keys: number, work: number, most: number): number {
  const each = keys * dimensions.reduce((sum, dimension) => sum + dimension, 0);
  return Math.round(Math.min(most, Math.max(fewest, work / each)));
}

export function pairs(rows: readonly GradientRow[]): Pair[] {
  const found = new Map<number, Partial<Pair>>();
  for (const row of rows) {
    const pair = found.get(row.dimension) ?? { dimension: row.dimension };
    found.set(row.dimension, row.scale === "none" ? { ...pair, raw: row } : { ...pair, scaled: row });
  }
  return [...found.values()].filter(
    (pair): pair is Pair => pair.raw !== undefined && pair.scaled !== undefined,
  );
}

/** Length of the value vectors that carry the gradient back, an even number. */
const valueDim = 16;

/**
 * Where the mean of |dL/dq| tends to, unscaled, as d_k grows: m_n sqrt(2/pi) E|g| for g ~ N(0, I) of the values' length.
 * Two keys are left then; the chance of a tie falls like m_n / sqrt(d_k), their distance grows like sqrt(2 d_k).
 */
export function plateau(expectedMaximum: number): number {
  // E|g| = sqrt(2) Gamma((v + 1)/2) / Gamma(v/2): sqrt(pi/2) for v = 2, and (v + 1)/v times that for v + 2.
  let length = Math.sqrt(Math.PI / 2);
  for (let v = 2; v < valueDim; v += 2) length *= (v + 1) / v;
  return expectedMaximum * Math.sqrt(2 / Math.PI) * length;
}

export class GradientModel {
  /** Ordered by dimension. */
  sweep: readonly Pair[] = [];
  chosen: Pair | null = null;
  /** Only while it is looked at. */
  single: SingleRow | null = null;
  /** What `sweep` and `chosen` were computed for; the reader's hand may be ahead of it. */
  source: GradientSource | null = null;
  /** m_n for these keys, the constant of the law for large spread. */
  expectedMaximum = 0;
  /** Rows `chosen` is to rest on in the end. */
  goal = 0;
  #refined = false;
  readonly #arrived: () => void;

  constructor(arrived: () => void) {
    this.#arrived = arrived;
  }

  job(state: GradientState, pool: Pool, streams: boolean): Required<Job> {
    const { seed, keys, dimension, row } = state;
    const swept = () => this.source?.keys === keys && this.source.seed === seed;
    const goal = trialsFor([dimension], keys, fineWork / 2, fineTrials);
    const ask = (
      dimensions: readonly number[],
      trials: number,
      signal: AbortSignal,
      onProgress?: (rows: GradientRow[]) => void,
    ) =>
      pool.gradientSweep(
        { dimensions, keys, trials, seed, valueDim },
        { signal, ...(onProgress && { onProgress }) },
      );

    const drawOne = async (signal: AbortSignal): Promise<SingleRow | null> => {
      if (state.show !== "row") return null;
      const ask = (scale: "none" | "rsqrt") =>
        pool.sampleAttentionRow({ dimension, keys, seed, trial: row, scale, valueDim }, { signal });
      const [raw, scaled] = await Promise.all([ask("none"), ask("rsqrt")]);
      return { dimension, row, raw, scaled };
    };
    const choose = (rows: readonly GradientRow[], single: SingleRow | null) => {
      this.chosen = pairs(rows)[0] ?? null;
      this.single = single;
      this.goal = goal;
      this.#arrived();
    };
    // A refinement that was interrupted starts anew; what it had reached stays until it is surpassed.
    const better = (old: Pair | null | undefined, pair: Pair | undefined) =>
      pair && (old?.dimension !== pair.dimension || pair.raw.trials >= old.raw.trials) ? pair : old;
    const improve = (rows: readonly GradientRow[]) => {
      this.chosen = better(this.chosen, pairs(rows)[0]) ?? null;
      this.#arrived();
    };
    const replace = (rows: readonly GradientRow[]) => {
      const fresh = new Map(pairs(rows).map((pair) => [pair.dimension, pair]));
      this.sweep = this.sweep.map((pair) => better(pair, fresh.get(pair.dimension)) as Pair);
      this.#arrived();
    };

    return {
      coarse: async (signal) => {
        const own = ask([dimension], trialsFor([dimension], keys, coarseWork, coarseTrials), signal);
        const one = drawOne(signal);
        if (swept()) {
          const [rows, single] = await Promise.all([own, one]);
          // What only looks at the same numbers in another way does not make them coarser again.
          const finer =
            this.chosen?.dimension === dimension && this.chosen.raw.trials > (rows[0]?.trials ?? 0);
          return choose(finer && this.chosen ? [this.chosen.raw, this.chosen.scaled] : rows, single);
        }
        // All groups change in one go: half a sweep of 16 keys beside half of 64 would be a lie.
        const [expectedMaximum, single, ...parts] = await Promise.all([
          pool.expectedMaximum(keys),
          one,
          own,
          ...groups.map((group) => ask(group, trialsFor(group, keys, coarseWork, coarseTrials), signal)),
        ]);
        const [mine = [], ...rest] = parts;
        this.sweep = pairs(rest.flat());
        this.expectedMaximum = expectedMaximum;
        this.source = { seed, keys };
        this.#refined = false;
        choose(mine, single);
      },
      refine: async (signal) => {
        const guard = (use: (rows: readonly GradientRow[]) => void) =>
          streams ? (rows: GradientRow[]) => !signal.aborted && use(rows) : undefined;
        for (const work of [middleWork, fineWork]) {
          const own = work === fineWork ? goal : trialsFor([dimension], keys, work, fineTrials);
          const had = this.chosen?.dimension === dimension ? this.chosen.raw.trials : 0;
          if (had < own) improve(await ask([dimension], own, signal, guard(improve)));
          if (this.#refined) continue;
          // The dearest group first: after the coarse answer its band is the widest by far.
          for (const group of dearestFirst) {
            const trials = trialsFor(group, keys, work, fineTrials);
            const reached = this.sweep.find((pair) => pair.dimension === group[0])?.raw.trials ?? 0;
            if (reached < trials) replace(await ask(group, trials, signal, guard(replace)));
          }
        }
        this.#refined = true;
      },
    };
  }
}
