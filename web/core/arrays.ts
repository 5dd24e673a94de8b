/** Array arguments and results: arrays are copied through the arena, buffers are used where they are. */
import { FloatBuffer } from "./buffer.ts";
import { byteOffsetOf, isDetached, lengthOf, reject, typedArrayName } from "./checks.ts";
import type { Engine } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";
import type { Heap, Slot } from "./heap.ts";

const usual = "a Float32Array or a buffer of this core";

/** An array argument: checked, and what has to be remembered of it. */
class ArrayArgument<A extends Float32Array | Uint8Array> {
  readonly length: number;
  readonly #array: A;
  // Of a view of wasm memory: finding its place again after memory grew under it and left it empty.
  readonly #byteOffset: number;

  /** `array` has the right type; `expected` says which. */
  constructor(call: string, name: string, array: A, expected: string) {
    if (isDetached(array)) reject("ERR_TYPE", call, name, `${expected}, not one that was transferred`, array);
    this.#array = array;
    this.length = lengthOf(array);
    this.#byteOffset = byteOffsetOf(array);
  }

  /** The array itself, or its place in `memory` that grew since the argument was checked. */
  current(memory: A): A {
    if (lengthOf(this.#array) === this.length) return this.#array;
    const start = this.#byteOffset / memory.BYTES_PER_ELEMENT;
    return memory.subarray(start, start + this.length) as A;
  }
}

function floatsOf(call: string, name: string, value: unknown, expected: string) {
  if (typedArrayName(value) !== "Float32Array") reject("ERR_TYPE", call, name, expected, value);
  return new ArrayArgument(call, name, value as Float32Array, expected);
}

export class FloatInput implements Slot {
  readonly length: number;
  readonly bytes: number;
  address = 0;
  readonly #argument: ArrayArgument<Float32Array> | undefined;

  constructor(heap: Heap, call: string, name: string, value: unknown, expected = usual) {
    const buffer = FloatBuffer.find(heap, call, name, value);
    if (buffer === undefined) {
      this.#argument = floatsOf(call, name, value, expected);
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

  constructor(call: string, name: string, array: Uint8Array) {
    this.#argument = new ArrayArgument(call, name, array, "a Uint8Array");
    this.length = this.bytes = this.#argument.length;
  }

  copyIn({ HEAPU8 }: Engine): void {
    HEAPU8.set(this.#argument.current(HEAPU8), this.address);
  }
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
    const buffer = FloatBuffer.find(heap, call, "out", out);
    if (buffer !== undefined) this.address = buffer.address;
    else if (out !== undefined) this.#argument = floatsOf(call, "out", out, usual);
    const room = buffer?.length ?? this.#argument?.length ?? length;
    if (room !== length)
      throw new SqrtdkError("ERR_SHAPE", `${call}: out must hold ${length} values, got ${room}`);
    this.bytes = buffer === undefined ? 4 * length : 0;
  }

  copyOut({ HEAPF32 }: Engine): void {
    const start = this.address >>> 2;
    const end = start + this.length;
    if (this.#argument) {
      this.values = this.#argument.current(HEAPF32);
      this.values.set(HEAPF32.subarray(start, end));
    } else if (this.bytes > 0 || this.length === 0) {
      this.values = HEAPF32.slice(start, end);
    } else {
      this.values = new Float32Array(HEAPF32.buffer, this.address, this.length);
    }
  }
}
