/**
 * Figures come to life as they come near. A page of them, all made at once, would hold the reader's hand for longer than a
 * moment; and most readers begin at the top.
 */
import { defineFigure } from "../figures/define.ts";
import type { FigureElement } from "../figures/figure-element.ts";
import { sharedCore } from "../figures/shared-core.ts";
import { type FigureName, figureNames } from "../state/fields.ts";

export type AnyFigure = FigureElement<FigureName>;

/** The page's figure of this name, alive or not yet. */
export function figurePlace(name: FigureName): AnyFigure | null {
  return document.querySelector<AnyFigure>(`sqrtdk-${name}`);
}

/** Places on the page whose figures this page has; the others stay empty and take no room. */
export function figuresHere(): FigureName[] {
  return figureNames.filter((name) => figurePlace(name) !== null);
}

export function startFigures(): void {
  // Compiled beside this thread while the page is laid out. Should it fail, the figures that ask again will say so.
  sharedCore().catch(() => {});
  const names = new WeakMap<Element, FigureName>();
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const name = names.get(target);
        if (!isIntersecting || !name) continue;
        sight.unobserve(target);
        // One task each.
        setTimeout(() => defineFigure(name));
      }
    },
    { rootMargin: "100%" },
  );
  const watch = () => {
    for (const name of figureNames) {
      for (const place of document.querySelectorAll(`sqrtdk-${name}:not(:defined)`)) {
        names.set(place, name);
        sight.observe(place);
      }
    }
  };
  watch();
  // Figures may also be put into the page later, by a teacher's script or a reader's hand in the console.
  new MutationObserver(watch).observe(document.querySelector("main") ?? document.body, { childList: true });
  // Paper has no "near".
  addEventListener("beforeprint", () => {
    for (const name of figuresHere()) defineFigure(name);
  });
}

/** Does something to a figure now, or when it comes to life. */
export function withFigure(name: FigureName, act: (figure: AnyFigure) => void): void {
  const figure = figurePlace(name);
  if (figure) void customElements.whenDefined(`sqrtdk-${name}`).then(() => act(figure));
}
