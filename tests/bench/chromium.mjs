/**
 * The benchmark in a page of headless Chromium: `measure.mjs` and the peers as one script. What is counted is CPU time of
 * the page's main thread; what the browser compiles and collects on others is not in it.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const root = new URL("../..", import.meta.url);
const origin = "http://localhost";
// Where the bundled modules believe to be: paths relative to this folder hold as under Node.js.
const folder = "/tests/bench/";

async function pageScript() {
  const { outputFiles } = await build({
    stdin: {
      contents: 'import { measure } from "./measure.mjs"; globalThis.measure = measure;',
      resolveDir: fileURLToPath(new URL(`.${folder}`, root)),
    },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0].text;
}

/** Gives `{ version, measure(name, pace), close() }`; every workload gets a page, and so a process, of its own. */
export async function openChromium() {
  const script = await pageScript();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--js-flags=--expose-gc"],
  });

  async function answer(route) {
    const { pathname } = new URL(route.request().url());
    if (pathname === folder) return route.fulfill({ contentType: "text/html", body: "<!doctype html>" });
    if (pathname === `${folder}page.js`)
      return route.fulfill({ contentType: "text/javascript", body: script });
    const contentType = pathname.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    return route.fulfill({ contentType, body: await readFile(new URL(`.${pathname}`, root)) });
  }

  async function measure(name, pace) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.route(`${origin}/**`, answer);
      const session = await context.newCDPSession(page);
      await session.send("Performance.enable");
      await page.exposeFunction("cpuMs", async () => {
        const { metrics } = await session.send("Performance.getMetrics");
        return 1000 * metrics.find((metric) => metric.name === "ThreadTime").value;
      });
      await page.goto(origin + folder);
      await page.addScriptTag({ type: "module", url: `${folder}page.js` });
      return await page.evaluate(
        ([name, pace]) => globalThis.measure(name, pace, globalThis.cpuMs),
        [name, pace],
      );
    } catch (error) {
      return { name, unit: "", rows: [], peakRates: {}, notTimed: [{ name: "all", reason: error.message }] };
    } finally {
      await context.close();
    }
  }

  return { version: browser.version(), measure, close: () => browser.close() };
}
