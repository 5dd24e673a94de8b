/** What judges of npm packages say of this one. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { root, run } from "../runtimes/engines.ts";

const bin = (name: string) => fileURLToPath(new URL(`tools/node_modules/.bin/${name}`, import.meta.url));
let folder: string;
let tarball: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqrtdk-pack-"));
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename }] = JSON.parse((await run("npm", pack, { cwd: root })).stdout);
  tarball = join(folder, filename);
});
after(() => rm(folder, { recursive: true, force: true }));

test("publint finds nothing, suggestions included", async () => {
  const { stdout } = await run(bin("publint"), [tarball, "--strict"]).catch(({ stdout }) =>
    assert.fail(stdout),
  );
  assert.match(stdout, /All good/);
});

test("types resolve in node16 and with bundlers, for all entries (are the types wrong?)", async () => {
  // The other entries are .wasm files.
  const entries = [".", "worker", "external", "elements"];
  const flags = ["--profile", "esm-only", "--format", "ascii", "--entrypoints", ...entries];
  const { stdout } = await run(bin("attw"), [tarball, ...flags]).catch(({ stdout }) => assert.fail(stdout));
  for (const entry of ["sqrtdk", "sqrtdk/worker", "sqrtdk/external", "sqrtdk/elements"])
    assert.ok(stdout.includes(`"${entry}"`), stdout);
});
