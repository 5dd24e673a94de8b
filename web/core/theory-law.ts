/** The law of one score: normal components, variance-gamma, and the normal law it tends to. */
import { isDetached, readOptions, real, reject, typedArrayName } from "./checks.ts";
import { allocated, Doubles, type Heap } from "./heap.ts";
import { readDimension, readScale, scaleFactor } from "./laws.ts";
import type { DensityOptions, Theory } from "./types.ts";

/** Limits of the components' standard deviations for a density, which a constant has none of. */
const minimumStd = 1e-6;
const maximumStd = 1e6;

/** Standard deviation of a score is `std` sqrt(dimension). */
function readDensity(call: string, options: DensityOptions) {
  const o = readOptions(call, options, ["dimension", "queryStd", "keyStd", "scale"]);
  const dimension = readDimension(call, o.dimension);
  const queryStd = real(call, "queryStd", o.queryStd ?? 1, minimumStd, maximumStd);
  const keyStd = real(call, "keyStd", o.keyStd ?? 1, minimumStd, maximumStd);
  const factor = scaleFactor(readScale(call, "scale", o.scale ?? "none"), dimension);
  return { dimension, std: queryStd * keyStd * factor };
}

/** Points at which a law is wanted, copied. */
function readPoints(call: string, x: unknown): Float64Array {
  const expected = "a number or a Float64Array";
  if (typedArrayName(x) !== "Float64Array") reject("ERR_TYPE", call, "x", expected, x);
  const array = x as Float64Array;
  if (isDetached(array)) reject("ERR_TYPE", call, "x", `${expected}, not one that was transferred`, x);
  return allocated(call, array.byteLength, () => new Float64Array(array));
}

type Laws = Pick<
  Theory,
  | "dotProductDensity"
  | "dotProductTail"
  | "dotProductQuantile"
  | "normalDensity"
  | "normalTail"
  | "normalDistance"
>;
type Law = (x: number, dimension: number, std: number) => number;
type AtPoints = Laws["dotProductDensity"];

export function createLaws(heap: Heap): Laws {
  const { engine } = heap;

  /** A law at one point, or at many: those share work in the engine, with the same bits. */
  const evaluate = (call: string, one: Law, wanted: "density" | "tail") =>
    ((x: unknown, options: DensityOptions) => {
      const { dimension, std } = readDensity(call, options);
      if (typeof x === "number") return one(x, dimension, std);
      const points = new Doubles(readPoints(call, x));
      const result = new Doubles(allocated(call, points.bytes, () => new Float64Array(points.values.length)));
      heap.run(call, [points, result], () => {
        const [density, tail] = wanted === "density" ? [result.address, 0] : [0, result.address];
        engine.dotProductLaw(points.address, points.values.length, dimension, std, density, tail);
      });
      return result.values;
    }) as AtPoints;

  const evaluateEach = (call: string, one: Law) =>
    ((x: unknown, options: DensityOptions) => {
      const { dimension, std } = readDensity(call, options);
      return typeof x === "number"
        ? one(x, dimension, std)
        : readPoints(call, x).map((point) => one(point, dimension, std));
    }) as AtPoints;

  return {
    dotProductDensity: evaluate("dotProductDensity", engine.dotProductDensity, "density"),
    dotProductTail: evaluate("dotProductTail", engine.dotProductTail, "tail"),

    dotProductQuantile(probability, options) {
      const call = "dotProductQuantile";
      const { dimension, std } = readDensity(call, options);
      return engine.dotProductQuantile(real(call, "probability", probability, 0, 1), dimension, std);
    },

    normalDensity: evaluateEach("normalDensity", engine.normalDensity),
    normalTail: evaluateEach("normalTail", engine.normalTail),

    normalDistance(options) {
      const call = "normalDistance";
      return engine.normalDistance(readDimension(call, readOptions(call, options, ["dimension"]).dimension));
    },
  };
}
