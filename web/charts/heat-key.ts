/** The strip that says which colour of a heat map means which value. */
import { type SVGTemplateResult, svg } from "lit";
import { type Box, label } from "./drawing.ts";
import { fullOpacity, strength } from "./heat-map.ts";
import { roughWidth } from "./names.ts";
import type { Theme } from "./theme.ts";

export interface HeatKeyOptions {
  box: Box;
  reach: number;
  theme: Theme;
  /** Values named below the strip, as text. */
  ticks: readonly { at: number; label: string }[];
}

const steps = 40;

/** From -reach to reach. */
export function heatKey({ box, reach, theme, ticks }: HeatKeyOptions): SVGTemplateResult {
  const x = (value: number) => box.left + ((value / reach + 1) / 2) * (box.right - box.left);
  const width = (box.right - box.left) / steps;
  // The outermost labels stay about where the strip is, however many digits they have.
  const place = ({ at, label: text }: HeatKeyOptions["ticks"][number]) => {
    const half = roughWidth(text) / 2 - 16;
    return Math.min(box.right - half, Math.max(box.left + half, x(at)));
  };
  const shades = Array.from({ length: steps }, (_, i) => {
    const value = reach * ((2 * (i + 0.5)) / steps - 1);
    return svg`<rect x=${box.left + i * width} y=${box.top} width=${width} height=${box.bottom - box.top} shape-rendering="crispEdges"
      fill=${value < 0 ? theme.fall : theme.rise} fill-opacity=${(fullOpacity * strength(value, reach)).toFixed(3)}></rect>`;
  });
  return svg`<g>${shades}
    <rect x=${box.left} y=${box.top} width=${box.right - box.left} height=${box.bottom - box.top} fill="none" stroke=${theme.muted} stroke-opacity="0.6"></rect>
    ${ticks.map(
      (
        tick,
      ) => svg`<line x1=${x(tick.at)} x2=${x(tick.at)} y1=${box.bottom} y2=${box.bottom + 4} stroke=${theme.muted}></line>
      ${label(tick.label, { x: place(tick), y: box.bottom + 16, fill: theme.muted, anchor: "middle", size: 11 })}`,
    )}
  </g>`;
}
