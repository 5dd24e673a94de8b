/** The ways to start a worker, and what stands in for one where workers are refused. */
import { workerScript } from "../../build/generated/worker-script.js";
import { isFree } from "./lock.ts";
import type { FromWorker, Port, ToWorker } from "./protocol.ts";
import { serve } from "./serve.ts";

/** What a pool holds of a worker. */
export interface Peer extends Port<ToWorker> {
  /** Whether the process has to stay alive for it (Node). */
  hold(busy: boolean): void;
  terminate(): void;
  /** Whether it is certain that the worker, which works and holds its lock, is no more. Left out where ends are told. */
  gone?(lock: string): Promise<boolean>;
}

export interface Listener {
  message(data: unknown): void;
  /** It died, or never came to life. */
  dead(why: string): void;
}

export type Spawn = (listener: Listener) => Peer;

const nodeThreads = () =>
  typeof process === "object" ? process.getBuiltinModule?.("node:worker_threads") : undefined;

function inNode(listener: Listener): Peer {
  const threads = nodeThreads();
  if (!threads) throw new Error("no worker threads");
  const worker = new threads.Worker(workerScript, { eval: true });
  worker.on("message", listener.message);
  worker.on("messageerror", (error) => listener.dead(error.message));
  worker.on("error", (error) => listener.dead(error.message));
  worker.on("exit", (status) => listener.dead(`it ended with status ${status}`));
  worker.unref();
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
}

function fromWorker(worker: Worker, listener: Listener): Peer {
  worker.onmessage = (event) => listener.message(event.data);
  worker.onmessageerror = () => listener.dead("a message could not be read");
  worker.onerror = (event) => {
    event.preventDefault?.(); // the pool reports it; not the console too
    listener.dead(event.message || "its script was refused or failed");
  };
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    hold: () => {},
    terminate: () => worker.terminate(),
    gone: isFree,
  };
}

/** The script that this package carries: always of its own version, and no request. Refused by some policies. */
function fromBlob(listener: Listener): Peer {
  const url = URL.createObjectURL(new Blob([workerScript], { type: "text/javascript" }));
  try {
    return fromWorker(new Worker(url), listener);
  } finally {
    // The fetch has begun; engines that only note it down here get the time to.
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}

/** The file beside this one. Spelt out, so that bundlers see it. */
function fromUrl(listener: Listener): Peer {
  return fromWorker(new Worker(new URL("./pool-worker.js", import.meta.url), { type: "module" }), listener);
}

/** The same service on this thread, in slices that leave the page responsive. */
function inPage(listener: Listener): Peer {
  let open = true;
  const deliver = (message: FromWorker) => {
    if (open) listener.message(message);
  };
  const receive = serve({ post: (message) => queueMicrotask(() => deliver(message)) });
  return {
    post: (message) => queueMicrotask(() => receive(message)),
    hold: () => {},
    terminate: () => {
      open = false;
    },
  };
}

export interface Ways {
  /** Best first; any may be refused here. */
  readonly workers: readonly Spawn[];
  /** Refused by nobody, but it takes this thread's time. */
  readonly inPage: Spawn;
}

/** What there is to try in this runtime. Node.js before 20.16 and 22.3 hands out no worker threads. */
export function waysToSpawn(): Ways {
  if (nodeThreads()) return { workers: [inNode], inPage };
  return { workers: typeof Worker === "function" ? [fromBlob, fromUrl] : [], inPage };
}
