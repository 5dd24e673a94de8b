/** sqrtdk-softmax in Chromium: its numbers against formulas; hands on mouse, keys and glass. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alone, grip, settledWords, stateOf, weightsOf } from "./figure-page.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
before(async () => {
  served = await servePage();
});
after(() => served?.close());

test("softmax shows the weights of its presets, to the digit", async () => {
  const { page, trouble } = await served.open();
  const figure = await alone(served, page, "softmax");
  for (const [preset, shown] of [
    ["1, 2, 3", ["0.0900", "0.2447", "0.6652"]],
    ["1, 5, 10", ["0.0001", "0.0067", "0.9932"]],
  ] as const) {
    await figure.getByRole("radio", { name: preset, exact: true }).check();
    const scores = preset.split(",").map(Number);
    const p = weightsOf(scores);
    assert.deepEqual(
      p.map((each) => each.toFixed(4)),
      shown,
    );
    const text = await settledWords(
      figure,
      new RegExp(`Scores ${preset}: the largest weight is ${shown[2].replace(".", "\\.")}`),
    );
    const entropy = p.reduce((sum, each) => sum - each * Math.log(each), 0);
    assert.ok(text.includes(`entropy${entropy.toPrecision(3)} nats`), text);
    const drawn = await figure.locator(".plot text").allTextContents();
    for (const weight of shown) assert.ok(drawn.includes(weight), `${weight} in ${drawn}`);
  }
  assert.deepEqual(trouble, []);
});

test("softmax by keyboard: arrows choose a key and move its score, the slider says so", async () => {
  const { page, trouble } = await served.open();
  const figure = await alone(served, page, "softmax");
  const plot = figure.getByRole("slider", { name: "Score of the chosen key" });
  await plot.focus();
  for (const name of ["Home", "ArrowRight", "ArrowUp", "ArrowUp", "Shift+ArrowDown"])
    await page.keyboard.press(name);
  const p = weightsOf([1, 2.19, 3]);
  await settledWords(figure, /^Scores 1, 2\.19, 3:/);
  assert.equal(
    await plot.getAttribute("aria-valuetext"),
    `key 2 of 3: score 2.19, weight ${p[1]?.toFixed(4)}`,
  );
  const { scores, key } = await stateOf(figure);
  assert.deepEqual([scores, key], [[1, 2.19, 3], 2]);
  await figure.getByRole("textbox", { name: "scores" }).fill("0, 1.5");
  await page.keyboard.press("Enter");
  await settledWords(figure, /^Scores 0, 1\.5:/);
  await figure.getByRole("button", { name: "One key more" }).click();
  await settledWords(figure, /^Scores 0, 1\.5, 0:/);
  const spoken = figure.locator('[role="status"]');
  await page.waitForFunction(
    (element) => element?.textContent?.startsWith("Scores 0, 1.5, 0."),
    await spoken.elementHandle(),
  );
  assert.deepEqual(trouble, []);
});

test("softmax by mouse: a bar follows the pointer, also far out, and lets go", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  const figure = await alone(served, page, "softmax");
  const { x, y } = await grip(figure, 0);
  await page.mouse.move(x, y);
  await page.mouse.down();
  // 250 pixels are 5 units high.
  await page.mouse.move(x, y - 50, { steps: 5 });
  await settledWords(figure, /^Scores 2, 2, 3:/);
  await page.mouse.move(x, y - 5000, { steps: 3 });
  await settledWords(figure, /^Scores 4, 2, 3:/);
  await page.mouse.up();
  await page.mouse.move(x, y, { steps: 3 });
  const { scores, key } = await stateOf(figure);
  assert.deepEqual([scores, key], [[4, 2, 3], 1]);
  assert.deepEqual(trouble, []);
});

test("softmax by finger: on a grip it drags, elsewhere the page scrolls", async () => {
  const { page, trouble } = await served.open({
    viewport: { width: 360, height: 700 },
    hasTouch: true,
    isMobile: true,
  });
  const figure = await alone(served, page, "softmax");
  const session = await page.context().newCDPSession(page);
  const swipe = async (from: { x: number; y: number }, by: number) => {
    const points = (y: number) => [{ x: from.x, y }];
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(from.y) });
    for (let step = 1; step <= 8; ++step)
      await session.send("Input.dispatchTouchEvent", {
        type: "touchMove",
        touchPoints: points(from.y + (by * step) / 8),
      });
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  const start = await grip(figure, 1);
  const scrolled = await page.evaluate(() => scrollY);
  await swipe(start, -36);
  await settledWords(figure, /^Scores 1, 3, 3:/);
  assert.equal(await page.evaluate(() => scrollY), scrolled, "the page stood still");
  const bar = await grip(figure, 2);
  await swipe({ x: bar.x, y: bar.y + 60 }, -40);
  await page.waitForFunction((old) => scrollY !== old, await page.evaluate(() => scrollY)).catch(() => {});
  assert.deepEqual((await stateOf(figure)).scores, [1, 3, 3], "scrolling moves no score");
  assert.deepEqual(trouble, []);
});

test("random scores follow seed, d_k and n; the scale of attention spreads them to 1", async () => {
  const { page, trouble } = await served.open();
  const figure = await alone(served, page, "softmax", {
    random: "",
    keys: "16",
    dimension: "256",
    seed: "3",
  });
  const first = await settledWords(figure, /^16 random keys at dk = 256, seed 3:/);
  await figure.getByRole("button", { name: /1\/√d\s?k = 0\.0625/ }).click();
  const scaled = await settledWords(figure, /times 0\.0625:/);
  const largest = (text: string) => Number(/largest weight is ([\d.]+)/.exec(text)?.[1]);
  assert.ok(largest(scaled) < 0.5 && !(largest(first) < 0.5), `${first} | ${scaled}`);
  await figure.getByRole("button", { name: "Resample" }).click();
  const { seed } = await stateOf(figure);
  assert.notEqual(seed, 3);
  await settledWords(figure, new RegExp(`seed ${seed},`));
  await figure.getByRole("button", { name: "Reset" }).click();
  assert.equal(await settledWords(figure, /seed 3:/), first, "the same seed, the same row");
  assert.deepEqual(trouble, []);
});
