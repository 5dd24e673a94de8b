/** A figure with the page to itself: put there, asked what it shows and says, and what it gives away. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import type { ServedPage } from "./served-page.ts";

type State = Record<string, unknown>;

/** The page with nothing on it but this figure. */
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
  await figure.locator('#words[aria-busy="false"]').waitFor();
  return figure;
}

export const stateOf = (figure: Locator) =>
  figure.evaluate((element) => (element as unknown as { state: State }).state);

async function words(figure: Locator): Promise<string> {
  await figure.locator('#words[aria-busy="false"]').waitFor();
  return ((await figure.locator("#words").textContent()) ?? "").trim().replace(/\s+/g, " ");
}

/** The words once they say `what`. */
export async function wordsSay(figure: Locator, what: RegExp): Promise<string> {
  for (let look = 0; look < 100; ++look) {
    const text = await words(figure);
    if (what.test(text)) return text;
    await figure.page().waitForTimeout(50);
  }
  throw new Error(`never said ${what}: ${await words(figure)}`);
}

export async function download(figure: Locator, name: string): Promise<{ file: string; bytes: Buffer }> {
  const [file] = await Promise.all([
    figure.page().waitForEvent("download"),
    figure.getByRole("button", { name, exact: true }).click(),
  ]);
  return { file: file.suggestedFilename(), bytes: await readFile(await file.path()) };
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
