/**
 * `npm run screenshot`: the README's picture of the page, and, in build/screenshots, every figure at the widths and in
 * the colours that must look right. Looks at what `npm run build:page` has built.
 */
import { mkdir } from "node:fs/promises";
import { figureNames } from "../../web/state/fields.ts";
import { servePage, uncovered } from "./served-page.ts";

const figures = figureNames.map((name) => `sqrtdk-${name}`);
const samplingMs = 6000;

const served = await servePage();
await mkdir("build/screenshots", { recursive: true });
for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 768, 1280]) {
    const { page } = await served.open({ viewport: { width, height: 1400 }, colorScheme });
    await page.goto(uncovered(served.url));
    await page.waitForTimeout(samplingMs);
    // The chapter list sticks to the top of the window and would lie over the figures.
    await page.evaluate(() => document.querySelector("nav")?.style.setProperty("position", "static"));
    const name = `build/screenshots/${width}-${colorScheme}`;
    await page.screenshot({ path: `${name}-top.png` });
    for (const figure of figures) {
      // Figures sample only while they are on screen.
      await page.locator(figure).scrollIntoViewIfNeeded();
      await page.waitForTimeout(samplingMs);
      await page.locator(figure).screenshot({ path: `${name}-${figure}.png` });
    }
    if (width === 1280 && colorScheme === "light") {
      await page.locator("sqrtdk-gradient").screenshot({ path: "web/screenshot.png" });
    }
    await page.context().close();
  }
}
await served.close();
