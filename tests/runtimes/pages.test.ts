/** The package in pages without a bundler: three browsers, with and without a strict policy, and in workers. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as sqrtdk from "sqrtdk";
import * as external from "sqrtdk/external";
import * as worker from "sqrtdk/worker";
import { type Browser, fileOf, serve, visit } from "./browsers.ts";
import { root, skipWithout } from "./engines.ts";
import { exercise } from "./exercise.js";

const expected = await exercise({ sqrtdk, worker, external });

/** No bundler and no import map: the files as they are on a server. */
const imports = `
  import * as sqrtdk from "/dist/index.js";
  import * as worker from "/dist/worker.js";
  import * as external from "/dist/external.js";
  import { exercise } from "/exercise.js";
  const answers = () => exercise({ sqrtdk, worker, external });`;
const report = `const report = (value) => fetch("/report", { method: "POST", body: JSON.stringify(value) });
  addEventListener("error", (event) => report({ error: event.message }));
  addEventListener("unhandledrejection", (event) => report({ error: String(event.reason) }));`;

const files: Record<string, string> = {
  "/page": '<!doctype html><title>x</title><script type="module" src="/page.js"></script>',
  "/page.js": `${imports} ${report} report(await answers());`,
  "/in-worker": '<!doctype html><title>x</title><script type="module" src="/in-worker.js"></script>',
  "/in-worker.js": `import { compile } from "/dist/index.js"; ${report}
    const { module } = await compile();
    const worker = new Worker("/worker.js", { type: "module" });
    worker.onmessage = ({ data }) => report(data);
    worker.onerror = (event) => report({ error: event.message });
    worker.postMessage(module);`,
  "/worker.js": `${imports}
    addEventListener("message", async ({ data }) => {
      const core = await sqrtdk.load({ wasmModule: data });
      const { pool, ...rest } = await answers();
      postMessage({ ...rest, pool: pool && core.softmax(Float32Array.of(0, 0))[0] === 0.5 });
    });`,
};
const find = async (path: string) => {
  if (path.startsWith("/dist/")) return fileOf(root, path);
  if (path === "/exercise.js") return readFile(join(root, "tests/runtimes/exercise.js"));
  return files[path];
};

const base = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
/** What a policy says of workers, and where the pool's must then have come from. */
const policies: [string, string, string | undefined, "file" | "bytes" | "nowhere"][] = [
  ["without a policy", "/page", undefined, "bytes"],
  ["under a strict policy", "/page", base, "file"],
  ["where workers are refused", "/page", `${base}; worker-src 'none'`, "nowhere"],
  ["in a worker under a strict policy", "/in-worker", base, "file"],
];

for (const browser of ["Chromium", "Firefox", "WebKit"] satisfies Browser[]) {
  for (const [where, path, policy, source] of policies) {
    test(`${browser} ${where}`, { skip: skipWithout(browser) }, async () => {
      const headers: Record<string, string> = policy ? { "content-security-policy": policy } : {};
      const server = await serve(find, () => headers);
      try {
        const answers = await visit(browser, new URL(path, server.url).href, server.report);
        const { fastest, codeFromStrings, ...rest } = answers as typeof expected;
        const { fastest: _, codeFromStrings: __, ...ours } = expected;
        assert.deepEqual(rest, ours);
        assert.equal(fastest, browser === "WebKit" ? "simd" : "relaxed");
        assert.equal(codeFromStrings, policy === undefined);
        const fetchedWorker = server.asked.includes("/dist/pool-worker.js");
        assert.equal(fetchedWorker, source === "file", server.asked.join(" "));
      } finally {
        await server.close();
      }
    });
  }
}
