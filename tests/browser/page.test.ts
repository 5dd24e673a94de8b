/** The served page in Chromium: numbers that follow the controls and agree with theory, within their own error. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LitElement } from "lit";
import type { Page } from "playwright-core";
// The built package, as people import it.
import { type Core, load } from "sqrtdk";
import { settledWords } from "./figure-page.ts";
import { type ServedPage, servePage, uncovered } from "./served-page.ts";

let served: ServedPage;
let core: Core;

before(async () => {
  served = await servePage();
  core = await load();
});
after(() => served?.close());

/** "511 ± 3" after `label`: the value and the half-width of its 95 % band. */
function estimate(text: string, label: RegExp): { value: number; band: number } {
  const found = new RegExp(`${label.source}\\D*?([\\d.\\s]+) ± ([\\d.]+)`).exec(text);
  assert.ok(found, `no estimate after ${label} in: ${text}`);
  const number = (digits: string | undefined) => Number(digits?.replace(/\s/g, ""));
  return { value: number(found[1]), band: number(found[2]) };
}

/** Rounded to the digits shown, an estimate strays from the truth by more than 2.5 bands once in a million. */
function assertAgrees({ value, band }: { value: number; band: number }, exact: number, what: string): void {
  assert.ok(band > 0, `${what} has no band`);
  assert.ok(Math.abs(value - exact) <= 2.5 * band, `${what}: ${value} ± ${band}, exactly ${exact}`);
}

test("the variance follows the slider and agrees with d_k", async () => {
  const { page, trouble } = await served.open();
  await page.goto(uncovered(served.url));
  const figure = page.locator("sqrtdk-variance");
  const first = await settledWords(page.locator("sqrtdk-variance"));
  assertAgrees(estimate(first, /variance/), 512, "variance at d_k = 512");

  const slider = figure.locator("input[type=range]").first();
  await slider.focus();
  for (let press = 0; press < 12; ++press) await page.keyboard.press("ArrowLeft");
  await figure.evaluate(
    (element) => (element as HTMLElement & { updateComplete: Promise<unknown> }).updateComplete,
  );
  const dimension = Number(await figure.locator("input[type=number]").first().inputValue());
  assert.ok(dimension > 1 && dimension < 512, `the slider moved to ${dimension}`);
  const second = await settledWords(page.locator("sqrtdk-variance"), new RegExp(`k = ${dimension}\\b`));
  assert.notEqual(second, first);
  assertAgrees(estimate(second, /variance/), dimension, `variance at d_k = ${dimension}`);
  assert.deepEqual(trouble, []);
});

test("the largest weight follows d_k and the number of keys, and agrees with theory", async () => {
  const { page, trouble } = await served.open();
  await page.goto(`${served.url}#v=1&gradient.dimension=64&gradient.keys=8&at=gradient`);
  await page.locator("sqrtdk-gradient").scrollIntoViewIfNeeded();
  for (const [dimension, keys] of [
    [64, 8],
    [256, 32],
  ] as const) {
    const fields = page.locator("sqrtdk-gradient input[type=number]");
    for (const [field, value] of [dimension, keys].entries()) {
      await fields.nth(field).fill(String(value));
      await fields.nth(field).press("Enter");
    }
    const said = new RegExp(`With ${keys} keys and dk = ${dimension}\\b`);
    const text = await settledWords(page.locator("sqrtdk-gradient"), said);
    const raw = core.theory.expectedAttentionRow({ keys, dimension, scale: "none" });
    const scaled = core.theory.expectedAttentionRow({ keys, dimension, scale: "rsqrt" });
    assertAgrees(estimate(text, /largest weight averages/), raw.maxProbability, `raw, n = ${keys}`);
    assertAgrees(estimate(text, /Divided by √d\s?k:/), scaled.maxProbability, `scaled, n = ${keys}`);
  }
  assert.deepEqual(trouble, []);
});

test("the same link gives the same picture; another seed gives another", async () => {
  const picture = async (seed: number) => {
    const { page } = await served.open();
    await page.goto(`${served.url}#v=1&variance.seed=${seed}&variance.dimension=100`);
    const text = await settledWords(page.locator("sqrtdk-variance"));
    const paths = await page
      .locator("sqrtdk-variance svg path")
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("d")).join());
    await page.context().close();
    return text + paths;
  };
  const first = await picture(5);
  assert.equal(await picture(5), first);
  assert.notEqual(await picture(6), first);
});

test("samples have the same bits in Chromium as in Node, in a page and in a worker", async () => {
  const options = { dimension: 512, samples: 1e6, seed: 1 } as const;
  const here = core.sampleDotProducts(options);
  assert.ok(Math.abs(here.moments.variance - 512) < 4 * (here.moments.varianceStandardError ?? 0));
  const bits = (result: typeof here) => JSON.stringify({ ...result.moments, ...result.histogram.counts });

  const { page } = await served.open();
  await page.goto(uncovered(served.url));
  const inPage = await page.evaluate(async (asked) => {
    const path = "/dist/index.js";
    const { load } = await import(path);
    const { moments, histogram } = (await load()).sampleDotProducts(asked);
    return JSON.stringify({ ...moments, ...histogram.counts });
  }, options);
  assert.equal(inPage, bits(here));
  const inWorker = await page.evaluate(async (asked) => {
    const path = "/dist/worker.js";
    const { createPool } = await import(path);
    const pool = createPool({ size: 1 });
    const { moments, histogram } = await pool.sampleDotProducts(asked);
    pool.close();
    return JSON.stringify({ ...moments, ...histogram.counts });
  }, options);
  assert.equal(inWorker, bits(here));
});

test("a browser without WebAssembly SIMD gets one clear sentence and no empty frame", async () => {
  const { page } = await served.open();
  await page.addInitScript(() => {
    WebAssembly.validate = () => false;
  });
  await page.goto(uncovered(served.url));
  await page.locator("sqrtdk-variance").scrollIntoViewIfNeeded();
  const sentence = page.locator("sqrtdk-variance").getByText("no WebAssembly SIMD").first();
  await sentence.waitFor({ timeout: 20_000 });
});

test("nothing from the link reaches the page as markup; what cannot be read is said", async () => {
  const { page, trouble } = await served.open();
  const markup = "<img src=x onerror=alert(1)>";
  await page.goto(`${served.url}#v=1&variance.seed=${encodeURIComponent(markup)}&variance.dimension=0`);
  await page.locator("sqrtdk-variance").scrollIntoViewIfNeeded();
  await page.locator("sqrtdk-variance").getByText("is not a whole number from 1 to 4096").first().waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assertAgrees(estimate(await settledWords(page.locator("sqrtdk-variance")), /variance/), 512, "the default");
  assert.deepEqual(trouble, []);
});

/** The d_k a figure shows, once it has drawn what was asked before. */
async function shownDimension(page: Page, figure: string): Promise<number> {
  await page.locator(figure).evaluate((element) => (element as unknown as LitElement).updateComplete);
  return Number(await page.locator(`${figure} .plot`).getAttribute("aria-valuenow"));
}

test("the drawing itself takes d_k from arrow keys and from a dragging pointer", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(uncovered(served.url));
  for (const figure of ["sqrtdk-variance", "sqrtdk-gradient"]) {
    await page.locator(figure).scrollIntoViewIfNeeded();
    await settledWords(page.locator(figure));
    const plot = page.locator(`${figure} .plot`);
    await plot.focus();
    for (const [key, dimension] of [
      ["End", 4096],
      ["Home", 1],
      ["PageUp", 13],
      ["Shift+ArrowRight", 14],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await shownDimension(page, figure), dimension, `${figure}, ${key}`);
    }
    // From the cursor's flag to the right along the axis, where d_k is larger.
    const flag = plot.locator("svg rect").first();
    const axis = await flag.boundingBox();
    assert.ok(axis);
    await page.mouse.move(axis.x + 60, axis.y + 60);
    await page.mouse.down();
    const seen = [await shownDimension(page, figure)];
    for (const far of [120, 180, 240]) {
      await page.mouse.move(axis.x + far, axis.y + 60, { steps: 4 });
      seen.push(await shownDimension(page, figure));
    }
    await page.mouse.up();
    await page.mouse.move(axis.x + 20, axis.y + 60);
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((a, b) => a - b),
      `${figure}: ${seen}`,
    );
    assert.equal(await shownDimension(page, figure), seen.at(-1), "a released pointer moves nothing");
    await settledWords(page.locator(figure), new RegExp(`k = ${seen.at(-1)}\\b`));
  }
  assert.deepEqual(trouble, []);
});

test("words either say what the controls ask for or are marked as busy", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${served.url}#v=1&gradient.dimension=512&at=gradient`);
  await settledWords(page.locator("sqrtdk-gradient"), /With 16 keys/);
  // Looks at every frame while d_k, n and the seed change; the table's caption names the seed.
  const wrong = await page.evaluate(async () => {
    const figure = document.querySelector("sqrtdk-gradient") as HTMLElement & {
      choose(values: object): void;
      updateComplete: Promise<unknown>;
    };
    const root = figure.shadowRoot as ShadowRoot;
    (root.querySelector("details") as HTMLDetailsElement).open = true;
    const found: string[] = [];
    let busy = 0;
    for (let turn = 0; turn < 120; ++turn) {
      const keys = 4 + (turn >> 4);
      const dimension = 100 + turn;
      const seed = turn >> 3;
      figure.choose({ keys, dimension, seed });
      await figure.updateComplete;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const words = root.querySelector("#words") as HTMLElement;
      if (words.getAttribute("aria-busy") === "true") {
        ++busy;
        continue;
      }
      const text = (words.textContent ?? "").replace(/\s+/g, " ");
      const caption = root.querySelector("caption")?.textContent ?? "";
      if (!text.includes(`With ${keys} keys and dk = ${dimension},`)) found.push(text);
      if (!caption.includes(`of ${keys} scores, seed ${seed}.`)) found.push(caption);
    }
    return { found, busy };
  });
  assert.deepEqual(wrong.found, []);
  assert.ok(wrong.busy > 0, "some looks came before the answer");
  const text = await settledWords(page.locator("sqrtdk-gradient"), /With 11 keys and dk = 219,/);
  assert.ok(text);
  assert.deepEqual(trouble, []);
});

test("a figure offers a link only where the page keeps its state", async () => {
  const { page } = await served.open();
  await page.goto(uncovered(served.url));
  const link = (figure: string) => page.locator(`${figure} button`, { hasText: "Copy link" });
  await settledWords(page.locator("sqrtdk-variance"));
  assert.equal(await link("sqrtdk-variance").count(), 1);
  await link("sqrtdk-variance").click();
  const shown = page.locator("sqrtdk-variance input.link");
  assert.match(await shown.inputValue(), /variance\.dimension=512/);
  await page.evaluate(() => {
    location.hash = "#v=1&variance.dimension=8";
    document
      .querySelector("main")
      ?.append(Object.assign(document.createElement("sqrtdk-variance"), { id: "embedded" }));
  });
  await shown.waitFor({ state: "detached" });
  await page.locator("#embedded button").first().waitFor();
  assert.equal(await link("#embedded").count(), 0);
});

test("a figure can leave and come back, in the middle of everything", async () => {
  const { page, trouble } = await served.open();
  await page.goto(uncovered(served.url));
  await settledWords(page.locator("sqrtdk-variance"));
  await page.evaluate(async () => {
    const figure = document.querySelector("sqrtdk-variance") as HTMLElement & {
      choose(values: object): void;
    };
    const place = figure.parentElement as HTMLElement;
    figure.choose({ scale: "rsqrt", seed: 9 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    figure.remove();
    // One that leaves before it was ever drawn must not be watched.
    const brief = document.createElement("sqrtdk-variance");
    place.append(brief);
    brief.remove();
    await new Promise((resolve) => setTimeout(resolve, 200));
    place.append(figure);
  });
  await settledWords(page.locator("sqrtdk-variance"), /k = 512\b/);
  const axis = await page.locator("sqrtdk-variance svg text").allTextContents();
  assert.ok(axis.includes("3"), `the hills are divided all the way: ${axis}`);
  assert.deepEqual(trouble, []);
});
