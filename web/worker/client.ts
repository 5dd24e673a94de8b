/** `createPool`: the calls that take long, as promises, computed in workers. */
import { integer, lengthOf, readOptions, reject, typedArrayName } from "../core/checks.ts";
import { SqrtdkError } from "../core/errors.ts";
import { readDotProducts, readGradientSweep, readVarianceSweep } from "../core/experiment-options.ts";
import { allocated } from "../core/heap.ts";
import { compile } from "../core/index.ts";
import { readNormal } from "../core/random.ts";
import { readDensity, readKeys, readPoints } from "../core/theory.ts";
import type {
  CoreInfo,
  DotProductResult,
  GradientRow,
  JobOptions,
  Pool,
  VarianceRow,
} from "../core/types.ts";
import { type Assignment, Crew } from "./crew.ts";
import { progressMilliseconds, type Task } from "./protocol.ts";

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

function readJob<Result>(call: string, job: JobOptions<Result> | undefined): JobOptions<Result> {
  const o = readOptions(call, job, ["signal", "onProgress"], "job");
  if (o.signal !== undefined && !isSignal(o.signal))
    reject("ERR_TYPE", call, "signal", "an AbortSignal", o.signal);
  if (o.onProgress !== undefined && typeof o.onProgress !== "function")
    reject("ERR_TYPE", call, "onProgress", "a function", o.onProgress);
  return { signal: o.signal, onProgress: o.onProgress as JobOptions<Result>["onProgress"] };
}

/** Runs tasks side by side and puts their results together, in the order of the tasks whoever finishes first. */
function runJob<Result>(
  crew: Crew,
  tasks: readonly Task[],
  join: (parts: readonly unknown[]) => Result,
  { signal, onProgress }: JobOptions<Result>,
): Promise<Result> {
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
      const call = tasks[0]?.call;
      fail(
        new SqrtdkError("ERR_ABORTED", `${call}: aborted by the caller's signal`, { cause: signal?.reason }),
      );
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

const only = (parts: readonly unknown[]) => parts[0] as never;
/** Rows of the dimensions that have any yet, in the order asked for. */
const rows = <Row>(parts: readonly unknown[]) => parts.flatMap((part) => (part ?? []) as Row[]);

/**
 * Workers that run the long calls of the core: in browsers, and in Node as worker threads. Where workers are refused
 * (some content security policies and sandboxes; Node.js before 20.16) the calls run on this thread, in slices of at
 * least one of their steps: short but for the longest vectors and rows, see `Steps`. Results have the same bits for any
 * size, and are those of the core's own calls. Workers start with the first call.
 *
 * Promises are rejected with a SqrtdkError: the codes of the core's calls, ERR_ABORTED within a step of the signal,
 * ERR_WORKER if a worker dies or falls silent (the next call gets a new one), ERR_CLOSED after `close()`.
 */
export function createPool(options?: { size?: number }): Pool {
  const { size } = readOptions("createPool", options, ["size"]);
  const module = async () => (await compile()).module;
  const crew = new Crew(integer("createPool", "size", size ?? defaultSize(), 1, maximumSize), module);
  let closed = false;

  const open = (call: string) => {
    if (closed) throw new SqrtdkError("ERR_CLOSED", `${call}: the pool was closed`);
  };

  return {
    async sampleDotProducts(options, job) {
      const call = "sampleDotProducts";
      open(call);
      const o = readDotProducts(call, options);
      return runJob<DotProductResult>(crew, [{ call, args: [o] }], only, readJob(call, job));
    },

    async varianceSweep(options, job) {
      const call = "varianceSweep";
      open(call);
      const o = readVarianceSweep(call, options);
      const tasks = o.dimensions.map((d): Task => ({ call, args: [{ ...o, dimensions: [d] }] }));
      return runJob(crew, tasks, rows<VarianceRow>, readJob(call, job));
    },

    async gradientSweep(options, job) {
      const call = "gradientSweep";
      open(call);
      const o = readGradientSweep(call, options);
      const tasks = o.dimensions.map((d): Task => ({ call, args: [{ ...o, dimensions: [d] }] }));
      return runJob(crew, tasks, rows<GradientRow>, readJob(call, job));
    },

    async dotProductDensity(x, options) {
      const call = "dotProductDensity";
      open(call);
      if (typedArrayName(x) !== "Float64Array") reject("ERR_TYPE", call, "x", "a Float64Array", x);
      const points = allocated(call, 8 * lengthOf(x), () => readPoints(call, x));
      const args = [points, readDensity(call, options)];
      return runJob<Float64Array>(crew, [{ call, args }], only, {});
    },

    async expectedMaximum(n) {
      const call = "expectedMaximum";
      open(call);
      return runJob<number>(crew, [{ call, args: [readKeys(call, n)] }], only, {});
    },

    async randomNormal(count, options) {
      const call = "randomNormal";
      open(call);
      const { count: length, ...stream } = readNormal(call, count, options);
      return runJob<Float32Array>(crew, [{ call, args: [length, stream] }], only, {});
    },

    async info() {
      open("info");
      return runJob<CoreInfo>(crew, [{ call: "info", args: [] }], only, {});
    },

    close() {
      closed = true;
      crew.close();
    },
  };
}
