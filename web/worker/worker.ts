/** The script of a pool's worker, in browsers and in Node. */
import { serve } from "./serve.ts";

const threads = typeof process === "object" ? process.getBuiltinModule?.("node:worker_threads") : undefined;

if (threads?.parentPort) {
  const { parentPort } = threads;
  parentPort.on("message", serve({ post: (message) => parentPort.postMessage(message) }));
} else {
  const receive = serve({ post: (message) => self.postMessage(message) });
  self.addEventListener("message", (event) => receive(event.data));
}
