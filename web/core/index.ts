/** The package's main entry: the baseline engine is embedded, so that it works without a loader or a server. */
import { embeddedSimd } from "../../build/generated/embedded.js";
import { unavailable } from "./engine.ts";
import { createLoader, packagedBytes, type Source } from "./loader.ts";
import type { CompiledCore, Core, LoadOptions } from "./types.ts";

export { type ErrorCode, SqrtdkError } from "./errors.ts";
export type * from "./types.ts";

/** The page waits for this: natively it takes no time, the loop half of what Uint8Array.from with a function takes. */
function decode(base64: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const source: Source = {
  automatic: ["simd"],
  async bytes(variant) {
    if (variant === "simd") return decode(embeddedSimd);
    // In a file of its own. The name is kept from bundlers, which would copy it into every page that never asks.
    const file = ["./sqrtdk", variant, "wasm"].join(".");
    let url: URL;
    try {
      url = new URL(file, import.meta.url);
    } catch (cause) {
      throw unavailable(`${file} cannot be found from inside a bundle; give its wasmUrl`, cause);
    }
    return packagedBytes(url);
  },
};

const loader = /* @__PURE__ */ createLoader(source);

/**
 * The computing core. The same promise for the same options; after a failure the next call tries again.
 * `variant: "auto"` is the embedded baseline here; "relaxed" is read from the package's file beside this one.
 * @throws SqrtdkError ERR_WASM_UNAVAILABLE, ERR_SELF_TEST, ERR_TYPE, ERR_RANGE, ERR_OPTION
 */
export const load = (options?: LoadOptions): Promise<Core> => loader.load(options);

/** The compiled module behind `load`, for `load({ wasmModule })` in a worker of your own: it can be posted there. */
export const compile = (options?: LoadOptions): Promise<CompiledCore> => loader.compile(options);
