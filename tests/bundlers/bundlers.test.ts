/** The packed package in everybody's bundler, with no configuration for it; what comes out runs in Chromium. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, chromium } from "playwright-core";
import * as sqrtdk from "sqrtdk";
import * as external from "sqrtdk/external";
import * as worker from "sqrtdk/worker";
import { program } from "../runtimes/engines.ts";
import { type Answers, exercise, words } from "../runtimes/exercise.js";
import { bundlers } from "./builds.ts";

let browser: Browser;
let expected: Answers;
before(async () => {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath: program("Chromium"), args });
  expected = await exercise({ sqrtdk, worker, external });
});
after(() => browser?.close());

for (const [name, build] of Object.entries(bundlers)) {
  test(name, async () => {
    const served = await build();
    const page = await browser.newPage();
    try {
      const elsewhere: string[] = [];
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(served.url) && !/^(blob|data):/.test(url)) elsewhere.push(url);
      });
      await page.goto(served.url);
      const found = await page.waitForFunction(() => document.documentElement.dataset.answers);
      const answers = JSON.parse((await found.jsonValue()) as string);
      assert.deepEqual({ ...answers, fastest: "" }, { ...expected, fastest: "" });
      assert.deepEqual(elsewhere, []);
      if (name === "Next") {
        const core = await sqrtdk.load();
        const html = await (await fetch(served.url)).text();
        assert.ok(
          html.includes(words(core.softmax(core.randomNormal(48, { seed: 1 })))),
          "rendered on the server",
        );
      }
    } finally {
      await page.close();
      await served.close();
    }
  });
}
