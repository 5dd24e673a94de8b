/** Float32 values that live in wasm memory until they are freed. */
import { integer, reject } from "./checks.ts";
import { SqrtdkError } from "./errors.ts";
import type { Heap } from "./heap.ts";
import type { CoreBuffer } from "./types.ts";

const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

interface BufferPlace {
  address: number;
  length: number;
}

export class FloatBuffer implements CoreBuffer {
  readonly #length: number;
  readonly #heap: Heap;
  readonly #address: number;
  #block: number;

  constructor(heap: Heap, length: unknown) {
    this.#length = integer("buffer", "length", length, 1, 2 ** 30 - 1);
    this.#heap = heap;
    [this.#block, this.#address] = heap.allocate("buffer", 4 * this.#length);
    this.view.fill(0);
  }

  get length(): number {
    return this.#length;
  }

  /** The values. Memory that grows leaves earlier views empty: read this anew after every call. */
  get view(): Float32Array {
    const { HEAPF32 } = this.#heap.engine;
    return new Float32Array(HEAPF32.buffer, this.#live("buffer"), this.#length);
  }

  /** Gives the memory back. A second call does nothing. */
  free(): void {
    if (this.#block !== 0) this.#heap.engine._free(this.#block);
    this.#block = 0;
  }

  [disposeSymbol](): void {
    this.free();
  }

  /** Names it in error messages, and tells it from an object of options. */
  get [Symbol.toStringTag](): string {
    return "CoreBuffer";
  }

  #live(call: string, name = "it"): number {
    if (this.#block === 0) throw new SqrtdkError("ERR_FREED", `${call}: ${name} was freed`);
    return this.#address;
  }

  /** Where the values of an argument are if it is a buffer, and how many; undefined for anything else. */
  static find(heap: Heap, call: string, name: string, value: unknown): BufferPlace | undefined {
    if (typeof value !== "object" || value === null || !(#heap in value)) return undefined;
    if (value.#heap !== heap) reject("ERR_TYPE", call, name, "a buffer of this core, not of another", value);
    return { address: value.#live(call, name), length: value.#length };
  }
}
