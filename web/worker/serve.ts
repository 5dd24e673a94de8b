/** The worker's side of a pool; it can as well run in the page itself, where workers are refused. */

import { SqrtdkError } from "../core/errors.ts";
import { createLoader } from "../core/loader.ts";
import type { Core, Steps } from "../core/types.ts";
import { stepsOf, type Task } from "./calls.ts";
import { type FromWorker, isToWorker, type Port, progressMilliseconds } from "./protocol.ts";
import { memoryOf } from "./send.ts";

/** How long to compute before other events get their turn: half a frame. */
const sliceMilliseconds = 8;

/** Lets waiting events run. A timer would make every turn four milliseconds long. */
function otherEvents(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Answers a pool. Returns what is to be done with each message that comes. `hold` takes a lock while there is work, and
 * resolves to what gives it back.
 */
export function serve(
  port: Port<FromWorker>,
  hold?: (lock: string) => Promise<() => void>,
): (message: unknown) => void {
  const running = new Set<number>();
  let core: Promise<Core> | undefined;
  let lock = "";

  async function start(module: WebAssembly.Module) {
    core = loader.load({ wasmModule: module });
    await core;
    port.post({ type: "ready" });
  }

  async function drive(id: number, steps: Steps<unknown>): Promise<unknown> {
    let sliceEnd = performance.now() + sliceMilliseconds;
    let nextProgress = performance.now() + progressMilliseconds;
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      const now = performance.now();
      if (now >= nextProgress) {
        port.post({ type: "progress", id, value: step.value() });
        // To sum up many trials takes its time as well: at most a fifth of all.
        const reported = performance.now();
        nextProgress = reported + Math.max(progressMilliseconds, 4 * (reported - now));
      }
      // The next step may take as long as the last ones did; better early than late.
      if (now >= sliceEnd - sliceMilliseconds / 4) {
        await otherEvents();
        if (!running.has(id)) throw new SqrtdkError("ERR_ABORTED", "cancelled");
        sliceEnd = performance.now() + sliceMilliseconds;
      }
    }
  }

  async function run(id: number, task: Task) {
    running.add(id);
    const release = await hold?.(lock);
    port.post({ type: "pong" });
    try {
      if (!core) throw new SqrtdkError("ERR_WORKER", "the worker was not started");
      const value = await drive(id, stepsOf(await core, task));
      port.post({ type: "done", id, value }, memoryOf(value));
    } catch (error) {
      if (!(error instanceof SqrtdkError)) throw error;
      port.post({ type: "failed", id, code: error.code, message: error.message });
    } finally {
      running.delete(id);
      release?.();
    }
  }

  const broken = (error: unknown) =>
    port.post({ type: "broken", message: error instanceof Error ? error.message : String(error) });

  return (message) => {
    if (!isToWorker(message)) return;
    if (message.type === "start") {
      lock = message.lock;
      start(message.module).catch(broken);
    } else if (message.type === "run") run(message.id, message.task).catch(broken);
    else if (message.type === "ping") port.post({ type: "pong" });
    else running.delete(message.id);
  };
}

const loader = /* @__PURE__ */ createLoader({
  automatic: [],
  bytes: () => Promise.reject(new SqrtdkError("ERR_WORKER", "the worker is given its module")),
});
