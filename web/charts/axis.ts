/** Axes: hairline grid, ticks and a title, for any scale. */
import { type SVGTemplateResult, svg } from "lit";
import type { Box } from "./drawing.ts";
import { label } from "./drawing.ts";
import type { Theme } from "./theme.ts";

export interface Tick {
  at: number;
  label: string;
}

export type Position = (value: number) => number;

export interface AxisOptions {
  scale: Position;
  box: Box;
  ticks: readonly Tick[];
  theme: Theme;
  title?: string;
}

// Half pixels keep hairlines one pixel wide.
const crisp = (value: number) => Math.round(value) + 0.5;

export function bottomAxis({ scale, box, ticks, theme, title }: AxisOptions): SVGTemplateResult {
  const marks = ticks.map((tick) => {
    const x = crisp(scale(tick.at));
    return svg`<line x1=${x} x2=${x} y1=${box.top} y2=${box.bottom + 4} stroke=${theme.grid}></line>
      ${label(tick.label, { x, y: box.bottom + 18, fill: theme.muted, anchor: "middle", size: 11.5 })}`;
  });
  const name = title
    ? label(title, { x: box.right, y: box.bottom + 36, fill: theme.ink, anchor: "end" })
    : "";
  return svg`<g>${marks}<line x1=${box.left} x2=${box.right} y1=${crisp(box.bottom)} y2=${crisp(box.bottom)}
    stroke=${theme.muted} stroke-opacity="0.6"></line>${name}</g>`;
}

export function leftAxis({ scale, box, ticks, theme }: Omit<AxisOptions, "title">): SVGTemplateResult {
  const marks = ticks.map((tick) => {
    const y = crisp(scale(tick.at));
    return svg`<line x1=${box.left} x2=${box.right} y1=${y} y2=${y} stroke=${theme.grid}></line>
      ${label(tick.label, { x: box.left - 8, y: y + 4, fill: theme.muted, anchor: "end", size: 11.5 })}`;
  });
  return svg`<g>${marks}</g>`;
}

/** Every `step`-th power of two in [low, high], labelled with the number itself. */
export function powerOfTwoTicks(low: number, high: number, step: number): Tick[] {
  const ticks: Tick[] = [];
  for (let exponent = Math.ceil(Math.log2(low)); 2 ** exponent <= high; exponent += step) {
    ticks.push({ at: 2 ** exponent, label: String(2 ** exponent) });
  }
  return ticks;
}
