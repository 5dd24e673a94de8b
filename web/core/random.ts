/** Random numbers in bulk. */
import { integer, maximumSeed, readOptions } from "./checks.ts";
import { allocated, type Heap, Scratch } from "./heap.ts";

/** Drawn into wasm memory piece by piece: a piece stays in the cache, and memory need not grow to hold the whole. */
const blocksPerPiece = 4;

/** What the options of `randomNormal` say, checked. */
export function readNormal(call: string, count: unknown, options: unknown) {
  const o = readOptions(call, options, ["seed", "stream"]);
  return {
    seed: integer(call, "seed", o.seed, 0, maximumSeed),
    stream: integer(call, "stream", o.stream ?? 0, 0, maximumSeed),
    count: integer(call, "count", count, 0, 2 ** 30 - 1),
  };
}

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
  const { seed, stream, count: length } = readNormal(call, count, options);
  const values = allocated(call, 4 * length, () => new Float32Array(length));
  const { engine } = heap;
  // A stream may be cut only between blocks.
  const pieceValues = blocksPerPiece * engine.normalsPerBlock;
  const piece = new Scratch(4 * Math.min(length, pieceValues));
  heap.run(call, [piece], () => {
    for (let start = 0; start < length; start += pieceValues) {
      const drawn = Math.min(pieceValues, length - start);
      engine.fillNormal(piece.address, drawn, seed, stream, start / engine.normalsPerBlock);
      const place = piece.address >>> 2;
      values.set(engine.HEAPF32.subarray(place, place + drawn), start);
    }
  });
  return values;
}
