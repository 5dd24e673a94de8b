/** Gradient collapse: what comes back through the softmax of a row of attention. */
import { type GradientSweep, readAttentionRow, readGradientSweep } from "./experiment-options.ts";
import { Doubles, type Heap, limitBytes, outOfMemory, Scratch } from "./heap.ts";
import { ruleNumbers, type ScoreRule, scoreRuleOf } from "./scale-rules.ts";
import { itemsPerStep } from "./steps.ts";
import { expectedRowOf } from "./theory-rows.ts";
import type {
  AttentionRow,
  AttentionRowOptions,
  Estimate,
  GradientRow,
  GradientSweepOptions,
  RowQuantities,
  Steps,
} from "./types.ts";

/** What the engine measures in every trial and scale, in its order. */
const quantities = [
  "entropy",
  "maxProbability",
  "sumSquares",
  "jacobianTrace",
  "jacobianFrobenius",
  "deadRows",
  "exactZeros",
  "jacobianSpectral",
  "printsOne",
  "gradQueryNorm",
  "gradKeyNorm",
  "gradValueNorm",
] as const satisfies readonly (keyof RowQuantities<unknown>)[];

/** One value for each quantity, under its name. */
const named = <Value>(value: (quantity: number) => Value) =>
  Object.fromEntries(quantities.map((name, q) => [name, value(q)])) as unknown as RowQuantities<Value>;

/** Measured: drawing a normal; a normal's part in a scale's gradients; a key's softmax and diagnostics. */
const nanosecondsPerComponent = 3;
const nanosecondsPerGradient = 3;
const nanosecondsPerKey = 100;

interface Trials {
  dimension: number;
  keys: number;
  valueDim: number;
  seed: number;
  deadThreshold: number;
}

/** Memory that the engine needs for trials, and what it is told about them. */
class Laboratory {
  readonly call: Trials & { firstTrial: number; trials: number };
  readonly rules: Doubles;
  readonly floats: Scratch;
  readonly doubles: Scratch;

  constructor(
    heap: Heap,
    name: string,
    o: Trials,
    rules: readonly ScoreRule[],
    firstTrial: number,
    trials: number,
  ) {
    const { dimension, keys, valueDim, seed, deadThreshold } = o;
    const softcap = rules.some((rule) => rule.softcap > 0);
    const qkNorm = rules.some((rule) => rule.qkNorm);
    this.call = { dimension, keys, valueDim, seed, deadThreshold, firstTrial, trials };
    this.rules = new Doubles(ruleNumbers(rules));
    const bytes = 4 * heap.engine.gradientFlowScratchFloats(this.call, softcap, qkNorm);
    if (bytes > limitBytes) throw outOfMemory(name, bytes);
    this.floats = new Scratch(bytes);
    this.doubles = new Scratch(8 * heap.engine.gradientFlowScratchDoubles(this.call));
  }

  get slots() {
    return [this.rules, this.floats, this.doubles];
  }
}

/** Fills a column for each quantity of each rule. */
function runTrials(heap: Heap, name: string, lab: Laboratory, rules: readonly ScoreRule[]): Float64Array {
  const values = new Doubles(new Float64Array(rules.length * quantities.length * lab.call.trials));
  heap.run(name, [...lab.slots, values], () =>
    heap.engine.runGradientTrials(
      lab.call,
      lab.rules.address,
      rules.length,
      lab.floats.address,
      lab.doubles.address,
      values.address,
    ),
  );
  return values.values;
}

const call = "gradientSweep";

/** The trials of one dimension, under all scales. Between steps its state is here and none in wasm memory. */
class Run {
  readonly #heap: Heap;
  readonly #options: GradientSweep;
  readonly #dimension: number;
  readonly #rules: ScoreRule[];
  /** A column for each quantity of each scale, a value for each trial. */
  readonly #columns: Float64Array[];
  readonly #theory: Pick<GradientRow, "theory" | "theoryRms">[];
  /** Of all trials, as far as they have been made. */
  readonly #estimates: Estimate[] = [];
  #done = 0;

  constructor(heap: Heap, options: GradientSweep, dimension: number) {
    const { scale, trials, keys } = options;
    this.#heap = heap;
    this.#options = options;
    this.#dimension = dimension;
    this.#rules = scale.map((rule) => scoreRuleOf(heap.engine, rule, dimension, keys));
    this.#theory = this.#rules.map((rule) => this.#expect(rule));
    try {
      this.#columns = Array.from(
        { length: scale.length * quantities.length },
        () => new Float64Array(trials),
      );
    } catch (cause) {
      throw outOfMemory(call, 8 * scale.length * quantities.length * trials, cause);
    }
  }

  /**
   * E|dq|^2: `theory/expected_softmax.h`. E|dV|^2 = d_v E sum p^2, since dV = p dO^T. E|dK|^2 = c^2 d_v E(|q|^2 |J|_F^2), and |q|^2 under the mean turns the
   * chi law of |q| with d degrees of freedom into d times the one with d + 2.
   */
  #expect({ scale, softcap, qkNorm }: ScoreRule): Pick<GradientRow, "theory" | "theoryRms"> {
    const { keys, valueDim } = this.#options;
    const [d, heap] = [this.#dimension, this.#heap];
    const none = { theory: null, theoryRms: null };
    if (softcap > 0 || qkNorm) return none;
    const theory = expectedRowOf(heap, call, keys, d, scale);
    const wider = expectedRowOf(heap, call, keys, d + 2, scale);
    if (!theory || !wider) return none;
    const theoryRms = {
      jacobianFrobenius: Math.sqrt(theory.jacobianFrobeniusSquared),
      gradQueryNorm: Math.sqrt(heap.engine.queryGradientSquared(theory, d, scale, valueDim)),
      gradKeyNorm: Math.abs(scale) * Math.sqrt(valueDim * d * wider.jacobianFrobeniusSquared),
      gradValueNorm: Math.sqrt(valueDim * theory.sumSquares),
    };
    return { theory, theoryRms };
  }

  /** Runs some more trials; false when all are done. */
  step(): boolean {
    const { keys, valueDim, trials } = this.#options;
    const components = (keys + 1) * (this.#dimension + valueDim);
    const scales = this.#rules.length;
    const cost =
      components * (nanosecondsPerComponent + scales * nanosecondsPerGradient) +
      keys * scales * nanosecondsPerKey;
    const more = Math.min(itemsPerStep(cost), trials - this.#done);
    const trial = { ...this.#options, dimension: this.#dimension };
    const lab = new Laboratory(this.#heap, call, trial, this.#rules, this.#done, more);
    const values = runTrials(this.#heap, call, lab, this.#rules);
    this.#columns.forEach((column, c) => {
      column.set(values.subarray(c * more, (c + 1) * more), this.#done);
    });
    this.#done += more;
    return this.#done < trials;
  }

  #estimate(column: Float64Array): Estimate {
    const { engine } = this.#heap;
    const { quantiles } = this.#options;
    const values = new Doubles(column.subarray(0, this.#done));
    const scratch = new Scratch(values.bytes);
    const found = new Doubles(Float64Array.from(quantiles.flatMap((p) => [p, 0, 0, 0, 0])));
    let estimate!: Omit<Estimate, "quantiles">;
    this.#heap.run(call, [values, scratch, found], () => {
      estimate = engine.estimate(
        values.address,
        this.#done,
        scratch.address,
        found.address,
        quantiles.length,
      );
    });
    return {
      ...estimate,
      quantiles: quantiles.map((probability, i) => {
        const numbers = found.values.subarray(5 * i + 1, 5 * i + 5);
        const [value, standardError, low, high] = numbers as unknown as [number, number, number, number];
        return { probability, value, standardError, low, high };
      }),
    };
  }

  /** Sums up the next quantity once all trials are done; false when that was the last. */
  estimate(): boolean {
    const column = this.#columns[this.#estimates.length] as Float64Array;
    this.#estimates.push(this.#estimate(column));
    return this.#estimates.length < this.#columns.length;
  }

  /** One row for each scale. */
  rows(): GradientRow[] {
    return this.#options.scale.map((scale, s) => ({
      dimension: this.#dimension,
      scale,
      trials: this.#done,
      ...named((q) => {
        const c = s * quantities.length + q;
        return this.#estimates[c] ?? this.#estimate(this.#columns[c] as Float64Array);
      }),
      ...(this.#theory[s] as Pick<GradientRow, "theory" | "theoryRms">),
    }));
  }
}

export function gradientSweep(heap: Heap, options: GradientSweepOptions): Steps<GradientRow[]> {
  const checked = readGradientSweep(call, options);
  return (function* () {
    const rows: GradientRow[] = [];
    for (const dimension of checked.dimensions) {
      const run = new Run(heap, checked, dimension);
      const soFar = () => [...rows, ...run.rows()];
      while (run.step()) yield soFar;
      while (run.estimate()) yield soFar;
      rows.push(...run.rows());
      yield () => [...rows];
    }
    return rows;
  })();
}

export function sampleAttentionRow(heap: Heap, options: AttentionRowOptions): AttentionRow {
  const name = "sampleAttentionRow";
  const o = readAttentionRow(name, options);
  const rules = [scoreRuleOf(heap.engine, o.scale, o.dimension, o.keys)];
  const lab = new Laboratory(heap, name, o, rules, o.trial, 1);
  const values = runTrials(heap, name, lab, rules);
  const scores = new Doubles(new Float64Array(o.keys));
  const probabilities = new Doubles(new Float64Array(o.keys));
  heap.run(name, [...lab.slots, scores, probabilities], () =>
    heap.engine.sampleRow(
      lab.call,
      lab.rules.address,
      lab.floats.address,
      lab.doubles.address,
      scores.address,
      probabilities.address,
    ),
  );
  return {
    scores: scores.values,
    probabilities: probabilities.values,
    ...named((q) => values[q] as number),
  };
}
