/** One function a bundler: builds a folder as its users would, and says where the result is served. */
import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileOf, serve } from "../runtimes/browsers.ts";
import { installPackage, run } from "../runtimes/engines.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const tools = join(here, "tools");
const require = createRequire(join(tools, "package.json"));
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", PARCEL_DISABLE_TELEMETRY: "1", CI: "1" };

export interface Served {
  url: string;
  close(): Promise<unknown>;
}

/** An app's folder: its page, its code, the packed package. */
async function appFolder(name: string, code = "app.js"): Promise<string> {
  const folder = join(tools, "out", name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await installPackage(folder);
  await cp(join(here, code), join(folder, "app.js"));
  await cp(join(here, "show.js"), join(folder, "show.js"));
  await cp(join(here, "../runtimes/exercise.js"), join(folder, "exercise.js"));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await writeFile(
    join(folder, "index.html"),
    '<!doctype html><title>x</title><script type="module" src="./app.js"></script>',
  );
  return folder;
}

const page = (script: string) => `<!doctype html><title>x</title>${script}`;
const staticFiles = (folder: string, index?: string): Promise<Served> =>
  serve(async (path) => (index && path === "/" ? index : fileOf(folder, path)));

async function viteDev(): Promise<Served> {
  const { createServer } = await import("vite");
  const server = await createServer({
    root: await appFolder("vite-dev"),
    configFile: false,
    logLevel: "silent",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error("the server has no address");
  return { url, close: () => server.close() };
}

async function vite(): Promise<Served> {
  const { build } = await import("vite");
  const folder = await appFolder("vite");
  await build({ root: folder, configFile: false, logLevel: "silent" });
  return staticFiles(join(folder, "dist"));
}

async function webpack(): Promise<Served> {
  const folder = await appFolder("webpack");
  const compiler = require("webpack")({
    context: folder,
    mode: "production",
    entry: "./app.js",
    output: { path: join(folder, "dist") },
  });
  await new Promise<void>((resolve, reject) =>
    compiler.run((error: Error | null, stats: { hasErrors(): boolean; toString(): string }) =>
      error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve(),
    ),
  );
  return staticFiles(join(folder, "dist"), page('<script src="main.js"></script>'));
}

async function rollup(): Promise<Served> {
  const folder = await appFolder("rollup", "app-embedded.js");
  const { nodeResolve } = require("@rollup/plugin-node-resolve");
  const bundle = await require("rollup").rollup({ input: join(folder, "app.js"), plugins: [nodeResolve()] });
  await bundle.write({ dir: join(folder, "dist"), format: "es" });
  return staticFiles(join(folder, "dist"), page('<script type="module" src="app.js"></script>'));
}

const esbuild = (format: "esm" | "iife") => async (): Promise<Served> => {
  const { build } = await import("esbuild");
  const folder = await appFolder(`esbuild-${format}`, "app-embedded.js");
  const outfile = join(folder, "dist/bundle.js");
  await build({
    entryPoints: [join(folder, "app.js")],
    bundle: true,
    minify: true,
    format,
    outfile,
    logLevel: "error",
  });
  const type = format === "esm" ? ' type="module"' : "";
  return staticFiles(join(folder, "dist"), page(`<script${type} src="bundle.js"></script>`));
};

/** Parcel does not read the "exports" of packages unless told to: "main" and "alias" in ours serve it. */
async function parcel(): Promise<Served> {
  const folder = await appFolder("parcel");
  await writeFile(join(folder, "yarn.lock"), ""); // what makes a folder a project of its own
  const args = ["build", "index.html", "--dist-dir", "dist", "--no-cache", "--no-source-maps"];
  await run(join(tools, "node_modules/.bin/parcel"), args, { cwd: folder, env });
  return staticFiles(join(folder, "dist"));
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    }),
  );
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the server ended with status ${child.exitCode}`);
}

async function next(): Promise<Served> {
  const folder = await appFolder("next");
  await cp(join(here, "next"), join(folder, "app"), { recursive: true });
  for (const name of ["show.js", "exercise.js"]) await cp(join(folder, name), join(folder, "app", name));
  const program = join(tools, "node_modules/next/dist/bin/next");
  await run(process.execPath, [program, "build"], { cwd: folder, env });
  const port = await freePort();
  const args = [program, "start", "--hostname", "127.0.0.1", "--port", String(port)];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" });
  const url = `http://127.0.0.1:${port}/`;
  const close = () => new Promise((resolve) => child.once("exit", resolve).kill());
  await answers(url, child);
  return { url, close };
}

export const bundlers = {
  "Vite, development": viteDev,
  Vite: vite,
  webpack,
  Rollup: rollup,
  "esbuild, module": esbuild("esm"),
  "esbuild, classic script": esbuild("iife"),
  Parcel: parcel,
  Next: next,
} satisfies Record<string, () => Promise<Served>>;
