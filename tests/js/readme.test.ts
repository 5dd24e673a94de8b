/** Every example of the README runs as it stands, copied into an empty file. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code as string);

test("there are examples of the core, of the pool, of gradients and of errors", () => {
  for (const word of ["load()", "createPool", "scaledDotProductAttentionBackward", "error.code"])
    assert.ok(
      examples.some((code) => code.includes(word)),
      word,
    );
});

for (const code of examples) {
  const title = code.split("\n").find((line) => /\bcore\.|\bpool\./.test(line)) ?? code.slice(0, 60);
  test(`README: ${title.trim()}`, async () => {
    // What an example says in a comment beginning with an arrow is what its line prints.
    const said = [...code.matchAll(/console\.log\(.*\);\s*\/\/ -> (.*)/g)].map(([, text]) => text as string);
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: root,
    });
    assert.equal(stderr, "");
    for (const text of said)
      assert.ok(stdout.includes(text), `${JSON.stringify(text)} is not in:\n${stdout}`);
  });
}
