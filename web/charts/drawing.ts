/** The outermost <svg> of a drawing, and rich labels. Everything is presentation attributes: no style sheet needed. */
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from "lit";
import { unsafeSVG } from "lit/directives/unsafe-svg.js";
import type { Theme } from "./theme.ts";

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface DrawingOptions {
  width: number;
  height: number;
  theme: Theme;
  /** In an exported file: a title, a longer description, and paper under the ink. */
  title?: string;
  description?: string;
  opaque?: boolean;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** As a string, because a template on the server takes any <title> for the one of an HTML head and skips its parts. */
function nameMarkup(title: string, description: string): string {
  const escaped = (text: string) => text.replace(/[&<>]/g, (character) => entities[character] as string);
  return `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>`;
}

export function drawing(options: DrawingOptions, content: unknown): TemplateResult {
  const { width, height, theme } = options;
  const paper = options.opaque
    ? svg`<rect width=${width} height=${height} fill=${theme.paper}></rect>`
    : nothing;
  // In the page the name and the summary come from the element around the drawing; a file carries its own.
  const named = options.title ? unsafeSVG(nameMarkup(options.title, options.description ?? "")) : nothing;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width=${width} height=${height}
    role=${options.title ? "img" : "presentation"} font-family=${theme.font} font-size="12" fill=${theme.ink}
    >${named}${paper}${content}</svg>`;
}

/** "d_k" with its index set low, "10^3" with its exponent set high; the rest as it is. */
export function rich(text: string): SVGTemplateResult {
  const parts = text.split(/([_^][A-Za-z0-9\u2212]+)/);
  // Most labels are plain, and text in spans of its own takes half as long again to lay out.
  if (parts.length === 1) return svg`${text}`;
  let drop = 0;
  const spans = parts.filter(Boolean).map((part) => {
    const shift = part[0] === "_" ? 3 : part[0] === "^" ? -4 : 0;
    const move = shift - drop;
    drop = shift;
    return shift === 0
      ? svg`<tspan dy=${move}>${part}</tspan>`
      : svg`<tspan dy=${move} font-size="0.78em">${part.slice(1)}</tspan>`;
  });
  return svg`${spans}`;
}

export interface LabelOptions {
  x: number;
  y: number;
  fill: string;
  anchor?: "start" | "middle" | "end";
  size?: number;
  weight?: number;
  /** Paint of a halo that keeps the label readable over lines. */
  halo?: string;
  /** The width it is set to, where letters of whatever font must not leave a frame. */
  fit?: number;
}

export function label(text: string, options: LabelOptions): SVGTemplateResult {
  const { x, y, fill, anchor = "start", size = 12, weight = 400, halo, fit } = options;
  return svg`<text x=${x} y=${y} fill=${fill} text-anchor=${anchor} font-size=${size} font-weight=${weight}
    stroke=${halo ?? nothing} stroke-width=${halo ? 4 : nothing}
    stroke-linejoin=${halo ? "round" : nothing} paint-order=${halo ? "stroke" : nothing}
    textLength=${fit ?? nothing} lengthAdjust=${fit ? "spacingAndGlyphs" : nothing} font-variant-numeric="tabular-nums">${rich(text)}</text>`;
}

export function shifted(x: number, y: number, content: unknown): SVGTemplateResult {
  return svg`<g transform="translate(${x} ${y})">${content}</g>`;
}
