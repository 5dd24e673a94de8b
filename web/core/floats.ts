/** Float32 arguments and results: arrays are copied through the arena, buffers are used where they are. */
import { FloatBuffer } from "./buffer.ts";
import { byteOffsetOf, isDetached, lengthOf, reject, typedArrayName } from "./checks.ts";
import type { Engine } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";
import type { Heap, Slot } from "./heap.ts";
import type { CoreBuffer } from "./types.ts";

const usual = "a Float32Array or a buffer of this core";

/** An array argument: checked, and what has to be remembered of it. */
class ArrayArgument {
  readonly array: Float32Array;
  readonly length: number;
  // Of a `view` of a buffer: finding its place again after memory grew under it and left it empty.
  readonly offset: number;

  constructor(call: string, name: string, value: unknown, expected: string) {
    if (typedArrayName(value) !== "Float32Array") reject("ERR_TYPE", call, name, expected, value);
    this.array = value as Float32Array;
    if (isDetached(this.array))
      reject("ERR_TYPE", call, name, `${expected}, not one that was transferred`, value);
    this.length = lengthOf(this.array);
    this.offset = byteOffsetOf(this.array) >>> 2;
  }

  /** The array itself, or its place in memory that grew since the argument was checked. */
  current(engine: Engine): Float32Array {
    if (lengthOf(this.array) === this.length) return this.array;
    return engine.HEAPF32.subarray(this.offset, this.offset + this.length);
  }
}

export class FloatInput implements Slot {
  readonly length: number;
  readonly bytes: number;
  address = 0;
  readonly #argument: ArrayArgument | undefined;

  constructor(heap: Heap, call: string, name: string, value: unknown, expected = usual) {
    const address = FloatBuffer.addressOf(heap, call, name, value);
    if (address === undefined) {
      this.#argument = new ArrayArgument(call, name, value, expected);
      this.length = this.#argument.length;
      this.bytes = 4 * this.length;
    } else {
      this.address = address;
      this.length = (value as CoreBuffer).length;
      this.bytes = 0;
    }
  }

  copyIn(engine: Engine): void {
    if (this.#argument) engine.HEAPF32.set(this.#argument.current(engine), this.address >>> 2);
  }
}

export class FloatOutput implements Slot {
  readonly length: number;
  readonly bytes: number;
  address = 0;
  /** A new array, or the caller's `out`, filled; of a buffer its view. */
  values!: Float32Array;
  readonly #argument: ArrayArgument | undefined;

  constructor(heap: Heap, call: string, length: number, out: unknown = undefined) {
    this.length = length;
    const address = FloatBuffer.addressOf(heap, call, "out", out);
    if (address !== undefined) this.address = address;
    else if (out !== undefined) this.#argument = new ArrayArgument(call, "out", out, usual);
    const room = address === undefined ? (this.#argument?.length ?? length) : (out as CoreBuffer).length;
    if (room !== length)
      throw new SqrtdkError("ERR_SHAPE", `${call}: out must hold ${length} values, got ${room}`);
    this.bytes = address === undefined ? 4 * length : 0;
  }

  copyOut(engine: Engine): void {
    const start = this.address >>> 2;
    const end = start + this.length;
    if (this.#argument) {
      this.values = this.#argument.current(engine);
      this.values.set(engine.HEAPF32.subarray(start, end));
    } else if (this.bytes > 0 || this.length === 0) {
      this.values = engine.HEAPF32.slice(start, end);
    } else {
      this.values = new Float32Array(engine.HEAPF32.buffer, this.address, this.length);
    }
  }
}
