/** The script of a pool's worker, in browsers and in Node. */
import { hold } from "./lock.ts";
import { serve } from "./serve.ts";

const threads = typeof process === "object" ? process.getBuiltinModule?.("node:worker_threads") : undefined;

if (threads?.parentPort) {
  const { parentPort } = threads;
  parentPort.on("message", serve({ post: (message, transfer) => parentPort.postMessage(message, transfer) }));
} else {
  const port = {
    post: (message: unknown, transfer: ArrayBuffer[] = []) => self.postMessage(message, { transfer }),
  };
  const receive = serve(port, hold);
  self.addEventListener("message", (event) => receive(event.data));
}
