/** The packed package in the engines of servers: the same program, the same answers. */
import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as sqrtdk from "sqrtdk";
import * as external from "sqrtdk/external";
import * as worker from "sqrtdk/worker";
import { type Engine, folderWithPackage, program, run, skipWithout } from "./engines.ts";
import { exercise } from "./exercise.js";

let folder: string;
let remove: () => Promise<void>;
let expected: Awaited<ReturnType<typeof exercise>>;

before(async () => {
  ({ folder, remove } = await folderWithPackage());
  await cp(new URL("exercise.js", import.meta.url), join(folder, "exercise.mjs"));
  await writeFile(
    join(folder, "main.mjs"),
    `import * as sqrtdk from "sqrtdk";
    import * as worker from "sqrtdk/worker";
    import * as external from "sqrtdk/external";
    import { exercise } from "./exercise.mjs";
    console.log(JSON.stringify(await exercise({ sqrtdk, worker, external })));`,
  );
  await writeFile(
    join(folder, "main.cjs"),
    `const { exercise } = require("./exercise.mjs");
    const entries = { sqrtdk: require("sqrtdk"), worker: require("sqrtdk/worker"), external: require("sqrtdk/external") };
    exercise(entries).then((answers) => console.log(JSON.stringify(answers)));`,
  );
  await writeFile(
    join(folder, "thread.mjs"),
    `import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
    import { compile, load } from "sqrtdk";
    if (isMainThread) {
      const { module } = await compile();
      const thread = new Worker(new URL(import.meta.url), { workerData: module });
      thread.on("message", (answers) => console.log(JSON.stringify(answers)));
    } else {
      const entries = [import("sqrtdk"), import("sqrtdk/worker"), import("sqrtdk/external"), import("./exercise.mjs")];
      const [sqrtdk, worker, external, { exercise }] = await Promise.all(entries);
      const core = await load({ wasmModule: workerData });
      if (core.softmax(Float32Array.of(0, 0))[0] !== 0.5) throw new Error("wrong in a thread");
      parentPort.postMessage(await exercise({ sqrtdk, worker, external }));
    }`,
  );
  expected = await exercise({ sqrtdk, worker, external });
});
after(() => remove?.());

test("the program's own answers are right", () => {
  const { words, variance, fastest, ...rest } = expected;
  assert.equal(words.split(",").length, 48);
  assert.ok(Math.abs(variance - 64) < 12, String(variance)); // 64 within six standard errors of 2000 samples
  const allRight = { pool: true, precompiled: true, external: true, refusal: "ERR_WASM_UNAVAILABLE" };
  assert.deepEqual(rest, { ...allRight, codeFromStrings: true });
});

const node = process.execPath;
const noStrings = "--disallow-code-generation-from-strings";
const ways: [string, Engine | undefined, string[]][] = [
  [`Node.js ${process.versions.node.split(".")[0]}`, undefined, [noStrings, "main.mjs"]],
  ["require() of the one here", undefined, ["main.cjs"]],
  ["a thread of the one here", undefined, ["thread.mjs"]],
  ["Node.js 22", "Node.js 22", ["main.mjs"]],
  ["Node.js 22 without code from strings", "Node.js 22", [noStrings, "main.mjs"]],
  ["Node.js 22, require()", "Node.js 22", ["main.cjs"]],
  ["Node.js 22, in a thread", "Node.js 22", ["thread.mjs"]],
  ["Deno", "Deno", ["run", "--node-modules-dir=manual", "--no-remote", "--allow-read", "main.mjs"]],
  ["Bun", "Bun", ["run", "main.mjs"]],
];

for (const [name, engine, args] of ways) {
  test(name, { skip: engine ? skipWithout(engine) : false }, async () => {
    const env = { ...process.env, DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1", NODE_OPTIONS: "" };
    const { stdout } = await run(engine ? program(engine) : node, args, { cwd: folder, env });
    const { fastest, codeFromStrings, ...answers } = JSON.parse(stdout.trim().split("\n").at(-1) as string);
    const { fastest: _, codeFromStrings: __, ...ours } = expected;
    assert.deepEqual(answers, ours);
    assert.ok(["simd", "relaxed"].includes(fastest));
    assert.equal(codeFromStrings, !args.includes(noStrings));
  });
}
