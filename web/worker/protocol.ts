/** What a pool and its workers say to each other. Both sides check what they receive. */
import { type ErrorCode, SqrtdkError } from "../core/errors.ts";
import type { Core, DensityOptions, Steps } from "../core/types.ts";

/** Between two reports of progress. The eye follows about twenty pictures a second. */
export const progressMilliseconds = 50;

/** The calls a worker takes, as steps. */
export type CallName =
  | keyof Core["steps"]
  | "dotProductDensity"
  | "expectedMaximum"
  | "randomNormal"
  | "info";

/** One piece of work for one worker; `args` are those of the call. */
export interface Task {
  call: CallName;
  args: unknown[];
}

export type ToWorker =
  | { type: "start"; module: WebAssembly.Module }
  | { type: "run"; id: number; task: Task }
  | { type: "cancel"; id: number }
  /** Is it there? */
  | { type: "ping" };

export type FromWorker =
  | { type: "ready" }
  | { type: "pong" }
  /** It cannot serve: the engine did not start, or broke while it ran. */
  | { type: "broken"; message: string }
  | { type: "progress"; id: number; value: unknown }
  | { type: "done"; id: number; value: unknown }
  | { type: "failed"; id: number; code: ErrorCode; message: string };

/** One end of a connection. */
export interface Port<Out> {
  post(message: Out): void;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isTask = (value: unknown): value is Task =>
  isObject(value) && typeof value.call === "string" && Array.isArray(value.args);

export function isToWorker(value: unknown): value is ToWorker {
  if (!isObject(value)) return false;
  if (value.type === "start") return value.module instanceof WebAssembly.Module;
  if (value.type === "ping") return true;
  if (!Number.isInteger(value.id)) return false;
  return value.type === "cancel" || (value.type === "run" && isTask(value.task));
}

export function isFromWorker(value: unknown): value is FromWorker {
  if (!isObject(value)) return false;
  if (value.type === "ready" || value.type === "pong") return true;
  if (value.type === "broken") return typeof value.message === "string";
  if (!Number.isInteger(value.id)) return false;
  if (value.type === "failed") return typeof value.code === "string" && typeof value.message === "string";
  return (value.type === "progress" || value.type === "done") && "value" in value;
}

/** A task as steps of a core; calls that take no time are a single step. */
export function stepsOf(core: Core, task: Task): Steps<unknown> {
  const [first, second] = task.args as [never, never];
  switch (task.call) {
    case "sampleDotProducts":
      return core.steps.sampleDotProducts(first);
    case "varianceSweep":
      return core.steps.varianceSweep(first);
    case "gradientSweep":
      return core.steps.gradientSweep(first);
    case "dotProductDensity":
      return densityInPieces(core, first, second);
    case "expectedMaximum":
      return atOnce(() => core.theory.expectedMaximum(first));
    case "randomNormal":
      return atOnce(() => core.randomNormal(first, second));
    case "info":
      return atOnce(() => core.info());
    default:
      throw new SqrtdkError("ERR_OPTION", `the worker knows no call "${task.call as string}"`);
  }
}

/** At most a second of work, also where machines are slow: a worker that answers nothing for long is given up. */
const pointsPerStep = 2 ** 15;

function* densityInPieces(core: Core, x: Float64Array, options: DensityOptions): Steps<unknown> {
  const density = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += pointsPerStep) {
    density.set(core.theory.dotProductDensity(x.subarray(start, start + pointsPerStep), options), start);
    yield () => undefined; // nobody asks for part of it
  }
  return density;
}

// biome-ignore lint/correctness/useYield: a call of one step has nothing to show before its result
function* atOnce(work: () => unknown): Steps<unknown> {
  return work();
}
