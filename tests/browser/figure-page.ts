/** What browser tests share of a figure: it opens alone, says when it has come to rest, and is looked over by axe. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { ServedPage } from "./served-page.ts";

export interface FigurePage {
  page: Page;
  figure: Locator;
  trouble: string[];
}

/** What the tests ask of a figure's element. */
interface Figure {
  complete: boolean;
  state: Record<string, unknown>;
  choose(values: Record<string, unknown>): void;
}

/** The figure in a frame's page, with the state that `fields` describe: "dimension=8&seed=3". */
export async function openFigure(
  served: ServedPage,
  name: string,
  fields = "",
  options: BrowserContextOptions = { viewport: { width: 1120, height: 1000 } },
): Promise<FigurePage> {
  const { page, trouble } = await served.open(options);
  await page.goto(`${served.url}embed.html#v=1&figure=${name}${fields && `&${fields}`}`);
  return { page, figure: page.locator(`sqrtdk-${name}`), trouble };
}

/** The lesson's page with nothing on it but this figure, with these attributes. */
export async function alone(
  served: ServedPage,
  page: Page,
  name: string,
  attributes: Record<string, string> = {},
): Promise<Locator> {
  await page.goto(served.url);
  await page.evaluate(
    ([tag, set]) => {
      const figure = document.createElement(tag);
      for (const [attribute, value] of Object.entries(set)) figure.setAttribute(attribute, value);
      const heading = Object.assign(document.createElement("h2"), { textContent: "One figure" });
      document.querySelector("main")?.replaceChildren(heading, figure);
    },
    [`sqrtdk-${name}`, attributes] as const,
  );
  const figure = page.locator(`sqrtdk-${name}`);
  await settledWords(figure);
  return figure;
}

export const stateOf = (figure: Locator) =>
  figure.evaluate((element) => (element as unknown as Figure).state);

export const choose = (figure: Locator, values: Record<string, unknown>) =>
  figure.evaluate((element, given) => (element as unknown as Figure).choose(given), values);

/** Whether its picture is final. */
export const isComplete = (figure: Locator) =>
  figure.evaluate((element) => (element as unknown as Partial<Figure>).complete === true);

/** Figures come to life, and refine their numbers, where they are near. One in sight stays where it is. */
const bringNear = (figure: Locator) =>
  figure.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom <= 0 || top >= innerHeight) element.scrollIntoView();
  });

/** The words once they say `what` and the figure's picture is final. */
export async function settledWords(figure: Locator, what = /./): Promise<string> {
  const words = figure.locator("#words");
  let text = "";
  for (let look = 0; look < 800; ++look) {
    // Each time: figures above it may have come to life and grown.
    await bringNear(figure);
    if (await isComplete(figure)) {
      text = ((await words.textContent()) ?? "").trim().replace(/\s+/g, " ");
      if (what.test(text)) return text;
    }
    await figure.page().waitForTimeout(100);
  }
  throw new Error(`does not come to rest and say ${what}: ${text}`);
}

/** The data table as rows of text, opened if it was closed. */
export async function tableRows(figure: Locator): Promise<string[][]> {
  const details = figure.locator("details");
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  await figure.locator("th[scope=row]").first().waitFor();
  return figure
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? "")),
    );
}

/** A number as pages write it: with a minus of its own and thin spaces. */
export const numberOf = (text: string | undefined) => Number(text?.replace("\u2212", "-").replace(/\s/g, ""));

/** The file a button makes; also as text, a byte a character. */
export async function download(
  figure: Locator,
  button: string,
): Promise<{ name: string; bytes: Buffer; text: string }> {
  const [file] = await Promise.all([
    figure.page().waitForEvent("download"),
    figure.getByRole("button", { name: button, exact: true }).click(),
  ]);
  const bytes = await readFile(await file.path());
  return { name: file.suggestedFilename(), bytes, text: bytes.toString("latin1") };
}

/** Where the grip of bar `i` lies, in the page. */
export async function grip(figure: Locator, i: number): Promise<{ x: number; y: number }> {
  const place = figure.locator(".grab").nth(i);
  await place.scrollIntoViewIfNeeded();
  const box = await place.boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** softmax, from its formula. */
export function weightsOf(scores: readonly number[]): number[] {
  const parts = scores.map(Math.exp);
  const sum = parts.reduce((a, b) => a + b);
  return parts.map((part) => part / sum);
}

/** On a phone in light and on a desk in dark colours: nothing that axe finds, and nothing wider than the window. */
export async function assertAccessible(served: ServedPage, name: string, fields = ""): Promise<void> {
  const { default: axe } = await import("axe-core");
  for (const [width, colorScheme] of [
    [320, "light"],
    [1280, "dark"],
  ] as const) {
    const { page, figure, trouble } = await openFigure(served, name, fields, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    await settledWords(figure);
    await tableRows(figure);
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(context: string, options: object): Promise<{ violations: object[] }> };
      };
      // Rules about whole pages (landmarks, headings) are those of the page around a figure.
      return (
        await axe.run("body > *", { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
      ).violations;
    });
    assert.deepEqual(violations, [], `${name}, ${width} px, ${colorScheme}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name}: ${overflow} px too wide at ${width}`);
    assert.deepEqual(trouble, []);
    await page.context().close();
  }
}
