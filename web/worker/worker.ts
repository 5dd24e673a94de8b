/** The script of a pool's worker, in browsers and in Node. */
import { serve } from "./serve.ts";

const threads = typeof process === "object" ? process.getBuiltinModule?.("node:worker_threads") : undefined;

if (threads?.parentPort) {
  const { parentPort } = threads;
  parentPort.on("message", serve({ post: (message, transfer) => parentPort.postMessage(message, transfer) }));
} else {
  const receive = serve({ post: (message, transfer = []) => self.postMessage(message, { transfer }) });
  self.addEventListener("message", (event) => receive(event.data));
}
