/** Random numbers in bulk. */
import { integer, maximumSeed, readOptions } from "./checks.ts";
import { FloatOutput } from "./floats.ts";
import type { Heap } from "./heap.ts";

/**
 * `count` independent N(0, 1) values. Value i of a (seed, stream) has the same bits everywhere, so a longer request
 * begins with a shorter one.
 * @throws SqrtdkError ERR_TYPE, ERR_RANGE, ERR_OPTION, ERR_OUT_OF_MEMORY
 */
export function randomNormal(
  heap: Heap,
  count: number,
  options: { seed: number; stream?: number },
): Float32Array {
  const call = "randomNormal";
  const o = readOptions(call, options, ["seed", "stream"]);
  const seed = integer(call, "seed", o.seed, 0, maximumSeed);
  const stream = integer(call, "stream", o.stream ?? 0, 0, maximumSeed);
  const values = new FloatOutput(heap, call, integer(call, "count", count, 0, 2 ** 30 - 1));
  heap.run(call, [values], () => heap.engine.fillNormal(values.address, values.length, seed, stream));
  return values.values;
}
