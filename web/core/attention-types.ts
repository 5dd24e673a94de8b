/** Public names of attention. */
import type { FloatData } from "./buffer-types.ts";

export interface AttentionShape {
  batch?: number;
  heads?: number;
  kvHeads?: number;
  queryLength: number;
  keyLength: number;
  headDim: number;
  valueDim?: number;
}

export interface AttentionOptions {
  shape: AttentionShape;
  layout?: "BHLD" | "BLHD";
  /** Uint8Array: nonzero = attend; float32 values: added to the scores, -Infinity masks. */
  attnMask?: Uint8Array | FloatData;
  /**
   * Sizes of attnMask, broadcast to [batch, heads, queryLength, keyLength] as in NumPy: [batch, 1, 1, keyLength] masks
   * padding. Default: [queryLength, keyLength], or all four.
   */
  attnMaskShape?: readonly number[];
  isCausal?: boolean;
  /** 0: query i sees keys 0..i (top-left); "bottom-right": the last query sees the last key. */
  causalOffset?: number | "bottom-right";
  /** Default 1/sqrt(headDim). From -1e30 to 1e30. */
  scale?: number;
  /** softcap * tanh(x / softcap) before the mask; 0 = off. Else from 1e-30 to 1e30, and at least |scale| / 1e30. */
  softcap?: number;
  returnWeights?: "raw" | "softcap" | "masked" | "probabilities";
  /** Where the output goes (forward only). Must not be one of the inputs. */
  out?: FloatData;
}

export interface AttentionGradients {
  gradQuery: Float32Array;
  gradKey: Float32Array;
  gradValue: Float32Array;
}

export interface AttentionResult {
  output: Float32Array;
  logSumExp: Float32Array;
  weights?: Float32Array;
}
