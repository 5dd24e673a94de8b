/** The lesson as a reader meets it: guesses, words explained, links to places, any width, both themes, a screen reader. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { figureNames } from "../../web/state/fields.ts";
import { settledWords } from "./figure-page.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
before(async () => {
  served = await servePage();
});
after(() => served?.close());

/** Every figure alive and with its first answer. */
async function wakeAll(page: Page): Promise<void> {
  while ((await page.locator(".cover button").count()) > 0)
    await page.locator(".cover button").first().click();
  for (const name of figureNames) {
    await page.locator(`sqrtdk-${name}`).scrollIntoViewIfNeeded();
    await page.locator(`sqrtdk-${name} #words[aria-busy=false]`).waitFor();
  }
}

/** Those that no cover has closed yet. */
async function skipGuesses(page: Page): Promise<void> {
  await page.locator("[data-skip]").evaluateAll((all) => {
    for (const skip of all) (skip as HTMLElement).click();
  });
  await page.waitForFunction(() => !document.querySelector("form.predict:not(.revealed)"));
}

test("guesses are made, or skipped, by keyboard alone; the answer is what the core computes", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(served.url);
  const weight = page.locator("form[data-predict=value]");
  await weight.locator("input").focus();
  for (let press = 0; press < 5; ++press) await page.keyboard.press("PageUp");
  const guess = await weight.locator("output").textContent();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const answer = weight.locator(".reveal");
  await answer.getByText("0.956", { exact: true }).waitFor();
  assert.match((await answer.textContent()) ?? "", /0\.361/);
  assert.ok((await answer.textContent())?.includes(`your guess ${Number(guess).toFixed(2)}`));
  assert.equal(await weight.locator("button:visible").count(), 0);
  assert.ok(await answer.evaluate((place) => place === document.activeElement), "focus goes to the answer");

  const curve = page.locator("form[data-predict=curve]");
  await curve.scrollIntoViewIfNeeded();
  const handles = curve.locator("[role=slider]");
  await handles.first().waitFor();
  assert.equal(await handles.count(), 7);
  for (const [i, value] of [250, 400, 500, 650, 775, 900, 1025].entries()) {
    await handles.nth(i).focus();
    for (let at = 128; at + 20 < value; ) {
      const big = value - at >= 100;
      await page.keyboard.press(big ? "PageUp" : "ArrowUp");
      at = Number(await handles.nth(i).getAttribute("aria-valuenow"));
    }
  }
  await curve.locator("button[type=submit]").press("Enter");
  await curve.getByText("very nearly right").waitFor();

  const choices = page.locator("form[data-predict=choice]");
  await choices.first().locator("[data-skip]").press("Enter");
  await choices.first().getByText("Nobody.").waitFor();
  // Nothing chosen is no guess: the browser asks for one.
  await choices.nth(1).locator("button[type=submit]").press("Enter");
  assert.ok(await choices.nth(1).locator(".reveal").isHidden());
  await choices.nth(1).locator("input").first().press("ArrowDown");
  await choices.nth(1).locator("button[type=submit]").press("Enter");
  await choices.nth(1).getByText("A natural guess, and not so.").waitFor();
  assert.deepEqual(trouble, []);
});

test("a figure stays covered until its guess is made or skipped, and keeps its height", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(served.url);
  const covers = page.locator(".cover");
  await covers.first().waitFor({ state: "attached" });
  assert.equal(await covers.count(), 4);
  assert.ok(await page.locator("sqrtdk-attention").isVisible(), "the first figure is never covered");

  const place = page.locator(".covered", { has: page.locator("#variance") });
  await settledWords(page.locator("sqrtdk-variance"));
  assert.equal(await page.locator("sqrtdk-variance #words").isVisible(), false);
  assert.doesNotMatch(await place.ariaSnapshot(), /slider|spinbutton|table/);
  // What the address says of figures is what they show: a reload covers again.
  await page.waitForFunction(() => location.hash.includes("jacobian."));
  assert.ok(!page.url().includes("variance."));

  // While samples come in the words grow by a digit now and then, and with it by a line.
  await page.waitForFunction(
    () => (document.querySelector("sqrtdk-variance") as unknown as { complete: boolean }).complete,
  );
  const height = (await place.boundingBox())?.height;
  await place.getByRole("button", { name: "Skip the guess" }).press("Enter");
  const shown = page.locator("[data-after]", { has: page.locator("#variance") });
  assert.equal((await shown.boundingBox())?.height, height);
  assert.ok(await shown.evaluate((element) => element === document.activeElement));
  assert.ok(await page.locator("sqrtdk-variance #words").isVisible());
  assert.equal(await page.locator(".uncovered-note").textContent(), "The figures are shown.");
  assert.equal(await covers.count(), 2, "both figures of the guess are shown, no other");
  const curve = page.locator("form[data-predict=curve]");
  await curve.getByText("exactly the number of components").waitFor();
  assert.equal(await curve.locator("button:visible").count(), 0, "the guess is closed as well");
  assert.ok(await shown.evaluate((element) => element === document.activeElement), "focus stays");

  await page
    .locator("form.predict", { has: page.locator("#guess-pupil-title") })
    .locator("[data-skip]")
    .click();
  assert.ok(await page.locator("sqrtdk-classroom").isVisible());
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator("sqrtdk-gradient").isVisible(), "paper has no covers");
  assert.ok(await covers.first().isHidden());
  assert.deepEqual(trouble, []);
});

test("an address that says how a figure stands uncovers it, and one that only leads there does not", async () => {
  const { page } = await served.open();
  await page.goto(`${served.url}#v=1&variance.dimension=77&at=gradient`);
  await page.locator(".cover").first().waitFor({ state: "attached" });
  const covered = (name: string) => page.locator(`.covered sqrtdk-${name}`).count();
  assert.deepEqual([await covered("variance"), await covered("gradient")], [0, 1]);
  await page.evaluate(() => {
    location.hash = "v=1&gradient.keys=8";
  });
  await page.locator(".covered sqrtdk-gradient").waitFor({ state: "detached" });
});

test("a curve can be drawn with the pointer", async () => {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height: 900 } });
  await page.goto(served.url);
  const canvas = page.locator(".canvas");
  await canvas.scrollIntoViewIfNeeded();
  const handles = canvas.locator("[role=slider]");
  await handles.first().waitFor();
  const box = async (i: number) => (await handles.nth(i).boundingBox()) ?? assert.fail("no handle");
  const [first, last] = [await box(0), await box(6)];
  await page.mouse.move(first.x + 16, first.y - 40);
  await page.mouse.down();
  await page.mouse.move(last.x + 16, first.y - 120, { steps: 40 });
  await page.mouse.up();
  const values = await handles.evaluateAll((all) => all.map((each) => Number(each.ariaValueNow)));
  assert.deepEqual(
    values,
    [...values].sort((a, b) => a - b),
  );
  assert.ok((values[0] as number) > 128 && (values[6] as number) > (values[0] as number), String(values));
  assert.deepEqual(trouble, []);
});

test("a word is explained where it stands, Escape gives the word its focus back", async () => {
  const { page, trouble } = await served.open();
  await page.goto(served.url);
  const word = page.locator("a.term", { hasText: "query" }).first();
  await word.focus();
  await page.keyboard.press("Enter");
  const box = page.locator(".explained");
  await box.getByText("what a token is looking for").waitFor();
  await page.keyboard.press("Escape");
  await box.waitFor({ state: "hidden" });
  assert.ok(await word.evaluate((link) => link === document.activeElement));
  assert.deepEqual(trouble, []);
});

test("a link restores figures that are not alive yet, and the address keeps what they will show", async () => {
  const { page } = await served.open();
  await page.goto(`${served.url}#v=1&gradient.keys=33&variance.dimension=77&softmax.scores=0,4`);
  await page.waitForFunction(() => location.hash.includes("jacobian."));
  const hash = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));
  assert.equal(hash.get("gradient.keys"), "33");
  assert.equal(hash.get("softmax.scores"), "0,4");
  assert.equal(await page.evaluate(() => customElements.get("sqrtdk-gradient")), undefined);
  await page.locator("sqrtdk-gradient").scrollIntoViewIfNeeded();
  await page.locator("sqrtdk-gradient #words", { hasText: /With 33 keys/ }).waitFor();
});

test("a link leads to a place that is not laid out yet, with script and without; on paper everything is", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await served.open({ javaScriptEnabled });
    await page.goto(`${served.url}#${javaScriptEnabled ? "v=1&at=" : ""}term-variance-gamma`);
    const term = page.locator("#term-variance-gamma");
    const top = async () => (await term.boundingBox())?.y ?? Number.NaN;
    for (let look = 0; look < 50 && !((await top()) < 400); ++look) await page.waitForTimeout(100);
    assert.ok((await top()) > 0 && (await top()) < 400, `script ${javaScriptEnabled}: at ${await top()}`);
    const skipped = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll(".chapter > p > *")].filter(
            (text) => !text.checkVisibility({ contentVisibilityAuto: true }),
          ).length,
      );
    assert.equal((await skipped()) > 0, javaScriptEnabled);
    await page.emulateMedia({ media: "print" });
    assert.equal(await skipped(), 0);
    await page.context().close();
  }
});

test("no accessibility violation with every figure alive and every guess made, in light and dark", async () => {
  const { default: axe } = await import("axe-core");
  for (const [width, colorScheme] of [
    [360, "dark"],
    [1280, "light"],
  ] as const) {
    const { page, trouble } = await served.open({ viewport: { width, height: 900 }, colorScheme });
    await page.goto(served.url);
    await page.evaluate(axe.source);
    const violations = (where: string) =>
      page.evaluate(async (selector) => {
        const { axe } = globalThis as unknown as {
          axe: { run(at: string): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        };
        const { violations } = await axe.run(selector);
        return violations.map(
          ({ id, nodes }) =>
            `${id}: ${nodes
              .map((node) => node.html)
              .join(" ")
              .slice(0, 500)}`,
        );
      }, where);
    await wakeAll(page);
    for (const name of figureNames) await page.locator(`sqrtdk-${name} summary`).last().click();
    assert.deepEqual(await violations("html"), [], `${width} px, ${colorScheme}`);
    await skipGuesses(page);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    assert.deepEqual(await violations("html"), [], `${width} px, ${colorScheme}, with all answers`);
    assert.deepEqual(trouble, []);
    await page.context().close();
  }
});

test("nothing is wider than the window, from 320 pixels on", async () => {
  for (const width of [320, 360, 768, 1280]) {
    const { page, trouble } = await served.open({ viewport: { width, height: 900 } });
    await page.goto(served.url);
    await wakeAll(page);
    await skipGuesses(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${width} px: the page is ${overflow} px too wide`);
    const cut = await page.evaluate(
      () =>
        [...document.querySelectorAll("math[display=block]")].filter(
          (formula) => formula.getBoundingClientRect().right > innerWidth + 1,
        ).length,
    );
    assert.equal(cut, 0, `${width} px: formulas that leave the window`);
    assert.deepEqual(trouble, [], `${width} px`);
    await page.context().close();
  }
});
