/**
 * What went wrong, for programs:
 * - `ERR_TYPE`: an argument of the wrong JavaScript type; `ERR_RANGE`: a value outside its limits;
 *   `ERR_SHAPE`: lengths that do not fit together; `ERR_OPTION`: a name that no option has
 * - `ERR_FREED`: a buffer used after `free()`
 * - `ERR_OUT_OF_MEMORY`: the request does not fit into memory, and smaller ones still work; or `load` finds no room at all
 * - `ERR_WASM_UNAVAILABLE`: no WebAssembly with SIMD here, or its bytes could not be had
 * - `ERR_SELF_TEST`: the engine computes wrong values here
 * - `ERR_ABORTED`: the caller's signal; `ERR_CLOSED`: the pool was closed; `ERR_WORKER`: a worker died
 */
export type ErrorCode =
  | "ERR_TYPE"
  | "ERR_RANGE"
  | "ERR_SHAPE"
  | "ERR_OPTION"
  | "ERR_FREED"
  | "ERR_OUT_OF_MEMORY"
  | "ERR_WASM_UNAVAILABLE"
  | "ERR_SELF_TEST"
  | "ERR_ABORTED"
  | "ERR_CLOSED"
  | "ERR_WORKER";

/** The property that says so of errors from every copy of this package: each entry's bundle has a class of its own. */
const brand = "isSqrtdkError";

/** Every error this package throws. The message names the call, the argument, what came and what was expected. */
export class SqrtdkError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    // "AbortError" is the name that callers of abortable interfaces look for.
    this.name = code === "ERR_ABORTED" ? "AbortError" : "SqrtdkError";
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Errors of the package's other entries count as well. */
  static override [Symbol.hasInstance](value: unknown): value is SqrtdkError {
    // A subclass inherits this, and has fewer instances.
    // biome-ignore lint/complexity/noThisInStatic: see above
    if (this === SqrtdkError) return typeof value === "object" && value !== null && brand in value;
    // biome-ignore lint/complexity/noThisInStatic: see above
    return Function.prototype[Symbol.hasInstance].call(this, value);
  }
}
