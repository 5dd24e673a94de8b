/** The reading cursor: a hairline through every panel with the value it stands at. */
import { type SVGTemplateResult, svg } from "lit";
import { label } from "./drawing.ts";
import type { Theme } from "./theme.ts";

export interface CursorOptions {
  x: number;
  top: number;
  bottom: number;
  /** Limits the flag may not leave. */
  left: number;
  right: number;
  /** What the flag at its head says; no flag where it is empty. */
  text: string;
  theme: Theme;
}

export function cursor({ x, top, bottom, left, right, text, theme }: CursorOptions): SVGTemplateResult {
  // A flag of the label's rough width, so that it can be kept inside without measuring text.
  const half = text.length * 3.6 + 8;
  const centre = Math.min(right - half, Math.max(left + half, x));
  const hairline = svg`<line x1=${x} x2=${x} y1=${top} y2=${bottom} stroke=${theme.ink} stroke-width="1" stroke-opacity="0.55"></line>`;
  if (!text) return hairline;
  return svg`<g>${hairline}
    <rect x=${centre - half} y=${top - 20} width=${2 * half} height="20" rx="4" fill=${theme.ink}></rect>
    ${label(text, { x: centre, y: top - 6, fill: theme.paper, anchor: "middle", size: 11.5, weight: 600 })}
  </g>`;
}

/** A vertical rule that marks a value of the x axis. */
export function threshold({
  x,
  top,
  bottom,
  theme,
}: Pick<CursorOptions, "x" | "top" | "bottom" | "theme">): SVGTemplateResult {
  return svg`<line x1=${x} x2=${x} y1=${top} y2=${bottom} stroke=${theme.muted} stroke-width="1.2" stroke-dasharray="2 3"></line>`;
}
