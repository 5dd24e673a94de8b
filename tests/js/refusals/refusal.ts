/** What tables of refusals are written with: a call with arguments that it must refuse, the code, what the message says. */
import type { ErrorCode } from "sqrtdk";

export const f = (length: number) => new Float32Array(length);
export const shape = { queryLength: 2, keyLength: 3, headDim: 4 };
export const sampling = { dimension: 4, samples: 10, seed: 1 };
export const sweep = { dimensions: [4], samples: 10, seed: 1 };
export const gradient = { dimensions: [4], keys: 3, trials: 2, seed: 1 };

// biome-ignore lint/suspicious/noExplicitAny: the point is to pass what the types forbid
export type Loose = any;
export interface Refusal {
  call: string;
  why: string;
  run(core: Loose): unknown;
  code: ErrorCode;
  says: RegExp;
}
export const refusals: Refusal[] = [];
export const refuse = (call: string, why: string, run: Refusal["run"], code: ErrorCode, says: RegExp) =>
  refusals.push({ call, why, run, code, says });

export const backward = ["gradOutput", "query", "key", "value", "output", "logSumExp"];
export const backwardLengths = [8, 8, 12, 12, 8, 2];
/** The gradient's call with one argument replaced. */
export const backwardWith = (place: number, x: unknown) => (c: Loose) =>
  c.scaledDotProductAttentionBackward(...backwardLengths.map((length, i) => (i === place ? x : f(length))), {
    shape,
  });

/** Attention with options of which one is wrong. */
export function attend(c: Loose, options: object) {
  return c.scaledDotProductAttention(f(8), f(12), f(12), { shape, ...options });
}
