/** The random-walk figure in Chromium: its numbers against sums made here, its keys, its links and its files. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Core, load } from "sqrtdk";
import { assertAccessible, download, numberOf, openFigure, settledWords, tableRows } from "./figure-page.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
let core: Core;
before(async () => {
  served = await servePage();
  core = await load();
});
after(() => served?.close());

/** Standard deviation of 400 sums of `steps` products: eight groups of 50 walks, two streams a group, each 4096 long. */
function standardDeviation(seed: number, steps: number): number {
  const ends = Array.from({ length: 8 }, (_, group) => {
    const [q, k] = [2 * group, 2 * group + 1].map((stream) => core.randomNormal(50 * 4096, { seed, stream }));
    return Array.from({ length: 50 }, (_, walk) => {
      let sum = 0;
      for (let i = walk * 4096; i < walk * 4096 + steps; ++i) sum += (q?.[i] as number) * (k?.[i] as number);
      return sum;
    });
  }).flat();
  const mean = ends.reduce((a, b) => a + b) / 400;
  return Math.sqrt(ends.reduce((sum, end) => sum + (end - mean) ** 2, 0) / 399);
}

test("the spread that is said is that of the walks, follows the slider, and stays within its band of the root", async () => {
  const opened = await openFigure(served, "random-walk", "dimension=512&seed=11");
  const { figure, page, trouble } = opened;
  const said = async (steps: number) => {
    const text = await settledWords(opened.figure, new RegExp(`k = ${steps} steps.* of 400 walks`));
    const found = /deviation ([\d.]+) \u00b1 ([\d.]+) of 400 walks/.exec(text);
    assert.ok(found, text);
    const [value, band] = [Number(found[1]), Number(found[2])];
    const unit = 10 ** -(found[1]?.split(".")[1]?.length ?? 0);
    assert.ok(
      Math.abs(value - standardDeviation(11, steps)) <= 0.51 * unit,
      `${text}: ${standardDeviation(11, steps)}`,
    );
    assert.ok(Math.abs(value - Math.sqrt(steps)) < 2.5 * band, text);
  };
  await said(512);
  const number = figure.locator("input[type=number]").first();
  await number.fill("2048");
  await number.press("Enter");
  await said(2048);
  const plot = figure.locator(".plot");
  await plot.focus();
  for (const [key, dimension] of [
    ["End", 4096],
    ["Home", 1],
    ["PageUp", 13],
    ["Shift+ArrowRight", 14],
  ] as const) {
    await page.keyboard.press(key);
    await settledWords(opened.figure, new RegExp(`k = ${dimension} step`));
    assert.equal(await plot.getAttribute("aria-valuenow"), String(dimension));
  }
  await said(14);
  assert.deepEqual(trouble, []);
});

test("its table holds the spread at every power of two", async () => {
  const opened = await openFigure(served, "random-walk", "dimension=100&seed=3");
  await settledWords(opened.figure, /of 400 walks/);
  const rows = await tableRows(opened.figure);
  assert.deepEqual(
    rows.map(([steps]) => numberOf(steps)),
    [1, 2, 4, 8, 16, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096],
  );
  for (const [steps, spread] of rows)
    assert.ok(
      Math.abs(numberOf(spread) / standardDeviation(3, numberOf(steps)) - 1) < 1e-3,
      `${steps}: ${spread}`,
    );
});

test("dragging the drawing moves the end of the walks and never the view under the hand", async () => {
  const opened = await openFigure(served, "random-walk", "dimension=900");
  const { figure, page } = opened;
  await settledWords(opened.figure, /of 400 walks/);
  const box = await figure.locator(".plot").boundingBox();
  assert.ok(box);
  const ticks = () => figure.locator("svg text").allTextContents();
  const before = (await ticks()).filter((text) => /^\d+$/.test(text));
  await page.mouse.move(box.x + 600, box.y + 200);
  await page.mouse.down();
  const seen: number[] = [];
  for (const far of [500, 400, 300, 200, 100]) {
    await page.mouse.move(box.x + far, box.y + 200, { steps: 3 });
    await settledWords(opened.figure);
    seen.push(Number(await figure.locator(".plot").getAttribute("aria-valuenow")));
  }
  assert.deepEqual(
    seen,
    [...new Set(seen)].sort((a, b) => b - a),
    String(seen),
  );
  assert.ok((seen.at(-1) as number) < 256, "far enough that the view would have zoomed");
  assert.deepEqual(
    (await ticks()).filter((text) => /^\d+$/.test(text)),
    before,
  );
  await page.mouse.up();
  await page.waitForTimeout(1000);
  assert.notDeepEqual(
    (await ticks()).filter((text) => /^\d+$/.test(text)),
    before,
    "the view zooms once let go",
  );
});

test("the same address gives the same paths; the divided funnel ends at 1", async () => {
  const look = async (fields: string) => {
    const opened = await openFigure(served, "random-walk", fields, {
      viewport: { width: 900, height: 900 },
      reducedMotion: "reduce",
    });
    const words = await settledWords(opened.figure, /of 400 walks/);
    const paths = await opened.figure
      .locator(".plot svg path")
      .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("d")).join());
    await opened.page.context().close();
    return words + paths;
  };
  const first = await look("dimension=300&seed=5");
  assert.equal(await look("dimension=300&seed=5"), first);
  assert.notEqual(await look("dimension=300&seed=6"), first);
  const opened = await openFigure(served, "random-walk", "dimension=300&scale=rsqrt");
  await settledWords(opened.figure, /of 400 walks/);
  await opened.page.waitForTimeout(1000);
  const labels = await opened.figure.locator("svg text").allTextContents();
  assert.ok(labels.includes("1.0") && labels.includes("\u22121.0"), String(labels));
  assert.ok(labels.includes("exactly 1"));
});

test("what is exported is what is seen", async () => {
  const opened = await openFigure(served, "random-walk", "dimension=64&seed=2");
  await settledWords(opened.figure, /of 400 walks/);
  const csv = await download(opened.figure, "CSV");
  assert.equal(csv.name, "sqrtdk-random-walk-dk64-seed2.csv");
  const row = csv.text.split("\r\n").find((line) => line.startsWith("64,"));
  assert.ok(Math.abs(Number(row?.split(",")[1]) / standardDeviation(2, 64) - 1) < 1e-6);
  const svg = await download(opened.figure, "SVG");
  assert.match(svg.text, /^<svg[^>]*><title>/);
  assert.doesNotMatch(svg.text, /var\(--|NaN|undefined|<script|style=/);
  const png = await download(opened.figure, "PNG");
  assert.match(png.text, /^\x89PNG/);
});

test("nothing for axe to find, at 320 pixels and at 1280", () => assertAccessible(served, "random-walk"));
