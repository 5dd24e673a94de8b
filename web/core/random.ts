/** Random numbers in bulk. */

import { FloatPieces } from "./arrays.ts";
import { integer, maximumSeed, readOptions } from "./checks.ts";
import type { Heap } from "./heap.ts";
import type { NormalOptions } from "./types.ts";

const blocksPerPiece = 4;

/** What the options of `randomNormal` say, checked. */
export function readNormal(call: string, count: unknown, options: unknown) {
  const o = readOptions(call, options, ["seed", "stream", "out"]);
  return {
    seed: integer(call, "seed", o.seed, 0, maximumSeed),
    stream: integer(call, "stream", o.stream ?? 0, 0, maximumSeed),
    count: integer(call, "count", count, 0, 2 ** 30 - 1),
    out: o.out,
  };
}

/**
 * `count` independent N(0, 1) values. Value i of a (seed, stream) has the same bits everywhere, so a longer request
 * begins with a shorter one.
 * @throws SqrtdkError ERR_TYPE, ERR_RANGE, ERR_SHAPE, ERR_OPTION, ERR_FREED, ERR_OUT_OF_MEMORY
 */
export function randomNormal(heap: Heap, count: number, options: NormalOptions): Float32Array {
  const call = "randomNormal";
  const { seed, stream, count: length, out } = readNormal(call, count, options);
  const { engine } = heap;
  // A stream may be cut only between blocks.
  const pieces = new FloatPieces(heap, call, length, out, blocksPerPiece * engine.normalsPerBlock);
  heap.run(call, [pieces], () =>
    pieces.fill((address, drawn, start) =>
      engine.fillNormal(address, drawn, seed, stream, start / engine.normalsPerBlock),
    ),
  );
  return pieces.values;
}
