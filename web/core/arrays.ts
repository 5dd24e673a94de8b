/** Array arguments and results: arrays are copied through the arena, buffers are used where they are. */
import { FloatBuffer } from "./buffer.ts";
import { bufferOf, byteOffsetOf, isDetached, lengthOf, reject, setValues, typedArrayName } from "./checks.ts";
import type { Engine } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";
import { allocated, type Heap, type Slot } from "./heap.ts";

const usual = "a Float32Array or a buffer of this core";

/** Only shared memory has the property; other memory changes its size on this thread alone, and not during a call. */
const canGrow = (buffer: ArrayBufferLike & { growable?: boolean }) =>
  "growable" in buffer && buffer.growable === true;

/** An array argument: checked, and what has to be remembered of it. */
class ArrayArgument<A extends Float32Array | Uint8Array> {
  readonly length: number;
  /** The caller's own array, unless it is a view of wasm memory, whose growth may leave it empty. */
  readonly given: A | undefined;
  readonly #array: A;
  readonly #inMemory: boolean;
  readonly #byteOffset: number;
  readonly #call: string;
  readonly #name: string;
  readonly #expected: string;

  /** `array` has the right type; `expected` says which. */
  constructor(heap: Heap, call: string, name: string, array: A, expected: string) {
    this.#call = call;
    this.#name = name;
    this.#expected = expected;
    if (isDetached(array)) this.#refuse(array);
    const buffer = bufferOf(array);
    this.#inMemory = buffer === heap.engine.HEAPU8.buffer;
    this.given = this.#inMemory ? undefined : array;
    this.#byteOffset = byteOffsetOf(array);
    this.length = lengthOf(array);
    this.#array = canGrow(buffer) ? this.#fixed(array, buffer) : array;
    if (lengthOf(this.#array) !== this.length) this.#refuse(array);
  }

  #refuse(array: A): never {
    const expected = `${this.#expected}, not one whose memory was transferred or shrank`;
    return reject("ERR_TYPE", this.#call, this.#name, expected, array);
  }

  /** Another thread may let shared memory grow at any time, and a view of all of it with it. */
  #fixed(array: A, buffer: ArrayBufferLike): A {
    const View = typedArrayName(array) === "Uint8Array" ? Uint8Array : Float32Array;
    return new View(buffer as ArrayBuffer, this.#byteOffset, this.length) as A;
  }

  /** The values, also where they are a view of `memory` that grew since the argument was checked and left it empty. */
  current(memory: A): A {
    if (lengthOf(this.#array) === this.length) return this.#array;
    if (!this.#inMemory) this.#refuse(this.#array);
    const start = this.#byteOffset / memory.BYTES_PER_ELEMENT;
    return memory.subarray(start, start + this.length) as A;
  }
}

function floatsOf(heap: Heap, call: string, name: string, value: unknown, expected: string) {
  if (typedArrayName(value) !== "Float32Array") reject("ERR_TYPE", call, name, expected, value);
  return new ArrayArgument(heap, call, name, value as Float32Array, expected);
}

export class FloatInput implements Slot {
  readonly length: number;
  readonly bytes: number;
  address = 0;
  readonly #argument: ArrayArgument<Float32Array> | undefined;

  constructor(heap: Heap, call: string, name: string, value: unknown, expected = usual) {
    const buffer = FloatBuffer.find(heap, call, name, value);
    if (buffer === undefined) {
      this.#argument = floatsOf(heap, call, name, value, expected);
      this.length = this.#argument.length;
      this.bytes = 4 * this.length;
    } else {
      this.address = buffer.address;
      this.length = buffer.length;
      this.bytes = 0;
    }
  }

  copyIn({ HEAPF32 }: Engine): void {
    if (this.#argument) HEAPF32.set(this.#argument.current(HEAPF32), this.address >>> 2);
  }
}

export class ByteInput implements Slot {
  readonly length: number;
  readonly bytes: number;
  address = 0;
  readonly #argument: ArrayArgument<Uint8Array>;

  constructor(heap: Heap, call: string, name: string, array: Uint8Array) {
    this.#argument = new ArrayArgument(heap, call, name, array, "a Uint8Array");
    this.length = this.bytes = this.#argument.length;
  }

  copyIn({ HEAPU8 }: Engine): void {
    HEAPU8.set(this.#argument.current(HEAPU8), this.address);
  }
}

/** Where a call's `length` values go: a new array, or the caller's `out`. Memory for them is not taken yet. */
function placeFor(heap: Heap, call: string, length: number, out: unknown) {
  const buffer = FloatBuffer.find(heap, call, "out", out);
  const given = buffer !== undefined || out === undefined;
  const argument = given ? undefined : floatsOf(heap, call, "out", out, usual);
  const room = buffer?.length ?? argument?.length ?? length;
  if (room !== length)
    throw new SqrtdkError("ERR_SHAPE", `${call}: out must hold ${length} values, got ${room}`);
  return { buffer, argument };
}

export class FloatOutput implements Slot {
  readonly length: number;
  readonly bytes: number;
  address = 0;
  /** A new array, or the caller's `out`, filled; of a buffer its view. */
  values!: Float32Array;
  readonly #argument: ArrayArgument<Float32Array> | undefined;

  constructor(heap: Heap, call: string, length: number, out: unknown = undefined) {
    this.length = length;
    const { buffer, argument } = placeFor(heap, call, length, out);
    this.#argument = argument;
    if (buffer !== undefined) this.address = buffer.address;
    this.bytes = buffer === undefined ? 4 * length : 0;
  }

  copyOut({ HEAPF32 }: Engine): void {
    const start = this.address >>> 2;
    const end = start + this.length;
    if (this.#argument) {
      const place = this.#argument.current(HEAPF32);
      setValues(place, HEAPF32.subarray(start, end));
      this.values = this.#argument.given ?? place;
    } else if (this.bytes > 0 || this.length === 0) {
      this.values = HEAPF32.slice(start, end);
    } else {
      this.values = new Float32Array(HEAPF32.buffer, this.address, this.length);
    }
  }
}

/**
 * As `FloatOutput`, of a call that makes its values a piece at a time: of an array only one piece is ever in wasm memory,
 * and stays in the cache.
 */
export class FloatPieces implements Slot {
  readonly bytes: number;
  address = 0;
  /** Once filled: a new array, or the caller's `out`; of a buffer its view. */
  values!: Float32Array;
  readonly #heap: Heap;
  readonly #length: number;
  readonly #pieceLength: number;
  readonly #argument: ArrayArgument<Float32Array> | undefined;
  readonly #fresh: Float32Array | undefined;

  constructor(heap: Heap, call: string, length: number, out: unknown, pieceLength: number) {
    const { buffer, argument } = placeFor(heap, call, length, out);
    this.#heap = heap;
    this.#length = length;
    this.#pieceLength = pieceLength;
    this.#argument = argument;
    if (buffer !== undefined) this.address = buffer.address;
    else if (argument === undefined)
      this.#fresh = allocated(call, 4 * length, () => new Float32Array(length));
    this.bytes = buffer === undefined ? 4 * Math.min(length, pieceLength) : 0;
  }

  /** `write` writes `count` values, those from `start` on, to an address. */
  fill(write: (address: number, count: number, start: number) => void): void {
    const { HEAPF32 } = this.#heap.engine;
    const place = this.#fresh ?? this.#argument?.current(HEAPF32);
    for (let start = 0; start < this.#length; start += this.#pieceLength) {
      const count = Math.min(this.#pieceLength, this.#length - start);
      if (place === undefined) write(this.address + 4 * start, count, start);
      else {
        write(this.address, count, start);
        const from = this.address >>> 2;
        setValues(place, HEAPF32.subarray(from, from + count), start);
      }
    }
    this.values =
      this.#argument?.given ?? place ?? new Float32Array(HEAPF32.buffer, this.address, this.#length);
  }
}
