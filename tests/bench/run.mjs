/**
 * The benchmark: every workload for both variants of the package and for its peers, in one run.
 *
 *     npm run bench -- [PART OF A NAME ...] [--quick] [--chromium] [--json FILE]
 */
import { fork, spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hasRelaxedSimd } from "./peak.mjs";
import { summaryTable, workloadTable } from "./table.mjs";
import { workloads } from "./workloads.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(1);
}

function readArguments() {
  try {
    const flag = { type: "boolean", default: false };
    const options = { quick: flag, chromium: flag, json: { type: "string" } };
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return fail(
      `${error.message}\nusage: npm run bench -- [PART OF A NAME ...] [--quick] [--chromium] [--json FILE]`,
    );
  }
}

function installPeers() {
  // npm writes this file last: without it, or with one older than the list of peers, there is something to do.
  const written = (file) => statSync(`${here}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written("node_modules/.package-lock.json") > written("package-lock.json")) return;
  console.log("bench: installing the peers into tests/bench/node_modules (about 220 MB)");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-fund", "--no-audit"], {
    cwd: here,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) fail("the peers could not be installed");
}

/** Runs one workload under Node.js; gives what the child sent. */
function measureInChild(name, pace) {
  // Node 20 has relaxed SIMD only behind a flag, which later versions no longer know.
  const relaxed = hasRelaxedSimd() ? [] : ["--experimental-wasm-relaxed-simd"];
  const execArgv = [...relaxed, "--expose-gc"];
  return new Promise((resolve) => {
    const child = fork(`${here}child.mjs`, { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    let result;
    let complaints = "";
    child.stderr.on("data", (text) => {
      complaints += text;
    });
    child.once("message", (message) => {
      result = message;
    });
    child.once("close", (code) => {
      if (result) return resolve(result);
      const notTimed = [
        { name: "all", reason: `the process ended with ${code}: ${complaints.trim().slice(-500)}` },
      ];
      return resolve({ name, unit: "", rows: [], peakRates: {}, notTimed });
    });
    child.send({ name, pace });
  });
}

const { values: options, positionals: filters } = readArguments();
const matches = ({ name }) => filters.some((part) => name.toLowerCase().includes(part.toLowerCase()));
const chosen = filters.length > 0 ? workloads.filter(matches) : workloads;
if (chosen.length === 0)
  fail(`no workload is called like that; there are:\n${workloads.map((w) => `  ${w.name}`).join("\n")}`);

installPeers();
if (!existsSync(`${here}../../dist/index.js`))
  console.log("bench: the package is not built (npm run build): only its peers are measured");

const machine = {
  cpu: cpus()[0]?.model.trim(),
  cores: cpus().length,
  node: process.version,
  v8: process.versions.v8,
};
const chromium = options.chromium ? await (await import("./chromium.mjs")).openChromium() : undefined;
if (chromium) machine.chromium = chromium.version;
const engine = chromium ? `Chromium ${chromium.version}` : `Node ${machine.node} (V8 ${machine.v8})`;
console.log(`${machine.cpu}, ${machine.cores} cores, ${engine}; * best peer\n`);

const results = [];
for (const { name } of chosen) {
  const result = await (chromium?.measure ?? measureInChild)(name, options.quick ? "quick" : "full");
  results.push(result);
  console.log(workloadTable(result));
}
await chromium?.close();
console.log(`Summary\n${summaryTable(results)}`);
if (options.json)
  writeFileSync(options.json, `${JSON.stringify({ machine, quick: options.quick, results }, null, 2)}\n`);
