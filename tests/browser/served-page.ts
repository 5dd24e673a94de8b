/** The built page, served as `npm start` serves it, and a headless Chromium to open it with. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { preview } from "vite";
import { writeHash } from "../../web/state/hash.ts";

const root = new URL("../..", import.meta.url);

const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface ServedPage {
  url: string;
  /** A page in a context of its own. What went wrong on it, and what it asked of other hosts, ends up in `trouble`. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; trouble: string[] }>;
  close(): Promise<void>;
}

/** The lesson with no figure covered by a guess: its address says of every figure how it stands. */
export function uncovered(url: string): string {
  return `${url}${writeHash({})}&hide=-`;
}

/** Lets a page import the built package from its own origin, under the page's own security policy. */
async function offerPackage(page: Page): Promise<void> {
  await page.route("**/dist/*", async (route) => {
    const path = new URL(route.request().url()).pathname;
    const body = await readFile(fileURLToPath(new URL(`.${path}`, root)));
    const contentType = path.endsWith(".wasm") ? "application/wasm" : "text/javascript";
    await route.fulfill({ body, contentType });
  });
}

export async function servePage(): Promise<ServedPage> {
  const server = await preview({
    root: fileURLToPath(new URL("web", root)),
    configFile: fileURLToPath(new URL("vite.config.ts", root)),
    preview: { port: 0, host: "127.0.0.1" },
    logLevel: "silent",
  });
  const address = server.httpServer.address();
  if (address === null || typeof address === "string") throw new Error("the preview server has no port");
  const url = `http://127.0.0.1:${address.port}/`;
  const browser: Browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: chromiumFlags,
  });
  return {
    url,
    async open(options) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const trouble: string[] = [];
      page.on("pageerror", (error) => trouble.push(error.message));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) trouble.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url()))
          trouble.push(`asked another host: ${request.url()}`);
      });
      await offerPackage(page);
      return { page, trouble };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
