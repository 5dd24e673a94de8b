/** Workers that die under a figure, without a word or with an error: it recovers, or says so and offers a way on. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { choose, isComplete, settledWords } from "./figure-page.ts";
import { type ServedPage, servePage, uncovered } from "./served-page.ts";

let served: ServedPage;
before(async () => {
  served = await servePage();
});
after(() => served?.close());

/** Ends every worker of the page as a browser does that needs the memory: nobody is told. */
async function endWorkers(page: Page): Promise<number> {
  const workers = page.workers();
  for (const worker of workers) await worker.evaluate(() => self.close());
  return workers.length;
}

test("a worker that ends without a word, idle or in the middle of its work, is replaced, and the figure goes on", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(uncovered(served.url));
  const figure = page.locator("sqrtdk-variance");
  await settledWords(figure);

  assert.ok((await endWorkers(page)) > 0);
  await choose(figure, { dimension: 100, seed: 7 });
  const said = await settledWords(figure);
  assert.match(said, /k = 100\b/);

  await choose(figure, { dimension: 4096, seed: 8 });
  await page.waitForFunction(
    (each) => /k = 4096\b/.test(each?.shadowRoot?.querySelector("#words")?.textContent ?? ""),
    await figure.elementHandle(),
  );
  assert.equal(await isComplete(figure), false, "in the middle");
  assert.ok((await endWorkers(page)) > 0);
  await settledWords(figure);

  await choose(figure, { dimension: 100, seed: 7 });
  assert.equal(await settledWords(figure), said, "the same seed, the same words");
  assert.equal(await figure.locator(".trouble").count(), 0);
  assert.deepEqual(trouble, []);
});

/** Workers made while `deadly` is set on the page die of an error as soon as they set to work. */
async function offerDeadlyWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { createObjectURL } = URL;
    const dies = `addEventListener("message", ({ data }) => {
      if (data.type === "run") throw new RangeError("out of memory");
    });`;
    URL.createObjectURL = (script) =>
      createObjectURL(
        (globalThis as { deadly?: boolean }).deadly
          ? new Blob([dies, script as Blob], { type: "text/javascript" })
          : script,
      );
  });
}

const setDeadly = (page: Page, deadly: boolean) =>
  page.evaluate((given) => {
    (globalThis as { deadly?: boolean }).deadly = given;
  }, deadly);

/** Those that live die of an error. */
async function breakWorkers(page: Page): Promise<void> {
  for (const worker of page.workers()) {
    const gone = new Promise((resolve) => worker.once("close", resolve));
    await worker.evaluate(() => {
      setTimeout(() => {
        throw new RangeError("out of memory");
      });
    });
    await gone;
  }
}

test("where every worker dies the figure says so, and a press or another setting brings it back", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await offerDeadlyWorkers(page);
  await page.goto(uncovered(served.url));
  const figure = page.locator("sqrtdk-random-walk");
  const before = await settledWords(figure);

  const sentence = figure.getByRole("alert");
  const fail = async (dimension: number) => {
    await setDeadly(page, true);
    await breakWorkers(page);
    await choose(figure, { dimension });
    await sentence.getByText("stopped unexpectedly").waitFor();
    assert.equal(await settledWords(figure), before, "the last result stays");
    await setDeadly(page, false);
  };

  await fail(40);
  const other = page.locator("sqrtdk-variance");
  assert.match(await settledWords(other), /k = 512\b/, "other figures compute");
  await figure.getByRole("button", { name: "Try again" }).press("Enter");
  assert.match(await settledWords(figure), /k = 40\b/);
  assert.equal(await sentence.count(), 0);
  assert.ok(await figure.locator("#words:focus").count(), "focus goes to the words");

  await choose(figure, { dimension: 512 });
  assert.equal(await settledWords(figure), before);
  await fail(41);
  await figure.locator(".plot").focus();
  await page.keyboard.press("Home");
  assert.match(await settledWords(figure), /k = 1\b/);
  assert.equal(await sentence.count(), 0);
  assert.deepEqual(trouble, []);
});

/** Workers that stand still for seven seconds right after they said that they set to work, as in a long call. */
async function offerStillWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { createObjectURL } = URL;
    const standsStill = `const say = self.postMessage.bind(self);
    let stood = false;
    self.postMessage = (message, options) => {
      say(message, options);
      if (message.type !== "pong" || stood) return;
      stood = true;
      for (const end = Date.now() + 7000; Date.now() < end; );
    };`;
    URL.createObjectURL = (script) =>
      createObjectURL(new Blob([standsStill, script as Blob], { type: "text/javascript" }));
  });
}

test("a worker whose first work is long is not taken for one that is gone", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await offerStillWorkers(page);
  let ended = 0;
  page.on("worker", (worker) => worker.on("close", () => ended++));
  await page.goto(uncovered(served.url));
  await settledWords(page.locator("sqrtdk-variance"));
  assert.ok(page.workers().length > 0);
  assert.equal(ended, 0);
  assert.deepEqual(trouble, []);
});
