/** Moving values in and out of wasm memory, one call at a time. */
import type { Engine } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";

const alignment = 64; // a cache line
const roundUp = (bytes: number) => Math.ceil(bytes / alignment) * alignment;

/** Small calls share one block that stays allocated; larger ones allocate and free. */
const arenaBytes = 1 << 16;
/** In front of it, room for one struct of numbers. */
const parameterBytes = 256;

/** wasm32 addresses 4 GB; the engine, its stack and the allocator's own words need some of it. */
export const limitBytes = 2 ** 32 - 2 ** 20;

export const outOfMemory = (call: string, bytes: number, cause?: unknown) =>
  new SqrtdkError(
    "ERR_OUT_OF_MEMORY",
    `${call}: needs ${(bytes / 2 ** 20).toFixed(1)} MB of memory at once, which could not be had ` +
      "(WebAssembly has 4 GB at most, buffers included)",
    cause === undefined ? undefined : { cause },
  );

/** What `make` makes of that much of JavaScript's own memory. */
export function allocated<Made>(call: string, bytes: number, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw error instanceof RangeError ? outOfMemory(call, bytes, error) : error;
  }
}

/** A place in wasm memory for the time of one call. `bytes` are asked of the arena; 0 if the place is there already. */
export interface Slot {
  readonly bytes: number;
  address: number;
  copyIn?(engine: Engine): void;
  copyOut?(engine: Engine): void;
}

export class Heap {
  readonly engine: Engine;
  #arena = 0;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Throws ERR_OUT_OF_MEMORY if there is no room. Aligned to a cache line; free with the address returned first. */
  allocate(call: string, bytes: number): [block: number, aligned: number] {
    const block = bytes < limitBytes ? this.engine._malloc(bytes + alignment) >>> 0 : 0;
    if (block === 0) throw outOfMemory(call, bytes);
    return [block, roundUp(block)];
  }

  #parameters(call: string): number {
    if (this.#arena === 0) this.#arena = this.allocate(call, parameterBytes + arenaBytes)[1];
    return this.#arena;
  }

  /** Puts a struct of doubles where the engine can read it until the next one is put there. */
  parameters(call: string, values: readonly number[]): number {
    const address = this.#parameters(call);
    this.engine.HEAPF64.set(values, address >>> 3);
    return address;
  }

  /** Gives every slot its address, copies inputs in, runs `body`, copies outputs out. Frees whatever happens. */
  run(call: string, slots: readonly Slot[], body: () => void): void {
    let bytes = 0;
    for (const slot of slots) bytes += roundUp(slot.bytes);
    let block = 0;
    let aligned: number;
    if (bytes <= arenaBytes) {
      aligned = this.#parameters(call) + parameterBytes;
    } else {
      [block, aligned] = this.allocate(call, bytes);
    }
    try {
      for (const slot of slots) {
        if (slot.bytes > 0) {
          slot.address = aligned;
          aligned += roundUp(slot.bytes);
        }
        slot.copyIn?.(this.engine);
      }
      body();
      for (const slot of slots) slot.copyOut?.(this.engine);
    } catch (error) {
      // The copy of a result may be what does not fit any more.
      throw error instanceof RangeError ? outOfMemory(call, bytes, error) : error;
    } finally {
      if (block !== 0) this.engine._free(block);
    }
  }
}

/** Memory without contents. */
export class Scratch implements Slot {
  readonly bytes: number;
  address = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

/** Float64 values that go in, may be changed, and come out again as a copy. */
export class Doubles implements Slot {
  readonly bytes: number;
  address = 0;
  values: Float64Array;

  constructor(values: Float64Array) {
    this.values = values;
    this.bytes = values.byteLength;
  }

  copyIn(engine: Engine): void {
    engine.HEAPF64.set(this.values, this.address >>> 3);
  }

  copyOut(engine: Engine): void {
    const start = this.address >>> 3;
    this.values = engine.HEAPF64.slice(start, start + this.values.length);
  }
}
