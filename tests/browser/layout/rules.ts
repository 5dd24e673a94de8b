/** The rules of layout that need no eye, as one function for the page: what is broken, in words. */
import { contentOf, seen } from "./boxes.ts";
import { wrongDrawing } from "./drawing-rules.ts";
import { wrongPage } from "./page-rules.ts";

/** A figure shows a drawing and says something about it. */
function* missing(figure: Element): Generator<string> {
  const root = contentOf(figure);
  const drawing = root.querySelector(".plot svg, .plot canvas");
  if (!drawing || !seen(drawing) || drawing.getBoundingClientRect().height < 100) yield "nothing is drawn";
  const words = root.querySelector("#words");
  if (!words || !seen(words) || !words.textContent?.trim()) yield "nothing is said";
}

export function findFaults(scope: Element): string[] {
  const faults = [...wrongPage(scope)];
  for (const svg of contentOf(scope).querySelectorAll("svg"))
    if (seen(svg)) faults.push(...wrongDrawing(svg));
  if (scope.shadowRoot) faults.push(...missing(scope));
  return faults;
}

Object.assign(globalThis, { findFaults });
