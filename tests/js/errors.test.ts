/** Every call with arguments it must refuse: the code, and a message that names call, argument, value and limit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, SqrtdkError } from "sqrtdk";
import "./refusals/arguments.ts";
import "./refusals/options.ts";
import { refusals } from "./refusals/refusal.ts";

const core = await load();

for (const { call, why, run, code, says } of refusals) {
  test(`${call} refuses ${why}`, () => {
    assert.throws(
      () => run(core),
      (error: SqrtdkError) => {
        assert.ok(error instanceof SqrtdkError, String(error));
        assert.equal(error.code, code, error.message);
        assert.ok(error.message.startsWith(`${call}: `), error.message);
        assert.match(error.message, says);
        return true;
      },
    );
  });
}

test("the table covers every public call", () => {
  const covered = new Set(refusals.map(({ call }) => call));
  const calls = [core, core.theory].flatMap((object) =>
    Object.entries(object).flatMap(([name, value]) => (typeof value === "function" ? [name] : [])),
  );
  assert.deepEqual(
    calls.filter((name) => !covered.has(name)),
    ["info"], // takes no arguments
  );
});

test("after all this the instance works, and no memory is lost", () => {
  assert.equal(core.softmax(Float32Array.of(0, 0))[0], 0.5);
  const { memoryBytes } = core.info();
  for (const { run } of refusals) assert.throws(() => run(core));
  assert.equal(core.info().memoryBytes, memoryBytes);
});
