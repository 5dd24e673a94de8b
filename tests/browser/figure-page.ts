/** What browser tests of a single figure share: it opens alone, says when it has come to rest, and is looked over by axe. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import type { ServedPage } from "./served-page.ts";

export interface FigurePage {
  page: Page;
  figure: Locator;
  trouble: string[];
}

/** The figure alone, with the state that `fields` describe: "dimension=8&seed=3". */
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

/** The words once they are not busy, say `what`, and have come to rest: two looks that see the same. */
export async function settledWords({ page, figure }: FigurePage, what = /./): Promise<string> {
  const words = figure.locator("#words");
  let last = "";
  for (let look = 0; look < 300; ++look) {
    const text = ((await words.textContent()) ?? "").trim().replace(/\s+/g, " ");
    const busy = (await words.getAttribute("aria-busy")) === "true";
    if (!busy && what.test(text) && text === last) return text;
    last = text;
    await page.waitForTimeout(200);
  }
  throw new Error(`does not come to rest: ${last}`);
}

/** The data table as rows of text, opened if it was closed. */
export async function tableRows({ figure }: FigurePage): Promise<string[][]> {
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

/** The file a button makes, as text. */
export async function download(
  { page, figure }: FigurePage,
  button: string,
): Promise<{ name: string; text: string }> {
  const coming = page.waitForEvent("download");
  await figure.getByRole("button", { name: button, exact: true }).click();
  const file = await coming;
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return { name: file.suggestedFilename(), text: Buffer.concat(chunks).toString("latin1") };
}

/** On a phone in light and on a desk in dark colours: nothing that axe finds, and nothing wider than the window. */
export async function assertAccessible(served: ServedPage, name: string, fields = ""): Promise<void> {
  const { default: axe } = await import("axe-core");
  for (const [width, colorScheme] of [
    [320, "light"],
    [1280, "dark"],
  ] as const) {
    const opened = await openFigure(served, name, fields, { viewport: { width, height: 900 }, colorScheme });
    await settledWords(opened);
    await tableRows(opened);
    await opened.page.evaluate(axe.source);
    const violations = await opened.page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(context: string, options: object): Promise<{ violations: object[] }> };
      };
      // Rules about whole pages (landmarks, headings) are those of the page around a figure.
      return (
        await axe.run("body > *", { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
      ).violations;
    });
    assert.deepEqual(violations, [], `${name}, ${width} px, ${colorScheme}`);
    const overflow = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name}: ${overflow} px too wide at ${width}`);
    assert.deepEqual(opened.trouble, []);
    await opened.page.context().close();
  }
}
