/** Numbers in the running text that follow the figures, and buttons in the text that move them. */
import { exact, measured } from "../charts/numbers.ts";
import type { FigureElement } from "../figures/figure-element.ts";
import type { FigureName } from "../state/fields.ts";

interface VarianceResult {
  figure: string;
  dimension: number;
  variance?: number;
  standardError?: number;
}

function fill(name: string, text: string): void {
  for (const place of document.querySelectorAll(`[data-live="${name}"]`)) {
    if (place.textContent !== text) place.textContent = text;
  }
}

function showVariance({ dimension, variance, standardError }: VarianceResult): void {
  const root = Math.sqrt(dimension);
  fill("dimension", String(dimension));
  fill("root", exact(root, 4));
  if (variance === undefined || standardError === undefined) return;
  const half = 1.96 * standardError;
  fill("variance", measured(variance, half).text);
  fill("deviation", measured(Math.sqrt(variance), half / (2 * Math.sqrt(variance))).text);
  fill("scaled-variance", measured(variance / dimension, half / dimension).text);
}

/** <button data-figure="variance" data-set="scale=rsqrt"> */
function press(button: HTMLElement): void {
  const figure = document.querySelector<FigureElement<FigureName>>(`sqrtdk-${button.dataset.figure}`);
  if (!figure) return;
  const wanted = new URLSearchParams(button.dataset.set);
  figure.scrollIntoView({ block: "nearest" });
  figure.choose(Object.fromEntries(wanted));
}

// Setting formulas costs layout, and nobody reads sixty numbers a second.
const showEvery = 120;

export function liveNumbers(): void {
  let newest: VarianceResult | null = null;
  let waiting = false;
  const show = () => {
    waiting = false;
    if (newest) showVariance(newest);
  };
  document.addEventListener("sqrtdk-result", (event) => {
    const detail = (event as CustomEvent<VarianceResult>).detail;
    if (detail.figure !== "variance") return;
    newest = detail;
    if (!waiting) setTimeout(show, showEvery);
    waiting = true;
  });
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest?.<HTMLElement>("button[data-figure]");
    if (button) press(button);
  });
}
