/** Writes dist/, what the npm package holds: entries, .wasm files and types. Expects web/build/core.mjs to have run. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import ts from "typescript";
import { alias } from "./aliases.mjs";
import { noticesOf } from "./notices.mjs";
import { printSizes } from "./sizes.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
process.chdir(root);

/** Files of dist/ and the sources they come from. */
const entries = {
  index: "web/core/index.ts",
  external: "web/core/external.ts",
  worker: "web/worker/client.ts",
  "pool-worker": "web/worker/worker.ts",
  elements: "web/elements.ts",
};
for (const [name, source] of Object.entries(entries)) if (!existsSync(source)) delete entries[name];

/**
 * Entries import each other instead of carrying copies: one engine is embedded, one class of errors thrown. Those that
 * are used alone (no embedded engine, or inside a worker) are bundles of their own.
 */
const shared = {
  "web/core/index.ts": "./index.js",
  "web/core/errors.ts": "./index.js",
  "web/worker/client.ts": "./worker.js",
};
const aloneInTheirFile = ["index", "external", "pool-worker"];

const importEntries = {
  name: "import-entries",
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir, kind }) => {
      if (kind === "entry-point") return undefined;
      const file = resolve(resolveDir, path).slice(root.length);
      return file in shared ? { path: shared[file], external: true } : undefined;
    });
  },
};

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  alias,
};

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
const bundles = await Promise.all(
  Object.entries(entries).map(([name, source]) =>
    build({
      entryPoints: [source],
      outfile: `dist/${name}.js`,
      ...options,
      plugins: aloneInTheirFile.includes(name) ? [] : [importEntries],
    }),
  ),
);
// What the command draws with is a file of its own, which the other commands do not read.
const command = await build({
  entryPoints: { cli: "web/cli/main.ts" },
  outdir: "dist",
  chunkNames: "cli-[name]-[hash]",
  splitting: true,
  platform: "node",
  ...options,
  plugins: [importEntries],
});
writeFileSync("dist/NOTICES.txt", noticesOf([...bundles, command].map(({ metafile }) => metafile)));
chmodSync("dist/cli.js", 0o755);
copyFileSync("build/wasm/sqrtdk.wasm", "dist/sqrtdk.wasm");
copyFileSync("build/wasm-relaxed/sqrtdk.wasm", "dist/sqrtdk.relaxed.wasm");
writeTypes();
printSizes();

/** Declarations of the public entries and of what these mention, and no others. */
function writeTypes() {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const types = Object.entries(entries).filter(([name]) => name !== "pool-worker");
  const program = ts.createProgram(
    types.map(([, source]) => source),
    {
      ...options,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: "web",
      outDir: "dist/types",
    },
  );
  const emitted = new Map();
  program.emit(undefined, (path, text) => emitted.set(resolve(path), text));

  const declarationOf = (source) => resolve(source.replace(/^web/, "dist/types").replace(/\.ts$/, ".d.ts"));
  const wanted = types.map(([, source]) => declarationOf(source));
  for (const path of wanted) {
    const text = emitted.get(path);
    for (const [, module] of text.matchAll(/(?:from|import) "(\..*?)\.ts"/g)) {
      const needed = `${join(dirname(path), module)}.d.ts`;
      if (!wanted.includes(needed)) wanted.push(needed);
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replace(/((?:from|import) "\..*?)\.ts"/g, '$1.js"'));
  }
}
