/** What a pool and its workers say to each other. Both sides check what they receive. */
import type { ErrorCode } from "../core/errors.ts";
import type { Task } from "./calls.ts";

/** Between two reports of progress. The eye follows about twenty pictures a second. */
export const progressMilliseconds = 50;

export type ToWorker =
  /** `lock` is the name of what it holds while it works; whoever gets that knows that it is gone. */
  | { type: "start"; module: WebAssembly.Module; lock: string }
  | { type: "run"; id: number; task: Task }
  | { type: "cancel"; id: number }
  /** Is it there? */
  | { type: "ping" };

export type FromWorker =
  | { type: "ready" }
  /** It is there; said without being asked when it sets to work. */
  | { type: "pong" }
  /** It cannot serve: the engine did not start, or broke while it ran. */
  | { type: "broken"; message: string }
  | { type: "progress"; id: number; value: unknown }
  | { type: "done"; id: number; value: unknown }
  | { type: "failed"; id: number; code: ErrorCode; message: string };

/** One end of a connection. */
export interface Port<Out> {
  /** Memory in `transfer` goes over without a copy. */
  post(message: Out, transfer?: ArrayBuffer[]): void;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isTask = (value: unknown): value is Task =>
  isObject(value) && typeof value.call === "string" && Array.isArray(value.args);

export function isToWorker(value: unknown): value is ToWorker {
  if (!isObject(value)) return false;
  if (value.type === "start")
    return value.module instanceof WebAssembly.Module && typeof value.lock === "string";
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
