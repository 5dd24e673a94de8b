import type * as sqrtdk from "sqrtdk";
import type * as external from "sqrtdk/external";
import type * as worker from "sqrtdk/worker";

export interface Answers {
  words: string;
  variance: number;
  pool: boolean;
  precompiled: boolean;
  external: boolean;
  fastest: string;
  refusal: string;
  codeFromStrings: boolean;
}
export declare function words(floats: Float32Array): string;
export declare function exercise(entries: {
  sqrtdk: typeof sqrtdk;
  worker: typeof worker;
  external: typeof external;
}): Promise<Answers>;
