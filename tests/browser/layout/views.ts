/** Everything that layout is looked at in: each figure, and what is around them on the page, at each width, in each theme. */
import { build } from "esbuild";
import type { CDPSession, Locator, Page } from "playwright-core";
import { type FigureName, figureNames } from "../../../web/state/fields.ts";
import type { ServedPage } from "../served-page.ts";

export const widths = [360, 768, 1280] as const;
export const schemes = ["light", "dark"] as const;
export type Width = (typeof widths)[number];
export type Scheme = (typeof schemes)[number];

/** High enough that every figure is in sight at once, and low enough that the window does not scroll for nothing. */
const height = 1000;

/**
 * Fonts that .ci/setup brings, for the letters of all machines to be as wide as here; DejaVu is as wide as they get. And
 * the chapter list where it is in the text, not over it, as far as it is scrolled; and covers as high as with their figures, all text laid out.
 */
const style = `
  :root { --serif: "DejaVu Serif"; --sans: "DejaVu Sans"; }
  ${figureNames.map((name) => `sqrtdk-${name}`)} { --sqrtdk-font: "DejaVu Sans"; }
  math { font-family: "DejaVu Math TeX Gyre" !important; }
  nav.chapters { position: static !important; }
  .covered { min-height: 32rem; }
  main, main * { content-visibility: visible !important; }
  nav.chapters::after { animation: none !important; transform: scaleX(0.3); }
`;

async function pageCode(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ["tests/browser/layout/rules.ts"],
    bundle: true,
    write: false,
    format: "iife",
    target: "chrome120",
  });
  return outputFiles[0]?.text ?? "";
}

export interface View {
  page: Page;
  trouble: string[];
  turn(width: Width, scheme: Scheme): Promise<void>;
}

async function openPage(served: ServedPage, path: string): Promise<View> {
  const { page, trouble } = await served.open({ viewport: { width: 1280, height }, reducedMotion: "reduce" });
  await page.goto(`${served.url}${path}`);
  await page.evaluate((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
  }, style);
  await page.evaluate(await pageCode());
  const session: CDPSession = await page.context().newCDPSession(page);
  return {
    page,
    trouble,
    async turn(width, scheme) {
      // The narrow window is a phone's, under a finger.
      await session.send("Emulation.setTouchEmulationEnabled", { enabled: width === 360 });
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      await drawn(page);
    },
  };
}

/** A new width is noticed in one frame and drawn in the next; the third begins when that is over. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
  });
}

type Alive = Element & { complete: boolean; choose(values: object): void };

/** States that put other things in other places than the default does, or make numbers long. */
export const poses: Readonly<Record<FigureName, readonly Readonly<Record<string, unknown>>[]>> = {
  attention: [
    { stage: "grad-inputs", scale: "none", causal: true, dimension: 512 },
    { stage: "output", tokens: 2, dimension: 1 },
  ],
  "random-walk": [{ scale: "rsqrt", dimension: 4096 }],
  variance: [{ dimension: 1, limit: true }],
  gradient: [{ show: "row" }, { show: "gradient", dimension: 4096 }],
  softmax: [{ random: true }, { random: false, scores: [1, 2] }],
  classroom: [{ keys: 10, dimension: 1024 }],
  jacobian: [
    { random: true, magnify: true },
    { random: false, magnify: false, scores: [1, 2] },
  ],
};

export interface FigureView extends View {
  figure: Locator;
  /** Sets the figure as a reader would, and waits for what follows. */
  choose(values: Readonly<Record<string, unknown>>): Promise<void>;
}

export async function openFigure(served: ServedPage, name: FigureName): Promise<FigureView> {
  const view = await openPage(served, `embed.html#v=1&figure=${name}`);
  const figure = view.page.locator(`sqrtdk-${name}`);
  const complete = async () => {
    await drawn(view.page);
    await view.page.waitForFunction(
      (tag) => (document.querySelector(tag) as Alive | null)?.complete === true,
      `sqrtdk-${name}`,
      { timeout: 300_000 },
    );
    await drawn(view.page);
  };
  return {
    ...view,
    figure,
    async turn(width, scheme) {
      await view.turn(width, scheme);
      await complete();
    },
    async choose(values) {
      await figure.evaluate((element, chosen) => (element as Element as Alive).choose(chosen), values);
      await complete();
    },
  };
}

/** What is around the figures, by the selectors of its parts. Long text has no picture: a word more would change it. */
export const parts = {
  opening: "header.hero",
  chapters: "nav.chapters",
  curve: "form[data-predict=curve]",
  choice: "#softmax form[data-predict=choice]",
  foot: "footer.page",
} as const;
export type Part = keyof typeof parts;

/** The page without its figures: they have pictures of their own. */
export async function openLesson(served: ServedPage): Promise<View> {
  const view = await openPage(served, "");
  await view.page.locator("form[data-predict=curve] [role=slider]").first().waitFor({ state: "attached" });
  await view.page.locator(".cover").first().waitFor({ state: "attached" });
  await view.page.evaluate(
    (tags) => {
      for (const figure of document.querySelectorAll(tags.join())) figure.remove();
    },
    figureNames.map((name) => `sqrtdk-${name}`),
  );
  return view;
}

/** What the rules find, in words. */
export function faultsOf(place: Locator): Promise<string[]> {
  return place.evaluate((element) =>
    (globalThis as unknown as { findFaults(scope: Element): string[] }).findFaults(element),
  );
}
