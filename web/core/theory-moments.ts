/** Moments of scores, and how well samples tell them: closed forms. */
import { integer, readOptions } from "./checks.ts";
import type { Engine } from "./engine.ts";
import { type Components, lawNumber, lawOptions, maximumDimension, readDimension, readLaw } from "./laws.ts";
import type { DotProductMoments, Theory } from "./types.ts";

type Sampled = Components & { dimension: number };

const noFourthMoment = "the components have no fourth moment: degreesOfFreedom is at most 4";
const constant = "the score is a constant";

const rawMomentsOf = (engine: Engine, o: Sampled) =>
  engine.dotProductMoments(
    lawNumber(engine, o.components),
    o.degreesOfFreedom,
    o.dimension,
    o.mean,
    o.queryStd,
    o.keyStd,
    o.correlation,
  );

/** Unscaled, of q.k. */
export function momentsOf(engine: Engine, o: Sampled): DotProductMoments {
  const { mean, variance, excessKurtosis } = rawMomentsOf(engine, o);
  if (Number.isFinite(excessKurtosis)) return { mean, variance, excessKurtosis };
  const why = variance === 0 ? constant : noFourthMoment;
  return { mean, variance, excessKurtosis: null, reasons: { excessKurtosis: why } };
}

/**
 * Of a variance estimated from independent unscaled scores; NaN for fewer than two. Infinity where the components have no
 * fourth moment.
 */
export const standardErrorOfVariance = (engine: Engine, o: Sampled, samples: number): number =>
  engine.varianceStandardErrorOf(rawMomentsOf(engine, o), samples);

type Moments = Pick<Theory, "dotProductMoments" | "varianceStandardError" | "scoreMatrixVarianceError">;

export function createMoments(engine: Engine): Moments {
  const read = (
    call: string,
    o: { [name in (typeof lawOptions)[number] | "dimension"]?: unknown },
  ): Sampled => {
    const dimension = readDimension(call, o.dimension);
    return { dimension, ...readLaw(call, o, dimension) };
  };

  return {
    dotProductMoments(options) {
      const call = "dotProductMoments";
      return momentsOf(engine, read(call, readOptions(call, options, ["dimension", ...lawOptions])));
    },

    varianceStandardError(options) {
      const call = "varianceStandardError";
      const o = readOptions(call, options, ["dimension", "samples", ...lawOptions]);
      const sampled = read(call, o);
      const samples = integer(call, "samples", o.samples, 2, Number.MAX_SAFE_INTEGER);
      const error = standardErrorOfVariance(engine, sampled, samples);
      return Number.isFinite(error) ? error : null;
    },

    scoreMatrixVarianceError(options) {
      const call = "scoreMatrixVarianceError";
      const o = readOptions(call, options, ["queries", "keys", "dimension"]);
      const count = (name: "queries" | "keys") => integer(call, name, o[name], 1, Number.MAX_SAFE_INTEGER);
      return engine.scoreMatrixVarianceError(
        count("queries"),
        count("keys"),
        integer(call, "dimension", o.dimension, 1, maximumDimension),
      );
    },
  };
}
