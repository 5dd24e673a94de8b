/** Numbers in the running text that follow the figures, and buttons in the text that move them. */
import { exact, measured } from "../charts/numbers.ts";
import { type FigureName, figureNames } from "../state/fields.ts";
import { type AnyFigure, figurePlace, withFigure } from "./figures.ts";

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
  const texts = measuredTexts(dimension, variance, standardError);
  for (const [name, text] of Object.entries(texts)) fill(name, text);
}

/** Without a measurement an ellipsis: an old number would belong to another d_k. */
function measuredTexts(dimension: number, variance = Number.NaN, standardError = Number.NaN) {
  const half = 1.96 * standardError;
  const text = (value: number, band: number) => (Number.isNaN(value) ? "\u2026" : measured(value, band).text);
  return {
    variance: text(variance, half),
    deviation: text(Math.sqrt(variance), half / (2 * Math.sqrt(variance))),
    "scaled-variance": text(variance / dimension, half / dimension),
  };
}

/** <button data-figure="variance" data-set="scale=rsqrt"> */
function press(button: HTMLElement): void {
  const name = figureNames.find((each: FigureName) => each === button.dataset.figure);
  if (!name) return;
  const wanted = Object.fromEntries(new URLSearchParams(button.dataset.set));
  figurePlace(name)?.scrollIntoView({ block: "nearest" });
  withFigure(name, (figure) => figure.choose(wanted));
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
  const showSoon = (result: VarianceResult) => {
    newest = result;
    if (!waiting) setTimeout(show, showEvery);
    waiting = true;
  };
  document.addEventListener("sqrtdk-result", (event) => {
    const { detail } = event as CustomEvent<VarianceResult>;
    if (detail.figure === "variance") showSoon(detail);
  });
  document.addEventListener("sqrtdk-error", (event) => {
    const { dimension } = (event.target as AnyFigure).state as { dimension: number };
    if ((event as CustomEvent<VarianceResult>).detail.figure === "variance")
      showSoon({ figure: "variance", dimension });
  });
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest?.<HTMLElement>("button[data-figure]");
    if (button) press(button);
  });
}
