/// <reference lib="esnext.disposable" preserve="true" />
/** Public names of data: arrays, and values that stay in wasm memory. */

/** Float32 values that stay in wasm memory. `view` is always fresh; any use after `free()` throws. */
export interface CoreBuffer {
  readonly view: Float32Array;
  readonly length: number;
  free(): void;
  [Symbol.dispose](): void;
}

export type FloatData = Float32Array | CoreBuffer;
