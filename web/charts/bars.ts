/** Upright bars on a common base line, one a slot, with what each stands for below and its value at its end. */
import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Position } from "./axis.ts";
import { type Box, label } from "./drawing.ts";
import { nameSize, namesWithRoom, roughWidth, widest } from "./names.ts";
import type { Theme } from "./theme.ts";

export interface Bar {
  value: number;
  /** Below the plot; "s_1" gets its index set low. */
  name?: string;
  /** At the bar's end; left out where the slots are too narrow for it. */
  text?: string;
  /** Its own colour, where not all have the same. */
  paint?: string;
  /** A second value, drawn as an empty outline behind the bar. */
  ghost?: number;
}

export interface BarsOptions {
  bars: readonly Bar[];
  box: Box;
  y: Position;
  paint: string;
  /** Fills the bars; `paint` draws their outline, and fills them too where this is left out. */
  fill?: string;
  theme: Theme;
  /** The bar a reader looks at: outlined, its name and value in bold. */
  selected?: number;
  /** A grip at every end, for bars that can be dragged. */
  grips?: boolean;
  dash?: string;
}

export interface Slots {
  width: number;
  centre(index: number): number;
  /** The slot under an x, or null outside of all. */
  at(x: number): number | null;
}

/** How `count` slots share the width of a box. */
export function slots(count: number, box: Box): Slots {
  const width = (box.right - box.left) / Math.max(1, count);
  return {
    width,
    centre: (index) => box.left + (index + 0.5) * width,
    at: (x) => {
      const index = Math.floor((x - box.left) / width);
      return x >= box.left && index < count ? index : null;
    },
  };
}

const narrowest = 3;
const broadest = 64;

export function bars(options: BarsOptions): SVGTemplateResult {
  const { bars: all, box, y, theme } = options;
  const place = slots(all.length, box);
  const width = Math.min(broadest, Math.max(narrowest, place.width * 0.62));
  const roomy = all.every((bar) => roughWidth(bar.text ?? "") < place.width - 2);
  const room = widest(all.map((bar) => bar.name ?? ""));
  const named = namesWithRoom(room, place.width, options.selected);
  const base = y(0);
  return svg`<g>
    ${all.map((bar, i) => one(bar, i, i === options.selected))}
    <line x1=${box.left} x2=${box.right} y1=${base} y2=${base} stroke=${theme.ink} stroke-opacity="0.7"></line>
  </g>`;

  function one(bar: Bar, index: number, selected: boolean): SVGTemplateResult {
    const centre = place.centre(index);
    const end = y(bar.value);
    const paint = bar.paint ?? options.paint;
    const strong = options.fill ? 0.95 : 0.6;
    return svg`<g>
      ${bar.ghost === undefined ? nothing : outline(centre, y(bar.ghost))}
      <rect x=${centre - width / 2} width=${width} y=${Math.min(base, end)} height=${Math.abs(end - base)}
        fill=${options.fill ?? paint} fill-opacity=${selected ? strong : strong - 0.3} stroke=${paint}
        stroke-width=${selected ? 2.2 : 1.3} stroke-dasharray=${options.dash ?? nothing}></rect>
      ${options.grips ? grip(centre, end, selected) : nothing}
      ${texts(bar, index, end, selected)}
    </g>`;
  }

  function outline(centre: number, end: number): SVGTemplateResult {
    return svg`<rect x=${centre - width / 2} width=${width} y=${Math.min(base, end)} height=${Math.abs(end - base)}
      fill="none" stroke=${theme.muted} stroke-width="1" stroke-dasharray="2 3"></rect>`;
  }

  function grip(x: number, end: number, selected: boolean): SVGTemplateResult {
    const half = Math.min(14, width / 2 + 2);
    return svg`<rect x=${x - half} width=${2 * half} y=${end - 4} height="8" rx="4"
      fill=${selected ? theme.ink : theme.paper} stroke=${theme.ink} stroke-width="1.5"></rect>`;
  }

  function texts(bar: Bar, index: number, end: number, selected: boolean): SVGTemplateResult {
    const x = place.centre(index);
    const below = end > base;
    const away = options.grips ? 9 : 5;
    const weight = selected ? 700 : 400;
    const fill = selected ? theme.ink : theme.muted;
    const value =
      bar.text && (roomy || selected)
        ? label(bar.text, {
            x: within(x, bar.text),
            y: below ? end + away + 9 : end - away,
            fill: theme.ink,
            anchor: "middle",
            size: nameSize,
            weight,
            halo: theme.paper,
          })
        : nothing;
    const name =
      bar.name && named(index)
        ? label(bar.name, { x, y: box.bottom + 17, fill, anchor: "middle", size: nameSize, weight })
        : nothing;
    return svg`${value}${name}`;
  }

  /** A value's text may be wider than its slot, but not leave the box. */
  function within(x: number, text: string): number {
    const half = roughWidth(text) / 2;
    return Math.min(Math.max(x, box.left + half), Math.max(box.right - half, box.left + half));
  }
}
