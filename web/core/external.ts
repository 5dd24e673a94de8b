/** The entry without embedded bytes: fetches a .wasm file, the fastest this engine can run. */

import { unavailable } from "./engine.ts";
import { createLoader, packagedBytes, type Source } from "./loader.ts";
import type { CompiledCore, Core, LoadOptions } from "./types.ts";

export { type ErrorCode, SqrtdkError } from "./errors.ts";
export type * from "./types.ts";

const source: Source = {
  automatic: ["relaxed", "simd"],
  bytes(variant) {
    let url: URL;
    try {
      // Spelt out, so that bundlers see both files and copy them.
      url =
        variant === "relaxed"
          ? new URL("./sqrtdk.relaxed.wasm", import.meta.url)
          : new URL("./sqrtdk.wasm", import.meta.url);
    } catch (cause) {
      throw unavailable("the .wasm file cannot be found from inside this bundle; give wasmUrl", cause);
    }
    return packagedBytes(url);
  },
};

const loader = /* @__PURE__ */ createLoader(source);

/**
 * The computing core. The same promise for the same options; after a failure the next call tries again.
 * @throws SqrtdkError ERR_WASM_UNAVAILABLE, ERR_SELF_TEST, ERR_TYPE, ERR_RANGE, ERR_OPTION
 */
export const load = (options?: LoadOptions): Promise<Core> => loader.load(options);

/** The compiled module behind `load`, for `load({ wasmModule })` in a worker of your own: it can be posted there. */
export const compile = (options?: LoadOptions): Promise<CompiledCore> => loader.compile(options);
