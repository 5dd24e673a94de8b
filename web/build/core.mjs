/**
 * Builds both variants of the WebAssembly core, and two text modules that the web side imports: the baseline engine as
 * base64, and the pool's worker as one classic script. Does nothing that is done already: under a second then.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { alias } from "./aliases.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
process.chdir(root);

function run(...command) {
  const result = spawnSync(command[0], command.slice(1), { encoding: "utf8" });
  if (result.error)
    throw new Error(`${command[0]} could not be started: is it installed? Try: bash .ci/setup build`);
  if (result.status === 0) return;
  process.stderr.write(result.stdout + result.stderr);
  process.exit(result.status ?? 1);
}

/** Not touching a file that would stay the same keeps its readers from building again. */
function writeIfChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

for (const preset of ["wasm", "wasm-relaxed"]) {
  // Ninja itself sees to it that CMake runs again when its files change.
  if (!existsSync(`build/${preset}/build.ninja`)) {
    console.log(`build: compiling the core (${preset}), which takes a minute or two`);
    run("cmake", "--preset", preset);
  }
  run("cmake", "--build", `build/${preset}`);
}

// One glue serves both engines; were it ever to differ, two would have to be shipped.
const glue = readFileSync("build/wasm/sqrtdk.js", "utf8");
if (glue !== readFileSync("build/wasm-relaxed/sqrtdk.js", "utf8"))
  throw new Error(
    "the glue of build/wasm and build/wasm-relaxed differs, but the package ships one for both",
  );

mkdirSync("build/generated", { recursive: true });
// The glue is handed its module and never looks for a file; but where it could, bundlers would copy that file.
writeIfChanged("build/generated/engine.js", glue.replaceAll("import.meta.url", "undefined"));
writeIfChanged("build/generated/engine.d.ts", readFileSync("build/wasm/sqrtdk.d.ts", "utf8"));

function writeTextModule(file, name, text) {
  writeIfChanged(`build/generated/${file}.js`, `export const ${name} = ${JSON.stringify(text)};\n`);
  writeIfChanged(`build/generated/${file}.d.ts`, `export declare const ${name}: string;\n`);
}

writeTextModule("embedded", "embeddedSimd", readFileSync("build/wasm/sqrtdk.wasm").toString("base64"));

const worker = await build({
  entryPoints: ["web/worker/worker.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  write: false,
  alias,
});
writeTextModule("worker-script", "workerScript", worker.outputFiles[0].text);
