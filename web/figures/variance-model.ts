/** What the variance figure knows: four histograms with their densities, the variance along d_k, and what they belong to. */
import type { DotProductMoments, DotProductResult, JobOptions, Pool, VarianceRow } from "../core/types.ts";
import type { Job } from "./latest.ts";
import { powersOfTwo } from "./stops.ts";
import { assumptionsHold, hasDensity, type Law, lawOf, type VarianceState } from "./variance-law.ts";

export type VarianceSource = Law & Pick<VarianceState, "seed">;
export type HillName = VarianceState["show"][number];

export interface Hill {
  dimension: number;
  result: DotProductResult;
  /** What mean and variance are in theory. */
  exact: Pick<DotProductMoments, "mean" | "variance">;
  /** Exact density at `z` standard deviations, times the standard deviation; null where no formula is known. */
  density: Float64Array | null;
}

export const presets = { "3": 3, "100": 100, "1000": 1000 } as const;

/** Where densities are drawn, in standard deviations. An even number of points: none falls on 0, where d_k = 1 is infinite. */
export const densityGrid = Float64Array.from({ length: 260 }, (_, i) => -5.2 + 0.04 * (i + 0.5));

/** Samples for an answer within a frame, and for one whose band is thin; both bounded by the work they mean. */
const coarseSamples = (dimension: number) => Math.round(Math.min(8192, Math.max(512, 2 ** 21 / dimension)));
const fineSamples = (dimension: number) =>
  Math.round(Math.min(2 ** 18, Math.max(2 ** 15, 2 ** 27 / dimension)));
const coarseSweep = 256;
/** The band along the line gets thin in two strides, so that the first does not wait for the presets. */
const middleSweep = 2 ** 12;
const fineSweep = 2 ** 15;

/** Bins in the units of the dot product: the core's own reach, five standard deviations either side of the mean. */
export function binning(dimension: number, law: Law): { bins: number; range?: [number, number] } {
  if (law.components !== "rademacher" || !assumptionsHold(law)) return { bins: 120 };
  // The sum of d signs takes every second integer: one bin a lattice point, the point in its middle. Other bins would
  // hold now one point, now two, and draw a comb that is not there.
  const reach = 5 * Math.sqrt(dimension);
  const outermost = 2 * Math.ceil((reach - (dimension % 2)) / 2) + (dimension % 2);
  return { bins: outermost + 1, range: [-outermost - 1, outermost + 1] };
}

export class VarianceModel {
  hills: ReadonlyMap<HillName, Hill> = new Map();
  rows: readonly VarianceRow[] = [];
  /** What `hills` and `rows` were computed for; the reader's hand may be ahead of it. */
  source: VarianceSource | null = null;
  /** Samples the chosen hill is to rest on in the end. */
  goal = 0;
  /** Whether the coarse answer to `source` is there in full, and the fine one. */
  #swept = false;
  #refined = false;
  readonly #arrived: () => void;
  readonly #densities = new Map<number, Float64Array>();

  constructor(arrived: () => void) {
    this.#arrived = arrived;
  }

  job(state: VarianceState, pool: Pool, streams: boolean): Required<Job> {
    const { seed, dimension } = state;
    const law = lawOf(state);
    const source = { seed, ...law };
    const known = () => JSON.stringify(this.source) === JSON.stringify(source);
    const goal = fineSamples(dimension);
    const sample = async (
      d: number,
      samples: number,
      signal: AbortSignal,
      onSoFar?: (hill: Hill) => void,
    ): Promise<Hill> => {
      const options = { dimension: d, samples, seed, ...law, ...binning(d, law) };
      const theory = Promise.all([
        pool.theory.dotProductMoments({ dimension: d, ...law }),
        hasDensity(law) ? this.#density(d, pool) : null,
      ]);
      const hill = async (result: DotProductResult): Promise<Hill> => {
        const [exact, density] = await theory;
        return { dimension: d, result, exact, density };
      };
      // Without its theory there is no picture yet; that it failed is told once, by the call below.
      const onProgress = (result: DotProductResult) =>
        void hill(result).then(
          (soFar) => !signal.aborted && onSoFar?.(soFar),
          () => {},
        );
      const [result] = await Promise.all([
        pool.sampleDotProducts(options, onSoFar ? { signal, onProgress } : { signal }),
        theory,
      ]);
      return hill(result);
    };
    const sweep = (samples: number, job: JobOptions<VarianceRow[]>) =>
      pool.varianceSweep({ dimensions: powersOfTwo, samples, seed, ...law }, job);
    const others = Object.entries(presets) as [HillName, number][];
    const choose = (hill: Hill) => {
      this.goal = goal;
      this.#improveHill("chosen", hill);
    };

    return {
      coarse: async (signal) => {
        const mine = await sample(dimension, coarseSamples(dimension), signal);
        if (known() && this.#swept) return choose(mine);
        // The first picture grows piece by piece; later ones change in one go, as hills of two laws do not mix.
        if (this.source === null) {
          this.source = source;
          choose(mine);
        }
        const hills = new Map<HillName, Hill>([["chosen", mine]]);
        for (const [name, d] of others) {
          hills.set(name, await sample(d, coarseSamples(d), signal));
          if (known()) this.#improveHill(name, hills.get(name) as Hill);
        }
        const rows = await sweep(coarseSweep, { signal });
        this.source = source;
        this.hills = hills;
        this.rows = [];
        this.goal = goal;
        this.#refined = false;
        this.#swept = true;
        this.#improveRows(rows);
      },
      refine: async (signal) => {
        const soFar = streams ? choose : undefined;
        choose(await sample(dimension, goal, signal, soFar));
        if (this.#refined) return;
        const onProgress = (rows: VarianceRow[]) => {
          if (!signal.aborted) this.#improveRows(rows);
        };
        const finer = streams ? { signal, onProgress } : { signal };
        if (this.rows.some((row) => row.samples < middleSweep))
          this.#improveRows(await sweep(middleSweep, finer));
        for (const [name, d] of others) this.#improveHill(name, await sample(d, fineSamples(d), signal));
        this.#improveRows(await sweep(fineSweep, finer));
        this.#refined = true;
      },
    };
  }

  /** A refinement that was interrupted starts anew, but the reader does not lose what was there. */
  #improveHill(name: HillName, hill: Hill): void {
    const old = this.hills.get(name);
    const better = old?.dimension !== hill.dimension || hill.result.moments.count >= old.result.moments.count;
    if (better) this.hills = new Map(this.hills).set(name, hill);
    this.#arrived();
  }

  /** Progress may tell of some d_k only; the others keep what they have, and nothing gets worse. */
  #improveRows(rows: readonly VarianceRow[]): void {
    const merged = new Map(this.rows.map((row) => [row.dimension, row]));
    for (const row of rows) {
      if (row.samples >= (merged.get(row.dimension)?.samples ?? 0)) merged.set(row.dimension, row);
    }
    this.rows = [...merged.values()].sort((a, b) => a.dimension - b.dimension);
    this.#arrived();
  }

  async #density(dimension: number, pool: Pool): Promise<Float64Array> {
    const known = this.#densities.get(dimension);
    if (known) return known;
    const sigma = Math.sqrt(dimension);
    const density = await pool.dotProductDensity(
      densityGrid.map((z) => z * sigma),
      { dimension },
    );
    const scaled = density.map((value) => value * sigma);
    // A day of dragging must not fill the memory.
    if (this.#densities.size > 200) this.#densities.clear();
    this.#densities.set(dimension, scaled);
    return scaled;
  }
}

/** Standard deviation and half its 95 % band, from a variance and its standard error; NaN where it has none. */
export function deviation(variance: number, standardError: number | null): { sd: number; half: number } {
  const sd = Math.sqrt(variance);
  return { sd, half: standardError === null ? Number.NaN : (1.96 * standardError) / (2 * sd) };
}
