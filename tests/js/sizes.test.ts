/** Budgets of what a visitor downloads. A change that passes one needs a reason in the changelog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sizes } from "../../web/build/sizes.mjs";

/** Kilobytes after gzip. */
const budgets: Record<string, number> = {
  "sqrtdk.wasm": 70,
  "sqrtdk.relaxed.wasm": 80,
  "index.js": 130, // with the baseline engine as base64
  "external.js": 25,
  "pool-worker.js": 25,
  "worker.js": 60, // with the worker's script
  "cli.js": 10, // without what it draws figures with
};

const found = sizes();
for (const [name, budget] of Object.entries(budgets)) {
  test(`${name} stays below ${budget} kB`, () => {
    const { gzip } = found[name] ?? assert.fail("there is no such file");
    assert.ok(gzip <= 1000 * budget, `${gzip} bytes`);
  });
}
