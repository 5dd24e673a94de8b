/** Softmax of random rows: what is expected of it at any number of keys, and what it tends to. */
import { integer, readOptions, real, reject } from "./checks.ts";
import type { Heap } from "./heap.ts";
import { readDimension, readScale, scaleFactor } from "./laws.ts";
import type { ExpectedSoftmax, Theory } from "./types.ts";

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

type Rows = Pick<
  Theory,
  | "expectedSoftmax"
  | "expectedAttentionRow"
  | "expectedMaximum"
  | "freezingStd"
  | "freezingDimension"
  | "poissonDirichlet"
  | "twoKeys"
  | "entropyFloor"
>;

export function createRows(heap: Heap): Rows {
  const { engine } = heap;
  const count = (call: string, name: string, n: unknown) =>
    integer(call, name, n, 1, Number.MAX_SAFE_INTEGER);

  return {
    expectedSoftmax(options) {
      const call = "expectedSoftmax";
      const o = readOptions(call, options, ["keys", "scoreStd"]);
      const keys = integer(call, "keys", o.keys, 1, engine.maximumRowKeys);
      return engine.expectedSoftmax(keys, real(call, "scoreStd", o.scoreStd, 0, engine.maximumScoreStd));
    },

    expectedAttentionRow(options) {
      const call = "expectedAttentionRow";
      const o = readOptions(call, options, ["keys", "dimension", "scale"]);
      const keys = integer(call, "keys", o.keys, 1, engine.maximumRowKeys);
      const dimension = readDimension(call, o.dimension);
      const scale = readScale(call, "scale", o.scale ?? "none");
      const expected = `one that leaves scores a standard deviation of at most ${engine.maximumRowScoreStd}`;
      return (
        expectedRowOf(heap, call, keys, dimension, scaleFactor(scale, dimension)) ??
        reject("ERR_RANGE", call, "scale", expected, scale)
      );
    },

    expectedMaximum: (n) => engine.expectedMaximum(count("expectedMaximum", "n", n)),
    freezingStd: (n) => engine.freezingStd(real("freezingStd", "n", n, 1)),
    freezingDimension: (n) => engine.freezingDimension(real("freezingDimension", "n", n, 1)),

    poissonDirichlet(a) {
      if (a === 1) reject("ERR_RANGE", "poissonDirichlet", "a", "less than 1", a);
      return engine.poissonDirichlet(real("poissonDirichlet", "a", a, 0, 1));
    },

    twoKeys(options) {
      const call = "twoKeys";
      const o = readOptions(call, options, ["differenceStd"]);
      return engine.twoKeys(real(call, "differenceStd", o.differenceStd, 0, engine.maximumDifferenceStd));
    },

    entropyFloor(options) {
      const call = "entropyFloor";
      const o = readOptions(call, options, ["keys", "scoreNorm"]);
      return engine.entropyFloor(count(call, "keys", o.keys), real(call, "scoreNorm", o.scoreNorm, 0));
    },
  };
}
