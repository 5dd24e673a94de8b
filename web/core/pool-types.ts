/** Public names of the pool: the calls of `Core` as promises, derived from it, so that the two cannot differ. */
import type { CoreSteps } from "./experiment-types.ts";
import type { Theory } from "./theory-types.ts";
import type { Core } from "./types.ts";

/** What every call of a pool accepts after its own arguments. */
export interface CallOptions {
  /** Ends the call with ERR_ABORTED, `cause` the signal's reason. */
  signal?: AbortSignal;
  /**
   * ArrayBuffers of the arguments that are given away instead of copied, as with `postMessage`: the caller's arrays are
   * empty from the moment of the call. Results always come without a copy.
   */
  transfer?: readonly ArrayBuffer[];
}

/** The same for calls that go in steps. */
export interface JobOptions<Partial> extends CallOptions {
  /** Called with the result so far, from fewer samples, at most twenty times a second. */
  onProgress?: (soFar: Partial) => void;
}

/** Calls whose results belong to one thread. */
type Staying = "buffer" | "createTrainer";

/** Results are new arrays: there is no `out` to put them into. */
type Sent<Arguments extends unknown[]> = {
  [I in keyof Arguments]: "out" extends keyof NonNullable<Arguments[I]>
    ? Omit<NonNullable<Arguments[I]>, "out">
    : Arguments[I];
};

type Promised<Arguments extends unknown[], Result, Job> = (
  ...args: [...Sent<Arguments>, job?: Job]
) => Promise<Result>;

/** A function as a promise. Of overloaded ones both signatures are kept. */
type Pooled<Call, Job> = Call extends {
  (...args: infer A): infer R;
  (...args: infer B): infer S;
}
  ? [A, B] extends [B, A]
    ? Promised<A, R, Job>
    : Promised<A, R, Job> & Promised<B, S, Job>
  : never;

/** The calls of `Core.theory` as promises. */
export type PoolTheory = { [Name in keyof Theory]: Pooled<Theory[Name], CallOptions> };

/** The calls of `Core` as promises: same arguments, then a signal and the like. */
export type PoolCalls = {
  [Name in keyof Core as Core[Name] extends (...args: never[]) => unknown
    ? Exclude<Name, Staying>
    : never]: Pooled<
    Core[Name],
    Name extends keyof CoreSteps
      ? JobOptions<CoreSteps[Name] extends (...args: never[]) => Generator<unknown, infer R> ? R : never>
      : CallOptions
  >;
};

/**
 * The calls of `Core` as promises, computed in workers; same bits for any number of workers. Arrays are copied, also those
 * of a buffer, unless their memory is given away with `transfer`.
 * @throws SqrtdkError every promise may be rejected with: the codes of the call itself, ERR_ABORTED, ERR_WORKER, ERR_CLOSED
 */
export interface Pool extends PoolCalls {
  readonly theory: PoolTheory;
  /** `theory.dotProductDensity`, for many points. */
  dotProductDensity: PoolTheory["dotProductDensity"];
  /** `theory.expectedMaximum`. */
  expectedMaximum: PoolTheory["expectedMaximum"];
  /** Ends all workers. Calls that run or wait are rejected with ERR_CLOSED, and so are later ones. */
  close(): void;
}
