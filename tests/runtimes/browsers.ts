/** Starts browsers as people do, with an address; the page reports to the server that it came from. No driver is needed. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { type Engine, program } from "./engines.ts";

const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".css": "text/css",
  ".json": "application/json",
};

/** Files of a folder. */
export async function fileOf(folder: string, path: string): Promise<Buffer | undefined> {
  if (path.includes("..")) return undefined;
  return readFile(join(folder, path === "/" ? "index.html" : path)).catch(() => undefined);
}

export interface StaticServer {
  url: string;
  /** What was asked for, in order. */
  asked: string[];
  /** The next report of a page: whatever it posts to /report. */
  report(): Promise<unknown>;
  close(): Promise<void>;
}

export async function serve(
  find: (path: string) => Promise<Buffer | string | undefined>,
  headers: (path: string) => Record<string, string> = () => ({}),
): Promise<StaticServer> {
  const asked: string[] = [];
  let receive: (report: unknown) => void = () => {};
  const body = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const server: Server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    if (request.method === "POST" && path === "/report") {
      receive(JSON.parse(await body(request)));
      return response.end();
    }
    asked.push(path);
    const content = await find(path);
    const type = types[extname(path) || ".html"] ?? "application/octet-stream";
    response.writeHead(content === undefined ? 404 : 200, { "content-type": type, ...headers(path) });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}/`,
    asked,
    report: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no report; asked for ${asked.join(" ")}`)), 120_000);
        receive = (report) => {
          clearTimeout(timer);
          resolve(report);
        };
      }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const commands: Record<"Chromium" | "Firefox" | "WebKit", (profile: string, url: string) => string[]> = {
  Chromium: (profile, url) => [
    program("Chromium"),
    ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
    ...["--disable-background-networking", "--disable-component-update", `--user-data-dir=${profile}`, url],
  ],
  Firefox: (profile, url) => [program("Firefox"), "--headless", "--no-remote", "--profile", profile, url],
  WebKit: (_, url) => ["xvfb-run", "-a", program("WebKit"), url],
};
export type Browser = keyof typeof commands & Engine;

/** Opens an address in a fresh profile, and ends the browser when `until` does. */
export async function visit<Result>(
  browser: Browser,
  url: string,
  until: () => Promise<Result>,
): Promise<Result> {
  const profile = await mkdtemp(join(tmpdir(), "sqrtdk-profile-"));
  const [command, ...args] = commands[browser](profile, url) as [string, ...string[]];
  const env = { ...process.env, HOME: profile, XDG_CACHE_HOME: profile, XDG_CONFIG_HOME: profile };
  const done = until();
  // A group of its own, because these programs start others.
  const child: ChildProcess = spawn(command, args, { detached: true, stdio: "ignore", env });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    return await done;
  } finally {
    if (child.pid) process.kill(-child.pid, "SIGTERM");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
