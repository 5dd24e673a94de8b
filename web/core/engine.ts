/** From bytes to a running engine, in any runtime. */
import createEngine, { type MainModule } from "sqrtdk-engine";
import { SqrtdkError } from "./errors.ts";

/** The compiled core: functions that take addresses and lengths, its memory, `_malloc` and `_free`. */
export type Engine = Omit<MainModule, "HEAPU8" | "HEAPU32" | "HEAPF32" | "HEAPF64"> & {
  // Replaced whenever memory grows: always read from here, never kept.
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
};

/** "simd" is the baseline build, "relaxed" may fuse a multiplication and an addition into one rounding. */
export type Variant = "simd" | "relaxed";

// The smallest modules that use an instruction of each kind: i8x16.popcnt and i8x16.relaxed_swizzle.
const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10];
const probes: Record<Variant, number[]> = {
  simd: [...head, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
  relaxed: [...head, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
};

/** Whether this runtime can run a variant. */
export function supports(variant: Variant): boolean {
  return typeof WebAssembly === "object" && WebAssembly.validate(new Uint8Array(probes[variant]));
}

export const unavailable = (why: string, cause?: unknown) =>
  new SqrtdkError("ERR_WASM_UNAVAILABLE", `load: ${why}`, { cause });

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Bytes that do not begin like WebAssembly, and what they are instead: by far most often a page that says "not found". */
export function refuseOtherThanWasm(bytes: BufferSource, from: string): void {
  if (bytes.byteLength === 0)
    throw unavailable(`${from} is empty: nothing was read, or its memory was transferred`);
  const [memory, offset] = ArrayBuffer.isView(bytes) ? [bytes.buffer, bytes.byteOffset] : [bytes, 0];
  const head = new Uint8Array(memory, offset, Math.min(16, bytes.byteLength));
  const text = String.fromCharCode(...head);
  if (text.startsWith("\0asm")) return;
  const html = /^\s*</.test(text);
  const what = html ? "a page of HTML, not WebAssembly" : "not WebAssembly";
  const why = html
    ? "servers and bundlers answer so for a file that they do not have"
    : `it begins with ${Array.from(head.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ")}`;
  throw unavailable(`${from} is ${what}: ${why}; serve the package's sqrtdk.wasm, and give its wasmUrl`);
}

export async function compile(bytes: BufferSource): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    // A content security policy without 'wasm-unsafe-eval', or bytes that are not what they should be.
    throw unavailable(`WebAssembly did not compile: ${messageOf(cause)}`, cause);
  }
}

export async function instantiate(module: WebAssembly.Module): Promise<Engine> {
  const engine = await new Promise<MainModule>((resolve, reject) => {
    const fail = (cause: unknown) => {
      const why = `the WebAssembly module did not start: ${messageOf(cause)}`;
      // What runtimes throw where they have no room for the module's memory; a retry may find some.
      const noRoom = cause instanceof RangeError;
      reject(
        noRoom ? new SqrtdkError("ERR_OUT_OF_MEMORY", `load: ${why}`, { cause }) : unavailable(why, cause),
      );
    };
    createEngine({
      // Never called; without it, bundles in one classic script would evaluate a URL relative to import.meta.url.
      locateFile: (path: string) => path,
      instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) {
        WebAssembly.instantiate(module, imports).then(receive).catch(fail);
        return {};
      },
    }).then(resolve, fail);
  });
  selfTest(engine);
  return engine;
}

/**
 * A few known values, microseconds: wrong ones mean a miscompiling engine (seen with SIMD in early releases) or
 * bytes of another version, and nothing computed later could be trusted.
 */
function selfTest(engine: Engine): void {
  const count = 8;
  const address = engine._malloc(4 * count) >>> 0;
  if (address === 0) throw new SqrtdkError("ERR_OUT_OF_MEMORY", "load: no memory for the engine");
  try {
    engine.fillNormal(address, count, 1, 0, 0);
    const words = engine.HEAPU32.subarray(address >>> 2, (address >>> 2) + count);
    const sum = words.reduce((hash, word) => (Math.imul(hash, 31) + word) >>> 0, 0);
    if (sum !== expectedHash)
      throw new SqrtdkError("ERR_SELF_TEST", "load: the engine computes wrong values here");
  } finally {
    engine._free(address);
  }
}

/** Of the bits of the first eight normals of seed 1; tests/golden holds more. */
const expectedHash = 869983070;
