/**
 * The classroom: pupils as tall as their scores, under lamps as bright as their weights, with rings as thick as what
 * they can learn. Heights are linear in the score, on one scale for every d_k.
 */
import { nothing, type SVGTemplateResult, svg } from "lit";
import { label } from "../charts/drawing.ts";
import { fixed } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import { headCentre, headRadius, pupil, shortest, teacher } from "./classroom-people.ts";
import type { SoftmaxRow } from "./softmax-row.ts";

export interface SceneOptions {
  row: SoftmaxRow;
  /** The widest spread the figure can show: the scale of heights holds it. */
  widestSpread: number;
  theme: Theme;
  left: number;
  width: number;
  top: number;
}

export interface Scene {
  drawing: SVGTemplateResult;
  height: number;
}

/** Weights and slopes under this are nothing to be seen: hollow lamp, hollow ring. */
const nothingMuch = 1e-3;
/** p (1 - p) is never more. */
const steepest = 0.25;
const thickestRing = 9;

export function scene({ row, widestSpread, theme, left, width, top }: SceneOptions): Scene {
  const count = row.scores.length;
  const wide = width >= 560;
  const height = wide ? 370 : 310;
  const teacherWidth = Math.min(78, Math.max(34, width * 0.085));
  const aside = Math.max(74, teacherWidth * 1.75);
  const floor = top + height;
  const rail = top + 8;
  const lamp = rail + 26;
  const slot = (width - aside) / count;
  const doll = Math.min(slot * 0.68, 54);
  const at = (i: number) => left + aside + (i + 0.5) * slot;
  const heights = heightsOf(row, widestSpread, shortest(doll), floor - lamp - 34);
  const tallest = row.largest.key;

  return { drawing: draw(), height: height + 88 };

  function draw(): SVGTemplateResult {
    const teacherAt = {
      x: left + aside * 0.4,
      floor: floor - 16,
      height: height * 0.5,
      width: teacherWidth,
      theme,
    };
    const goal = { x: at(tallest), y: floor - (heights[tallest] as number) };
    return svg`<g>
      <line x1=${left + aside * 0.4 + teacherWidth * 0.62 - 6} x2=${left + width} y1=${rail} y2=${rail} stroke=${theme.ink} stroke-width="3" stroke-linecap="round"></line>
      ${eachPupil(beam)}
      <line x1=${left} x2=${left + width} y1=${floor} y2=${floor} stroke=${theme.ink} stroke-opacity=".7"></line>
      <rect x=${left + 2} y=${floor - 16} width=${aside * 0.8} height="16" fill=${theme.panel} stroke=${theme.ink} stroke-opacity=".7"></rect>
      ${teacher({ ...teacherAt, target: goal, cord: { x: left + aside * 0.4 + teacherWidth * 0.62, y: rail } })}
      ${eachPupil(person)}
      ${legend()}
    </g>`;
  }

  function eachPupil(one: (i: number) => SVGTemplateResult) {
    return Array.from({ length: count }, (_, i) => one(i));
  }

  /** As bright as the weight; by its root, so that a tenth of the light is still seen. */
  function brightness(i: number): number {
    return Math.sqrt(row.weights[i] as number);
  }

  function beam(i: number): SVGTemplateResult {
    const x = at(i);
    const light = brightness(i);
    const mouth = Math.min(9, slot * 0.2);
    const foot = Math.min(slot * 0.48, doll * 0.95);
    const lit = (row.weights[i] as number) >= nothingMuch;
    return svg`<g>
      <line x1=${x} x2=${x} y1=${rail} y2=${lamp - 10} stroke=${theme.ink} stroke-width="1.2"></line>
      ${
        lit
          ? svg`<path d="M${x - mouth} ${lamp}L${x - foot} ${floor}L${x + foot} ${floor}L${x + mouth} ${lamp}Z" fill=${theme.glow} fill-opacity=${(0.62 * light).toFixed(3)}></path>
            <ellipse cx=${x} cy=${floor} rx=${foot} ry="5" fill=${theme.glow} fill-opacity=${(0.8 * light).toFixed(3)}></ellipse>`
          : nothing
      }
      <path d="M${x - mouth} ${lamp}Q${x - mouth} ${lamp - 11} ${x} ${lamp - 11}Q${x + mouth} ${lamp - 11} ${x + mouth} ${lamp}Z" fill=${lit ? theme.glow : theme.paper} fill-opacity=${lit ? (0.3 + 0.7 * light).toFixed(3) : 1} stroke=${theme.ink} stroke-width="1.3"></path>
    </g>`;
  }

  function person(i: number): SVGTemplateResult {
    const who = { x: at(i), floor, height: heights[i] as number, width: doll, theme };
    const slope = row.slopes[i] as number;
    const share = Math.min(1, slope / steepest);
    return svg`<g>
      ${pupil({ ...who, light: brightness(i), awake: Math.sqrt(share), look: i })}
      ${ring(who.x, headCentre(who), slope)}
    </g>`;
  }

  function ring(x: number, y: number, slope: number): SVGTemplateResult {
    const thick = (thickestRing * slope) / steepest;
    const radius = headRadius(doll) + 4 + thick / 2;
    return slope < nothingMuch
      ? svg`<circle cx=${x} cy=${y} r=${radius} fill="none" stroke=${theme.muted} stroke-width="1" stroke-dasharray="2 3"></circle>`
      : svg`<circle cx=${x} cy=${y} r=${radius} fill="none" stroke=${theme.rise} stroke-width=${Math.max(1, thick).toFixed(2)}></circle>`;
  }

  /** The numbers of every pupil, under its feet; the narrower the place, the fewer their characters. */
  function legend(): SVGTemplateResult {
    const roomy = slot > 40;
    const tight = slot < 29;
    const lines = [
      { name: "pupil", paint: theme.muted, text: (i: number) => String(i + 1) },
      { name: "score", paint: theme.ink, text: (i: number) => score((row.scores[i] as number) * row.spread) },
      {
        name: tight ? "light, %" : "light",
        paint: theme.weight,
        text: (i: number) => percent(row.weights[i] as number),
      },
      { name: "learning", paint: theme.rise, text: (i: number) => signal(row.slopes[i] as number) },
    ];
    return svg`${lines.map(({ name, paint, text }, line) => {
      const y = floor + 22 + 18.5 * line;
      return svg`${label(name, { x: left, y, fill: paint, weight: 600, size: 12 })}
        ${eachPupil((i) => label(text(i), { x: at(i), y, fill: paint, anchor: "middle", size: roomy ? 12 : 11, weight: i === tallest ? 700 : 400 }))}`;
    })}`;

    function score(value: number): string {
      return fixed(value, Math.abs(value) < 9.95 && !tight ? 1 : 0);
    }

    function percent(weight: number): string {
      const text = fixed(100 * weight, weight < 0.0995 && roomy ? 1 : 0);
      return tight ? text : `${text}\u202f%`;
    }

    function signal(slope: number): string {
      const text = fixed(slope, roomy ? 3 : 2);
      return tight ? text.replace(/^0/, "") : text;
    }
  }
}

/** Heights in pixels: linear in the score, with the shortest and the tallest at the widest spread within the room. */
export function heightsOf(
  { scores, spread }: Pick<SoftmaxRow, "scores" | "spread">,
  widestSpread: number,
  least: number,
  most: number,
): number[] {
  const lowest = Math.min(0, ...scores) * widestSpread;
  const highest = Math.max(0, ...scores) * widestSpread;
  const unit = (most - least) / (highest - lowest || 1);
  return Array.from(scores, (score) => least + unit * (score * spread - lowest));
}
