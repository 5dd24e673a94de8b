/** What the variance figure knows: four histograms with their densities, and the variance along d_k. */
import type { DotProductResult, JobOptions, Pool, VarianceRow } from "../core/types.ts";
import type { FigureState } from "../state/hash.ts";
import type { Job } from "./latest.ts";

export type VarianceState = FigureState<"variance">;
export type HillName = VarianceState["show"][number];

export interface Hill {
  dimension: number;
  /** Law and seed the samples came from. */
  source: string;
  result: DotProductResult;
  /** Exact density at `z` standard deviations, times the standard deviation; null where no formula is known. */
  exact: Float64Array | null;
}

export const presets = { "3": 3, "100": 100, "1000": 1000 } as const;
export const sweepDimensions = Array.from({ length: 13 }, (_, exponent) => 2 ** exponent);

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

/** Bins in the units of the dot product, five standard deviations either way. */
export function binning(
  dimension: number,
  law: VarianceState["components"],
): { bins: number; range: [number, number] } {
  const reach = 5 * Math.sqrt(dimension);
  if (law !== "rademacher") return { bins: 120, range: [-reach, reach] };
  // The sum of d signs takes every second integer: one bin a lattice point, the point in its middle. Other bins would
  // hold now one point, now two, and draw a comb that is not there.
  const outermost = 2 * Math.ceil((reach - (dimension % 2)) / 2) + (dimension % 2);
  return { bins: outermost + 1, range: [-outermost - 1, outermost + 1] };
}

export class VarianceModel {
  readonly hills = new Map<HillName, Hill>();
  rows: readonly VarianceRow[] = [];
  goal = 0;
  #swept = "";
  #refined = "";
  readonly #arrived: () => void;
  readonly #densities = new Map<number, Float64Array>();

  constructor(arrived: () => void) {
    this.#arrived = arrived;
  }

  job(state: VarianceState, pool: Pool, streams: boolean): Job {
    const { seed, components, dimension } = state;
    const source = `${components} ${seed}`;
    const hill = async (
      name: HillName,
      d: number,
      samples: number,
      signal: AbortSignal,
      streamed = false,
    ) => {
      const options = { dimension: d, samples, seed, components, ...binning(d, components) };
      const exact = components === "normal" ? this.#density(d, pool) : Promise.resolve(null);
      const show = async (result: DotProductResult) => {
        const density = await exact;
        if (signal.aborted) return;
        // A refinement that was interrupted starts anew, but the reader does not lose what was there.
        const old = this.hills.get(name);
        const better =
          old?.source !== source || old.dimension !== d || result.moments.count >= old.result.moments.count;
        if (better) this.hills.set(name, { dimension: d, source, result, exact: density });
        this.#arrived();
      };
      const onProgress = (soFar: DotProductResult) => void show(soFar);
      await show(await pool.sampleDotProducts(options, streamed ? { signal, onProgress } : { signal }));
    };
    const sweep = async (samples: number, job: JobOptions<VarianceRow[]>) => {
      const options = { dimensions: sweepDimensions, samples, seed, components };
      const rows = await pool.varianceSweep(options, job);
      if (samples === coarseSweep) this.rows = [];
      this.#improveRows(rows);
    };
    const others = Object.entries(presets) as [HillName, number][];

    return {
      coarse: async (signal) => {
        this.goal = fineSamples(dimension);
        await hill("chosen", dimension, coarseSamples(dimension), signal);
        if (this.#swept === source) return;
        this.#refined = "";
        for (const [name, d] of others) await hill(name, d, coarseSamples(d), signal);
        await sweep(coarseSweep, { signal });
        this.#swept = source;
      },
      refine: async (signal) => {
        await hill("chosen", dimension, fineSamples(dimension), signal, streams);
        if (this.#refined === source) return;
        const onProgress = (rows: VarianceRow[]) => {
          if (!signal.aborted) this.#improveRows(rows);
        };
        const finer = streams ? { signal, onProgress } : { signal };
        if (this.rows.some((row) => row.samples < middleSweep)) await sweep(middleSweep, finer);
        for (const [name, d] of others) await hill(name, d, fineSamples(d), signal);
        await sweep(fineSweep, finer);
        this.#refined = source;
      },
    };
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

/** Standard deviation and half its 95 % band, from a variance and its standard error. */
export function deviation(variance: number, standardError: number): { sd: number; half: number } {
  const sd = Math.sqrt(variance);
  return { sd, half: (1.96 * standardError) / (2 * sd) };
}
