/** Gradient collapse: what comes back through the softmax of a row of attention. */
import { type GradientSweep, readGradientSweep } from "./experiment-options.ts";
import { Doubles, type Heap, limitBytes, outOfMemory, Scratch } from "./heap.ts";
import { scaleFactor } from "./laws.ts";
import { itemsPerStep } from "./steps.ts";
import { expectedRow } from "./theory.ts";
import type { Estimate, ExpectedSoftmax, GradientRow, GradientSweepOptions, Steps } from "./types.ts";

const call = "gradientSweep";

/** What the engine measures in every trial and scale, in its order. */
const quantities = [
  "entropy",
  "maxProbability",
  "sumSquares",
  "jacobianTrace",
  "jacobianFrobenius",
  "deadRows",
  "exactZeros",
  "gradQueryNorm",
  "gradKeyNorm",
] as const;
type Quantities = { [name in (typeof quantities)[number]]: Estimate };

/** Measured: drawing a normal and using it; the softmax, its diagnostics and gradient, a key and scale. */
const nanosecondsPerComponent = 3;
const nanosecondsPerKey = 60;

/** The trials of one dimension, under all scales. Between steps its state is here and none in wasm memory. */
class Run {
  readonly #heap: Heap;
  readonly #options: GradientSweep;
  readonly #dimension: number;
  readonly #factors: Float64Array;
  /** A column for each quantity of each scale, a value for each trial. */
  readonly #columns: Float64Array[];
  readonly #theory: (ExpectedSoftmax | null)[];
  #done = 0;

  constructor(heap: Heap, options: GradientSweep, dimension: number) {
    const { scale, trials, keys } = options;
    this.#heap = heap;
    this.#options = options;
    this.#dimension = dimension;
    this.#factors = Float64Array.from(scale, (s) => scaleFactor(s, dimension));
    this.#theory = scale.map((s) => expectedRow(heap, call, keys, dimension, s));
    try {
      this.#columns = Array.from(
        { length: scale.length * quantities.length },
        () => new Float64Array(trials),
      );
    } catch (cause) {
      throw outOfMemory(call, 8 * scale.length * quantities.length * trials, cause);
    }
  }

  /** Runs some more trials; false when all are done. */
  step(): boolean {
    const { engine } = this.#heap;
    const { keys, valueDim, trials, seed } = this.#options;
    const components = (keys + 1) * (this.#dimension + valueDim);
    // The engine counts its scratch in 32 bits.
    if (4 * components > limitBytes) throw outOfMemory(call, 4 * components);
    const cost = components * nanosecondsPerComponent + keys * this.#factors.length * nanosecondsPerKey;
    const more = Math.min(itemsPerStep(cost), trials - this.#done);
    const options = {
      dimension: this.#dimension,
      keys,
      valueDim,
      seed,
      firstTrial: this.#done,
      trials: more,
    };

    const scales = new Doubles(this.#factors);
    const floats = new Scratch(4 * engine.gradientFlowScratchFloats(options));
    const doubles = new Scratch(8 * engine.gradientFlowScratchDoubles(options));
    const values = new Doubles(new Float64Array(this.#columns.length * more));
    this.#heap.run(call, [scales, floats, doubles, values], () =>
      engine.runGradientTrials(
        options,
        scales.address,
        this.#factors.length,
        floats.address,
        doubles.address,
        values.address,
      ),
    );
    this.#columns.forEach((column, c) => {
      column.set(values.values.subarray(c * more, (c + 1) * more), this.#done);
    });
    this.#done += more;
    return this.#done < trials;
  }

  #estimate(column: Float64Array): Estimate {
    const values = new Doubles(column.subarray(0, this.#done));
    const scratch = new Scratch(values.bytes);
    let estimate!: Estimate;
    this.#heap.run(call, [values, scratch], () => {
      estimate = this.#heap.engine.estimate(values.address, this.#done, scratch.address);
    });
    return estimate;
  }

  /** One row for each scale. */
  rows(): GradientRow[] {
    return this.#options.scale.map((scale, s) => {
      const estimates = quantities.map((name, q) => {
        const column = this.#columns[s * quantities.length + q] as Float64Array;
        return [name, this.#estimate(column)] as const;
      });
      return {
        dimension: this.#dimension,
        scale,
        trials: this.#done,
        ...(Object.fromEntries(estimates) as Quantities),
        theory: this.#theory[s] ?? null,
      };
    });
  }
}

export function gradientSweep(heap: Heap, options: GradientSweepOptions): Steps<GradientRow[]> {
  const checked = readGradientSweep(call, options);
  return (function* () {
    const rows: GradientRow[] = [];
    for (const dimension of checked.dimensions) {
      const run = new Run(heap, checked, dimension);
      while (run.step()) yield () => [...rows, ...run.rows()];
      rows.push(...run.rows());
      yield () => [...rows];
    }
    return rows;
  })();
}
