/** Variance growth: sampling q.k. */
import type { Engine } from "./engine.ts";
import { type DotProducts, readDotProducts, readVarianceSweep } from "./experiment-options.ts";
import { allocated, Doubles, type Heap, Scratch, type Slot } from "./heap.ts";
import { lawNumber, scaleFactor } from "./laws.ts";
import { itemsPerStep } from "./steps.ts";
import { momentsOf, standardErrorOfVariance } from "./theory-moments.ts";
import type {
  ComponentLaw,
  DotProductOptions,
  DotProductResult,
  MomentsSummary,
  Steps,
  VarianceRow,
  VarianceSweepOptions,
} from "./types.ts";

/** Measured for normal components and for Student's t; the other laws are faster. */
const nanosecondsPerComponent = (law: ComponentLaw) => (law === "student-t" ? 8 : 3.5);

/** Of a histogram's range, over the magnitude of its middle: 65536 bins are then 2^4 doubles wide each. */
const minimumReach = 2 ** -33;

/** What the engine keeps of a sample: count, mean, m2, m3, m4, minimum, maximum. */
const momentsLength = 7;
type Tuple7 = [number, number, number, number, number, number, number];

/** Counts of a histogram: one a bin, then underflow and overflow. */
class Counts implements Slot {
  readonly values: Uint32Array;
  readonly bytes: number;
  address = 0;

  constructor(bins: number) {
    this.values = new Uint32Array(bins + 2);
    this.bytes = this.values.byteLength;
  }

  copyIn(engine: Engine): void {
    engine.HEAPU32.set(this.values, this.address >>> 2);
  }

  copyOut(engine: Engine): void {
    const start = this.address >>> 2;
    this.values.set(engine.HEAPU32.subarray(start, start + this.values.length));
  }
}

/** A run that advances step by step. Between steps all its state is here and none in wasm memory. */
class Run {
  readonly #heap: Heap;
  readonly #call: string;
  readonly #factor: number;
  readonly #range: [number, number];
  readonly #moments = new Doubles(new Float64Array(momentsLength));
  readonly #counts: Counts;
  readonly #options: DotProducts;
  readonly #values: Float64Array | undefined;
  #done = 0;

  constructor(heap: Heap, call: string, options: DotProducts) {
    this.#heap = heap;
    this.#call = call;
    this.#options = options;
    this.#factor = scaleFactor(options.scale, options.dimension);
    this.#range = options.range ?? this.#defaultRange();
    this.#counts = new Counts(options.bins);
    const { samples } = options;
    if (options.returnValues) this.#values = allocated(call, 8 * samples, () => new Float64Array(samples));
  }

  /** Five standard deviations either side of the exact mean; of a constant, one. At least so much that bins differ. */
  #defaultRange(): [number, number] {
    const { mean, variance } = momentsOf(this.#heap.engine, this.#options);
    const centre = this.#factor * mean;
    const wanted = 5 * this.#factor * Math.sqrt(variance) || 1;
    const reach = Math.max(wanted, minimumReach * Math.abs(centre), Number.MIN_VALUE / Number.EPSILON ** 2);
    return [centre - reach, centre + reach];
  }

  /** Why a variance estimated from such scores has no standard error, if it has none. */
  #noStandardError(): string | undefined {
    const { engine } = this.#heap;
    if (standardErrorOfVariance(engine, this.#options, 2) < Number.POSITIVE_INFINITY) return undefined;
    return momentsOf(engine, this.#options).reasons?.excessKurtosis;
  }

  /** Draws some more blocks; false when all samples are drawn. */
  step(): boolean {
    const { dimension, components, degreesOfFreedom, correlation } = this.#options;
    const { mean, queryStd, keyStd, seed, samples, bins } = this.#options;
    const { engine } = this.#heap;
    // Samples come in blocks, and runs may be cut only between them.
    const block = engine.samplesPerBlock;
    const more = Math.min(
      block * itemsPerStep(block * dimension * nanosecondsPerComponent(components)),
      samples - this.#done,
    );
    const call = {
      dimension,
      law: lawNumber(engine, components),
      degreesOfFreedom,
      correlation,
      mean,
      queryStd,
      keyStd,
      scale: this.#factor,
      seed,
      firstBlock: this.#done / block,
      samples: more,
      low: this.#range[0],
      high: this.#range[1],
    };
    const values = new Scratch(this.#values ? 8 * more : 0);
    this.#heap.run(this.#call, [this.#moments, this.#counts, values], () => {
      engine.sampleDotProducts(call, this.#moments.address, this.#counts.address, bins, values.address);
      const start = values.address >>> 3;
      this.#values?.set(engine.HEAPF64.subarray(start, start + more), this.#done);
    });
    this.#done += more;
    return this.#done < samples;
  }

  summary(): MomentsSummary {
    const { engine } = this.#heap;
    const moments = new Doubles(this.#moments.values);
    const [count, mean, , , , minimum, maximum] = moments.values as unknown as Tuple7;
    const reason = this.#noStandardError();
    let [variance, skewness, excessKurtosis, standardError] = [0, 0, 0, 0];
    this.#heap.run(this.#call, [moments], () => {
      variance = engine.variance(moments.address);
      skewness = engine.skewness(moments.address);
      excessKurtosis = engine.excessKurtosis(moments.address);
      standardError = engine.varianceStandardError(moments.address);
    });
    const summary = { count, mean, variance, skewness, excessKurtosis, minimum, maximum };
    return reason
      ? { ...summary, varianceStandardError: null, reason }
      : { ...summary, varianceStandardError: standardError };
  }

  result(): DotProductResult {
    const { seed, samples } = this.#options;
    const [low, high] = this.#range;
    const bins = Float64Array.from(this.#counts.values);
    const [underflow, overflow] = bins.subarray(-2) as unknown as [number, number];
    const histogram = { low, high, counts: bins.slice(0, -2), underflow, overflow };
    const result = { seed, moments: this.summary(), histogram };
    return this.#values && this.#done === samples ? { ...result, values: this.#values } : result;
  }

  row(): VarianceRow {
    const { engine } = this.#heap;
    const { count, variance, reason } = this.summary();
    const square = this.#factor ** 2;
    return {
      dimension: this.#options.dimension,
      variance,
      ...(reason
        ? { standardError: null, reason }
        : { standardError: square * standardErrorOfVariance(engine, this.#options, count) }),
      exact: square * momentsOf(engine, this.#options).variance,
      samples: count,
    };
  }
}

export function sampleDotProducts(heap: Heap, options: DotProductOptions): Steps<DotProductResult> {
  const call = "sampleDotProducts";
  const run = new Run(heap, call, readDotProducts(call, options));
  return (function* () {
    while (run.step()) yield () => run.result();
    return run.result();
  })();
}

export function varianceSweep(heap: Heap, options: VarianceSweepOptions): Steps<VarianceRow[]> {
  const call = "varianceSweep";
  const { dimensions, ...sampling } = readVarianceSweep(call, options);
  return (function* () {
    const rows: VarianceRow[] = [];
    for (const dimension of dimensions) {
      const run = new Run(heap, call, {
        ...sampling,
        dimension,
        bins: 1,
        range: [0, 1],
        returnValues: false,
      });
      while (run.step()) yield () => [...rows, run.row()];
      rows.push(run.row());
      yield () => [...rows];
    }
    return rows;
  })();
}
