/**
 * Every figure, and what is around them, as it is laid out on a phone, a tablet and a desk, in light and dark: by rules
 * that say what is broken, and by small grey pictures that show what has changed (`npm run layout` makes them again).
 */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type FigureName, figureNames } from "../../web/state/fields.ts";
import { hasFonts, inWords, pictureOf, readReference } from "./layout/pictures.ts";
import {
  type FigureView,
  faultsOf,
  openFigure,
  openLesson,
  type Part,
  parts,
  poses,
  schemes,
  type View,
  widths,
} from "./layout/views.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
/** Where pictures are made smaller. */
let lab: Page;
/** Without them there are only the rules. */
let fonts: boolean;
/** All at once: while the slowest computes, the others are looked at. */
const figures = new Map<FigureName, Promise<FigureView>>();

before(async () => {
  served = await servePage();
  ({ page: lab } = await served.open());
  fonts = await hasFonts(lab);
  for (const name of figureNames) figures.set(name, openFigure(served, name));
});
after(() => served?.close());

const opened = (name: FigureName) => figures.get(name) as Promise<FigureView>;

/** What differs from the reference; the screenshot is kept where something does. */
async function changes(place: Locator, name: string): Promise<string[]> {
  if (!fonts) return [];
  const png = await place.screenshot({ animations: "disabled" });
  const found = inWords(await readReference(lab, name), await pictureOf(lab, png));
  if (found.length === 0) return [];
  await mkdir("build/layout", { recursive: true });
  await writeFile(`build/layout/${name}.png`, png);
  return [`${found.join("; ")} (see build/layout/${name}.png)`];
}

async function assertSound(view: View, places: Readonly<Record<string, Locator>>): Promise<void> {
  const found: string[] = [];
  for (const width of widths) {
    for (const scheme of schemes) {
      await view.turn(width, scheme);
      for (const [name, place] of Object.entries(places)) {
        const all = [...(await faultsOf(place)), ...(await changes(place, `${name}-${width}-${scheme}`))];
        found.push(...all.map((fault) => `${name}, ${width} px, ${scheme}: ${fault}`));
      }
    }
  }
  assert.deepEqual(found, []);
  assert.deepEqual(view.trouble, []);
}

test("page: opening, chapter list, guesses and the foot; by the rules every chapter", async () => {
  const view = await openLesson(served);
  const places = (Object.keys(parts) as Part[]).map(
    (part) => [part, view.page.locator(parts[part]).first()] as const,
  );
  await assertSound(view, Object.fromEntries(places));
  for (const width of widths) {
    await view.turn(width, "light");
    // From the top, where no cover's words stick to the window.
    await view.page.evaluate(() => scrollTo(0, 0));
    assert.deepEqual(await faultsOf(view.page.locator("main")), [], `${width} px`);
  }
});

/** What somebody might break: the style of one element, and what the rules say then. */
const breakages = [
  {
    what: "a label moved over another",
    element: "text:has-text('lead over all others together')",
    style: "transform: translate(0, -18px)",
    rule: /"8" and "lead over all others together" overlap/,
  },
  {
    what: "letters too small",
    element: "text:has-text('weights')",
    style: "font-size: 8px",
    rule: /"weights" is 8\.0 px small/,
  },
  {
    what: "no drawing",
    element: ".plot svg",
    style: "visibility: hidden",
    rule: /nothing is drawn/,
  },
  {
    what: "a button out of its place",
    element: "button:has-text('Reset')",
    style: "position: relative; left: 600px",
    rule: /"Reset" leaves its place by/,
  },
] as const;

test("what is broken is found by the rules and seen in the picture; a drawing moved by a pixel is not", async (context) => {
  if (!fonts)
    return context.skip("the DejaVu fonts are not installed (fonts-dejavu-extra): pictures are not compared");
  const view = await opened("softmax");
  await view.turn(768, "light");
  const wanted = await readReference(lab, "softmax-768-light");
  const look = async (element: string, style: string) => {
    const place = view.figure.locator(element).first();
    const restyle = (css: string) =>
      place.evaluate((node, text) => {
        // The page's policy refuses the attribute.
        node.style.cssText = text;
      }, css);
    await restyle(style);
    const png = await view.figure.screenshot();
    const found = { faults: await faultsOf(view.figure), seen: inWords(wanted, await pictureOf(lab, png)) };
    await restyle("");
    return found;
  };
  for (const { what, element, style, rule } of breakages) {
    const { faults, seen } = await look(element, style);
    assert.ok(
      faults.some((fault) => rule.test(fault)),
      `${what}: ${faults}`,
    );
    assert.notDeepEqual(seen, [], what);
  }
  const moved = await look(".plot", "transform: translate(1px, 1px)");
  assert.deepEqual(moved, { faults: [], seen: [] });
});

// Those that compute longest come last.
for (const name of [...figureNames].sort((a, b) => Number(a === "gradient") - Number(b === "gradient"))) {
  test(`${name}: at every width, in both themes and in other states`, async () => {
    const view = await opened(name);
    await assertSound(view, { [name]: view.figure });
    for (const pose of poses[name]) {
      await view.choose(pose);
      for (const width of widths) {
        await view.turn(width, "light");
        assert.deepEqual(await faultsOf(view.figure), [], `${JSON.stringify(pose)}, ${width} px`);
      }
    }
  });
}
