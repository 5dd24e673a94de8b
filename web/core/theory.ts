/** What the experiments should find, in closed form or by quadrature. Shares no code with the sampling. */
import { integer, isDetached, readOptions, real, reject, typedArrayName } from "./checks.ts";
import { allocated, Doubles, type Heap } from "./heap.ts";
import { readDimension, readScale, scaleFactor } from "./laws.ts";
import { createMoments } from "./theory-moments.ts";
import type { DensityOptions, ExpectedSoftmax, Theory } from "./types.ts";

/** Limits of the quadratures, as in src/theory. */
const maximumRowKeys = 4096;
const maximumScoreStd = 1000;
const maximumKeys = 2 ** 20;
const maximumRowStd = 100;
const maximumDifferenceStd = 1e6;
/** Limits of the component's standard deviations for a density, which a constant has none of. */
const minimumStd = 1e-6;
const maximumStd = 1e6;

/**
 * Rows of one number of keys share most of their work: the first fill a table, some 10 ms, from which all others take
 * microseconds. The table of the last number of keys is kept.
 */
const tables = new WeakMap<Heap, { keys: number; address: number }>();

function tableOf(heap: Heap, call: string, keys: number): number {
  const { engine } = heap;
  const table = tables.get(heap) ?? {
    keys: 0,
    address: heap.allocate(call, engine.softmaxTableBytes())[1],
  };
  if (table.keys !== keys) engine.openSoftmaxTable(table.address, keys);
  tables.set(heap, { ...table, keys });
  return table.address;
}

/** Softmax of one row of attention with scores factor * q.k, or null outside the quadrature's limits. */
export function expectedRowOf(
  heap: Heap,
  call: string,
  keys: number,
  dimension: number,
  factor: number,
): ExpectedSoftmax | null {
  const row = heap.engine.expectedRow(tableOf(heap, call, keys), dimension, factor);
  return Number.isNaN(row.entropy) ? null : row;
}

export const readKeys = (call: string, n: unknown) => integer(call, "n", n, 1, maximumKeys);

export function readDensity(call: string, options: DensityOptions) {
  const o = readOptions(call, options, ["dimension", "queryStd", "keyStd"]);
  const dimension = readDimension(call, o.dimension);
  const queryStd = real(call, "queryStd", o.queryStd ?? 1, minimumStd, maximumStd);
  const keyStd = real(call, "keyStd", o.keyStd ?? 1, minimumStd, maximumStd);
  return { dimension, queryStd, keyStd };
}

/** Points at which a law is wanted, copied. */
export function readPoints(call: string, x: unknown): Float64Array {
  const expected = "a number or a Float64Array";
  if (typedArrayName(x) !== "Float64Array") reject("ERR_TYPE", call, "x", expected, x);
  const array = x as Float64Array;
  if (isDetached(array)) reject("ERR_TYPE", call, "x", `${expected}, not one that was transferred`, x);
  return allocated(call, array.byteLength, () => new Float64Array(array));
}

export function createTheory(heap: Heap): Theory {
  const { engine } = heap;
  type Law = (x: number, dimension: number, std: number) => number;

  /** A law at one point, or at many: those share work in the engine, with the same bits. */
  const evaluate = (call: string, one: Law, wanted: "density" | "tail") =>
    ((x: unknown, options: DensityOptions) => {
      const { dimension, queryStd, keyStd } = readDensity(call, options);
      const std = queryStd * keyStd;
      if (typeof x === "number") return one(x, dimension, std);
      const points = new Doubles(readPoints(call, x));
      const result = new Doubles(allocated(call, points.bytes, () => new Float64Array(points.values.length)));
      heap.run(call, [points, result], () => {
        const [density, tail] = wanted === "density" ? [result.address, 0] : [0, result.address];
        engine.dotProductLaw(points.address, points.values.length, dimension, std, density, tail);
      });
      return result.values;
    }) as Theory["dotProductDensity"];

  return {
    dotProductDensity: evaluate("dotProductDensity", engine.dotProductDensity, "density"),
    dotProductTail: evaluate("dotProductTail", engine.dotProductTail, "tail"),

    dotProductQuantile(probability, options) {
      const call = "dotProductQuantile";
      const { dimension, queryStd, keyStd } = readDensity(call, options);
      return engine.dotProductQuantile(
        real(call, "probability", probability, 0, 1),
        dimension,
        queryStd * keyStd,
      );
    },

    ...createMoments(engine),

    expectedSoftmax(options) {
      const call = "expectedSoftmax";
      const o = readOptions(call, options, ["keys", "scoreStd"]);
      const keys = integer(call, "keys", o.keys, 1, maximumRowKeys);
      return engine.expectedSoftmax(keys, real(call, "scoreStd", o.scoreStd, 0, maximumScoreStd));
    },

    expectedAttentionRow(options) {
      const call = "expectedAttentionRow";
      const o = readOptions(call, options, ["keys", "dimension", "scale"]);
      const keys = integer(call, "keys", o.keys, 1, maximumRowKeys);
      const dimension = readDimension(call, o.dimension);
      const scale = readScale(call, "scale", o.scale ?? "none");
      const expected = `one that leaves scores a standard deviation of at most ${maximumRowStd}`;
      return (
        expectedRowOf(heap, call, keys, dimension, scaleFactor(scale, dimension)) ??
        reject("ERR_RANGE", call, "scale", expected, scale)
      );
    },

    expectedMaximum: (n) => engine.expectedMaximum(readKeys("expectedMaximum", n)),
    freezingDimension: (n) => engine.freezingDimension(real("freezingDimension", "n", n, 1)),

    twoKeys(options) {
      const call = "twoKeys";
      const o = readOptions(call, options, ["differenceStd"]);
      return engine.twoKeys(real(call, "differenceStd", o.differenceStd, 0, maximumDifferenceStd));
    },
  };
}
