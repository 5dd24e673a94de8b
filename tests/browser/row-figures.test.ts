/** The figures of a single row in Chromium: their numbers against formulas, hands on mouse, keys and glass, and what they give away. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alone, download, grip, settledWords, stateOf, weightsOf } from "./figure-page.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
before(async () => {
  served = await servePage();
});
after(() => served?.close());

test("the classroom: one has all the light and nobody learns; divided, everybody does", async () => {
  const { page, trouble } = await served.open({ reducedMotion: "reduce" });
  const figure = await alone(served, page, "classroom");
  await settledWords(
    figure,
    /dk = 512.*standard deviation is 22\.6\. One pupil has all the light.*Nobody learns/,
  );
  await figure.getByRole("radio", { name: /divided by/ }).check();
  await settledWords(figure, /divided by √dk.*is 1\. .*Who grows a little gets more light/);
  const plot = figure.getByRole("slider", { name: "d k" });
  await plot.focus();
  await page.keyboard.press("End");
  await settledWords(figure, /dk = 1024/);
  await page.keyboard.press("ArrowRight");
  assert.equal((await stateOf(figure)).dimension, 1024, "the end of the axis");
  await page.keyboard.press("Home");
  await settledWords(figure, /dk = 1 and/);
  // Lights and signals of the table against formulas.
  await figure.locator("summary").click();
  await figure.locator("th[scope=row]").first().waitFor();
  const cells = await figure
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((each) =>
        [...each.querySelectorAll("td")].map((cell) => Number(cell.textContent?.replace("\u2212", "-"))),
      ),
    );
  const p = weightsOf(cells.map(([, height]) => height as number));
  for (const [i, [, , light, signal]] of cells.entries()) {
    const weight = p[i] as number;
    assert.ok(Math.abs((light as number) / weight - 1) < 2e-3, `${light}, expected ${weight}`);
    assert.ok(Math.abs((signal as number) / (weight * (1 - weight)) - 1) < 2e-3);
  }
  assert.deepEqual(trouble, []);
});

test("the toggle of the classroom moves the pupils, and ends where it should", async () => {
  const { page, trouble } = await served.open();
  const figure = await alone(served, page, "classroom");
  const heads = () =>
    figure
      .locator(".plot g[transform]")
      .evaluateAll((all) => all.map((each) => each.getAttribute("transform")).join());
  const before = await heads();
  // Every frame that is drawn counts, however slow the machine.
  await figure.evaluate((element) => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seen });
    const plot = element.shadowRoot?.querySelector(".plot") as Element;
    new MutationObserver((changes) => {
      for (const { target } of changes) seen.add((target as Element).getAttribute("transform") ?? "");
    }).observe(plot, { subtree: true, attributeFilter: ["transform"] });
  });
  await figure.getByRole("radio", { name: /divided by/ }).check();
  let still = "";
  for (let now = before; now !== still || now === before; now = await heads()) {
    still = now;
    await page.waitForTimeout(300);
  }
  const places = await page.evaluate(() => (globalThis as unknown as { seen: Set<string> }).seen.size);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await figure.getByRole("radio", { name: "as they are" }).check();
  await settledWords(figure, /as they are/);
  await figure.evaluate(
    (element) => (element as unknown as { updateComplete: Promise<unknown> }).updateComplete,
  );
  assert.equal(await heads(), before);
  assert.notEqual(still, before);
  const pupils = before.split(/,(?=translate)/).length;
  assert.ok(places > 2 * pupils, `${places} places of ${pupils} pupils: there was motion`);
  assert.deepEqual(trouble, []);
});

test("the Jacobian: cells by pointer and by keys, a row's moves, and what comes back of a vector", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 1000 } });
  const figure = await alone(served, page, "jacobian");
  const p = weightsOf([1, 2, 3]);
  const entry = (i: number, j: number) =>
    ((i === j ? (p[i] as number) : 0) - (p[i] as number) * (p[j] as number))
      .toFixed(3)
      .replace("-", "\u2212");
  const plot = figure.getByRole("slider", { name: "Row of the Jacobian" });
  await plot.focus();
  for (const name of ["Home", "ArrowDown", "ArrowRight", "ArrowRight"]) await page.keyboard.press(name);
  await page.waitForFunction(
    (element) => element?.getAttribute("aria-valuenow") === "2",
    await plot.elementHandle(),
  );
  assert.equal(await plot.getAttribute("aria-valuetext"), `score 2, weight 3: ${entry(1, 2)}`);
  // The first cell, without a press: looked at, but not chosen.
  const map = await plot.locator("rect").first().boundingBox();
  assert.ok(map);
  await page.mouse.move(map.x + 10, map.y + 10);
  await figure
    .getByText(`= ${entry(0, 0)}: raise`)
    .first()
    .waitFor();
  assert.equal((await stateOf(figure)).key, 2);
  await page.mouse.move(5, 5);
  await figure
    .getByText(`= ${entry(1, 2)}: raise`)
    .first()
    .waitFor();
  // J g for a vector that is typed.
  await figure.getByRole("textbox", { name: "vector" }).fill("2, 0, 1");
  await page.keyboard.press("Enter");
  const g = [2, 0, 1];
  const mean = g.reduce((sum, each, i) => sum + each * (p[i] as number), 0);
  const back = g.map((each, i) => (p[i] as number) * (each - mean));
  await settledWords(figure, new RegExp(`length of ${Math.hypot(...back).toFixed(3)} comes back`));
  await figure.getByRole("button", { name: "all 1" }).click();
  const text = await settledWords(figure, /comes back as nothing/);
  const trace = 1 - p.reduce((sum, each) => sum + each ** 2, 0);
  assert.ok(text.includes(`${trace.toFixed(3)} of at most 0.667`), text);
  assert.deepEqual(trouble, []);
});

test("the vector of the Jacobian is dragged by its bars", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 1000 } });
  const figure = await alone(served, page, "jacobian");
  const { x, y } = await grip(figure, 1);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 30, { steps: 4 });
  await page.mouse.up();
  const { vector } = await stateOf(figure);
  const [first, moved, last] = vector as number[];
  assert.deepEqual([first, last], [1, -1]);
  assert.ok((moved as number) > 0.2 && (moved as number) <= 1.25, `${moved}`);
  assert.deepEqual(trouble, []);
});

test("what a figure is told it tells again, and what it cannot read it says", async () => {
  const { page, trouble } = await served.open();
  for (const [name, given] of [
    [
      "softmax",
      {
        scores: "0.5,-1,2.25,3",
        spread: "0.0442",
        key: "2",
        random: "0",
        seed: "7",
        keys: "9",
        dimension: "100",
      },
    ],
    ["classroom", { dimension: "37", keys: "9", scale: "rsqrt", seed: "12" }],
    ["jacobian", { scores: "1,1,4", vector: "0.5,-2,1", magnify: "1", key: "3", random: "1", keys: "4" }],
  ] as const) {
    const figure = await alone(served, page, name, given);
    const state = await stateOf(figure);
    const text = (value: unknown) => (typeof value === "boolean" ? String(Number(value)) : String(value));
    const told = Object.fromEntries(Object.keys(given).map((field) => [field, text(state[field])]));
    assert.deepEqual(told, given);
    const bad = await alone(served, page, name, { seed: "<img src=x onerror=alert(1)>" });
    await bad.getByText("is not a whole number").waitFor();
    assert.equal(await page.locator("img").count(), 0);
  }
  const bad = await alone(served, page, "softmax", { scores: "1" });
  await bad.getByText("is not 2 to 16 numbers from -1000 to 1000").waitFor();
  assert.deepEqual(trouble, []);
});

test("tables, drawings and pictures are given away, with the numbers of the page", async () => {
  const { page, trouble } = await served.open();
  for (const [name, rows] of [
    ["softmax", 3],
    ["classroom", 7],
    ["jacobian", 3],
  ] as const) {
    const figure = await alone(served, page, name);
    const table = await download(figure, "CSV");
    assert.match(table.name, new RegExp(`^sqrtdk-${name}-.*seed\\d+\\.csv$`));
    assert.equal(table.bytes.toString().trim().split("\r\n").length, rows + 1);
    const vector = (await download(figure, "SVG")).bytes.toString();
    assert.match(vector, /^<svg [^>]*role="img"/);
    assert.doesNotMatch(vector, /var\(|class=|style=|NaN|undefined|<!--/);
    const parsed = await page.evaluate(
      (text) =>
        new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent ??
        "",
      vector,
    );
    assert.equal(parsed, "");
    const picture = (await download(figure, "PNG")).bytes;
    assert.deepEqual([...picture.subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.ok(picture.readUInt32BE(16) >= 2000, "twice as many pixels");
  }
  const csv = (await download(await alone(served, page, "softmax"), "CSV")).bytes.toString();
  const given = csv
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => Number(line.split(",")[3]));
  for (const [i, weight] of weightsOf([1, 2, 3]).entries())
    assert.ok(Math.abs((given[i] as number) - weight) < 1e-6);
  assert.deepEqual(trouble, []);
});

test("no accessibility violation, and no figure wider than its page, in light and dark", async () => {
  const { default: axe } = await import("axe-core");
  for (const [width, colorScheme] of [
    [320, "light"],
    [768, "dark"],
    [1280, "light"],
  ] as const) {
    const { page, trouble } = await served.open({ viewport: { width, height: 900 }, colorScheme });
    for (const [name, attributes] of [
      ["softmax", { random: "" }],
      ["classroom", { keys: "10" }],
      ["jacobian", { random: "", keys: "16" }],
      ["jacobian", {}],
    ] as const) {
      const figure = await alone(served, page, name, attributes);
      await figure.locator("summary").click();
      await figure.locator("th[scope=row]").first().waitFor();
      await page.evaluate(axe.source);
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(part: string): Promise<{ violations: object[] }> };
        };
        return (await axe.run("main")).violations;
      });
      assert.deepEqual(violations, [], `${name}, ${width} px, ${colorScheme}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${name}, ${width} px: ${overflow} px too wide`);
    }
    assert.deepEqual(trouble, []);
    await page.context().close();
  }
});
