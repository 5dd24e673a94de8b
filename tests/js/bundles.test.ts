/** The package as users get it: bundled by esbuild, and packed, installed in an empty folder and imported. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Format } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "sqrtdk-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const program = `
  import { load } from "sqrtdk";
  import { createPool } from "sqrtdk/worker";
  (async () => {
    const core = await load();
    const pool = createPool({ size: 1 });
    const options = { dimension: 8, samples: 3000, seed: 1 };
    const [a, b] = [core.sampleDotProducts(options), await pool.sampleDotProducts(options)];
    console.log(core.softmax(Float32Array.of(0, 0))[0], a.moments.variance === b.moments.variance);
    pool.close();
  })();
`;

for (const format of ["esm", "iife"] satisfies Format[]) {
  test(`a bundle as ${format} runs, and carries its engine`, async () => {
    const outfile = join(folder, `bundle.${format === "esm" ? "mjs" : "cjs"}`);
    const { errors, metafile } = await build({
      stdin: { contents: program, resolveDir: root },
      bundle: true,
      minify: true,
      format,
      outfile,
      metafile: true,
      logLevel: "silent", // that import.meta is empty in a classic script is known, and handled
    });
    assert.deepEqual(errors, []);
    assert.equal(Object.keys(metafile.outputs).length, 1);
    const flags = ["--disallow-code-generation-from-strings", outfile];
    const { stdout } = await run(process.execPath, flags, { cwd: folder });
    assert.equal(stdout.trim(), "0.5 true");
  });
}

test("a bundle that only loads does not carry the pool", async () => {
  const contents = 'import { load } from "sqrtdk"; load();';
  const options = {
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
  } as const;
  const { outputFiles } = await build({ ...options, format: "esm" });
  assert.ok(!outputFiles[0]?.text.includes("createObjectURL"));
});

test("an import that is not used leaves nothing in a bundle", async () => {
  const contents = 'import { load } from "sqrtdk"; import "sqrtdk/worker"; console.log(1);';
  const options = {
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
  } as const;
  const { outputFiles } = await build({ ...options, format: "esm", logLevel: "silent" });
  assert.ok((outputFiles[0]?.text.length ?? 0) < 100);
});

test("the packed package installs in an empty folder, without the network, and works", async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
  });
  const [{ filename, files }] = JSON.parse(stdout);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  const known =
    /^(dist\/[\w.-]+\.(js|wasm)|dist\/NOTICES\.txt|dist\/types\/.+\.d\.ts|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  assert.deepEqual(
    paths.filter((path) => !known.test(path)),
    [],
  );
  for (const needed of [
    "index.js",
    "external.js",
    "worker.js",
    "pool-worker.js",
    "sqrtdk.wasm",
    "sqrtdk.relaxed.wasm",
    "NOTICES.txt",
  ])
    assert.ok(paths.includes(`dist/${needed}`), needed);

  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./${filename}`], { cwd: folder });
  assert.deepEqual(
    await readdir(join(folder, "node_modules")).then((all) => all.filter((n) => !n.startsWith("."))),
    ["sqrtdk"],
  );
  await writeFile(join(folder, "main.js"), program);
  assert.equal((await run(process.execPath, ["main.js"], { cwd: folder })).stdout.trim(), "0.5 true");
  const external =
    'import("sqrtdk/external").then(m => m.load({ variant: "simd" })).then(c => console.log(c.info().variant))';
  const evaluated = await run(process.execPath, ["--eval", external], { cwd: folder });
  assert.equal(evaluated.stdout.trim(), "simd");
  const drawn = await run(join(folder, "node_modules/.bin/sqrtdk"), ["figure", "softmax"], { cwd: folder });
  assert.match(drawn.stdout, /^<svg .*<\/svg>\n$/s);
  const notices = await readFile(join(folder, "node_modules/sqrtdk/dist/NOTICES.txt"), "utf8");
  for (const library of ["lit-html", "d3-scale", "@lit-labs/ssr", "parse5"])
    assert.match(notices, new RegExp(`^${library} \\d+\\.\\d+\\.\\d+\\n\\n.*licen[cs]e`, "ims"));
});

test("the types of the packed package stand alone", async () => {
  const source = `
    import { load, type Core, SqrtdkError } from "sqrtdk";
    import { createPool } from "sqrtdk/worker";
    const core: Core = await load({ variant: "auto" });
    const p: Float32Array = core.softmax(new Float32Array(3), { columns: 3 });
    const pool = createPool({ size: 2 });
    const rows: number[] = (await pool.varianceSweep({ dimensions: [1], samples: 9, seed: 1 })).map((r) => r.variance);
    // @ts-expect-error: an option that does not exist
    core.softmax(p, { colums: 3 });
    export { rows, SqrtdkError };
  `;
  await writeFile(join(folder, "main.ts"), source);
  const flags = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2022"];
  for (const [module, resolution] of [
    ["esnext", "bundler"],
    ["nodenext", "nodenext"],
  ] as const) {
    const all = [...flags, "--module", module, "--moduleResolution", resolution, "--lib", "es2022,dom"];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [tsc, ...all, "main.ts"], { cwd: folder }).catch((error) =>
      assert.fail(error.stdout),
    );
  }
});
