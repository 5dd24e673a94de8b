/** `createPool`: the core's calls as promises, computed in workers. */
import { integer, isList, readItems, readOptions, reject } from "../core/checks.ts";
import { SqrtdkError } from "../core/errors.ts";
import { readDotProducts, readGradientSweep, readVarianceSweep } from "../core/experiment-options.ts";
import { compile } from "../core/index.ts";
import type { JobOptions, Pool } from "../core/types.ts";
import { type CallName, calls, spoken, type Task } from "./calls.ts";
import { type Assignment, Crew } from "./crew.ts";
import { progressMilliseconds } from "./protocol.ts";
import { sendable } from "./send.ts";

const maximumSize = 64;

/** One worker fewer than processors, for the page itself; more than four gain little in these calls. */
const defaultSize = () => Math.min(4, Math.max(1, (globalThis.navigator?.hardwareConcurrency ?? 2) - 1));

const throttled = (report: () => void) => {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last < progressMilliseconds) return;
    last = now;
    report();
  };
};

/** Signals of other frames and of polyfills are signals as well. */
function isSignal(value: unknown): value is AbortSignal {
  try {
    const { addEventListener, removeEventListener } = value as AbortSignal;
    return typeof addEventListener === "function" && typeof removeEventListener === "function";
  } catch {
    return false; // a proxy that was revoked
  }
}

/** Of what a call accepts after its own arguments; `onProgress` where there are steps. */
function readJob(name: CallName, job: unknown): JobOptions<unknown> {
  const call = spoken(name);
  const inSteps = calls[name].way === "steps";
  const known = ["signal", inSteps ? "onProgress" : "transfer"] as const;
  const { signal, onProgress, transfer }: { [name: string]: unknown } = readOptions(call, job, known, "job");
  if (signal !== undefined && !isSignal(signal)) reject("ERR_TYPE", call, "signal", "an AbortSignal", signal);
  if (onProgress !== undefined && typeof onProgress !== "function")
    reject("ERR_TYPE", call, "onProgress", "a function", onProgress);
  if (transfer !== undefined && !isList(transfer))
    reject("ERR_TYPE", call, "transfer", "an array of ArrayBuffers", transfer);
  const copy: JobOptions<unknown> = {};
  if (signal !== undefined) copy.signal = signal;
  if (onProgress !== undefined) copy.onProgress = onProgress as (soFar: unknown) => void;
  if (transfer !== undefined) copy.transfer = readItems(transfer, (item) => item as ArrayBuffer);
  return copy;
}

/** Runs tasks side by side and puts their results together, in the order of the tasks whoever finishes first. */
function runJob(
  crew: Crew,
  tasks: readonly Task[],
  join: (parts: readonly unknown[]) => unknown,
  { signal, onProgress }: JobOptions<unknown>,
): Promise<unknown> {
  return new Promise((resolve, rejectPromise) => {
    const parts: unknown[] = tasks.map(() => undefined);
    let missing = tasks.length;

    const end = () => {
      signal?.removeEventListener("abort", abort);
      crew.drop(assignments);
    };
    const fail = (error: unknown) => {
      end();
      rejectPromise(error);
    };
    const abort = () => {
      const call = spoken((tasks[0] as Task).call);
      const cause = signal?.reason;
      fail(new SqrtdkError("ERR_ABORTED", `${call}: aborted by the caller's signal`, { cause }));
    };
    const report = throttled(() => {
      try {
        onProgress?.(join(parts));
      } catch (error) {
        fail(error);
      }
    });

    const assignments = tasks.map(
      (task, i): Assignment => ({
        task,
        progress(value) {
          parts[i] = value;
          report();
        },
        done(value) {
          parts[i] = value;
          if (--missing > 0) return report();
          end();
          resolve(join(parts));
        },
        failed: fail,
      }),
    );

    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort);
    for (const assignment of assignments) crew.submit(assignment);
  });
}

const only = (parts: readonly unknown[]) => parts[0];
/** Rows of the dimensions that have any yet, in the order asked for. */
const rows = (parts: readonly unknown[]) => parts.flatMap((part) => (part ?? []) as unknown[]);

/** How a call becomes several: the options of each, checked before anything is sent, and one result of theirs. */
interface Division {
  divide(call: string, options: never): object[];
  join(parts: readonly unknown[]): unknown;
}

const aDimensionEach = (read: (call: string, options: never) => { dimensions: number[] }): Division => ({
  divide: (call, options: object) =>
    read(call, options as never).dimensions.map((dimension) => ({ ...options, dimensions: [dimension] })),
  join: rows,
});

const divisions: { [name in CallName]?: Division } = {
  sampleDotProducts: {
    divide(call, options) {
      readDotProducts(call, options);
      return [options];
    },
    join: only,
  },
  varianceSweep: aDimensionEach(readVarianceSweep),
  gradientSweep: aDimensionEach(readGradientSweep),
};

/**
 * Workers that run the calls of the core: in browsers, and in Node as worker threads. Where workers are refused (some
 * content security policies and sandboxes; Node.js before 20.16) the calls run on this thread: those that have steps in
 * slices of at least one of them, short but for the longest vectors and rows, see `Steps`; all others as a whole. Results
 * have the same bits for any size, and are those of the core's own calls. Workers start with the first call.
 *
 * Promises are rejected with a SqrtdkError: the codes of the core's calls, ERR_ABORTED as soon as the signal says so,
 * ERR_WORKER if a worker dies or falls silent (the next call gets a new one), ERR_CLOSED after `close()`.
 */
export function createPool(options?: { size?: number }): Pool {
  const { size } = readOptions("createPool", options, ["size"]);
  const module = async () => (await compile()).module;
  const crew = new Crew(integer("createPool", "size", size ?? defaultSize(), 1, maximumSize), module);
  let closed = false;

  const pooled =
    (name: CallName) =>
    async (...args: unknown[]) => {
      const call = spoken(name);
      if (closed) throw new SqrtdkError("ERR_CLOSED", `${call}: the pool was closed`);
      const { takes } = calls[name];
      const job = readJob(name, args[takes]);
      const division = divisions[name];
      if (division) {
        const [options] = sendable(call, [args[0]], [], "leave");
        const parts = division.divide(call, options as never);
        const tasks = parts.map((part): Task => ({ call: name, args: [part] }));
        return runJob(crew, tasks, division.join, job);
      }
      const sent = sendable(call, args.slice(0, takes), job.transfer);
      return runJob(crew, [{ call: name, args: sent }], only, job);
    };

  const pool: Record<string, unknown> = {};
  const theory: Record<string, unknown> = {};
  for (const name of Object.keys(calls) as CallName[]) {
    const home = name.startsWith("theory.") ? theory : pool;
    home[spoken(name)] = pooled(name);
  }
  pool.theory = theory;
  pool.dotProductDensity = theory.dotProductDensity;
  pool.expectedMaximum = theory.expectedMaximum;
  pool.close = () => {
    closed = true;
    crew.close();
  };
  // That it has every call is what the table of calls is checked for.
  return pool as unknown as Pool;
}
