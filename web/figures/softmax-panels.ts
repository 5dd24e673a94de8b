/** Scores, the weights softmax makes of them, and the one sigmoid on which every key stands: three panels. */
import { type ScaleLinear, scaleLinear } from "d3-scale";
import { nothing, type SVGTemplateResult, svg } from "lit";
import { bottomAxis, leftAxis, type Position, type Tick } from "../charts/axis.ts";
import { bars, slots } from "../charts/bars.ts";
import { type Box, label } from "../charts/drawing.ts";
import { lineWithBand, spot } from "../charts/line.ts";
import { exact, fixed } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import { type Point, sigmoidReach } from "./softmax-model.ts";
import { dead, lead, type SoftmaxRow } from "./softmax-row.ts";
import { plain, scoreLabel, slopeText } from "./softmax-words.ts";

export interface SoftmaxPanelsOptions {
  row: SoftmaxRow | null;
  /** The weight of one of two keys against the difference of their scores. */
  sigmoid: readonly Point[];
  /** The key one looks at, from 0. */
  key: number;
  /** What the axis of scores reaches from and to. */
  domain: readonly [low: number, high: number];
  /** Whether there are places for a finger to take hold of. */
  grabs: boolean;
  theme: Theme;
  left: number;
  width: number;
  top: number;
}

export interface SoftmaxPanels {
  drawing: SVGTemplateResult;
  height: number;
  /** The scale of the scores. */
  y: ScaleLinear<number, number>;
  /** The key under a point of the bars, or null. */
  keyAt(x: number, y: number): number | null;
}

const reaches = [4, 6, 8, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000];

/** A range that holds the scores with room to drag them on, and changes in few steps only. */
export function domainOf(scores: ArrayLike<number>, spread: number): [low: number, high: number] {
  const all = Array.from(scores, (score) => score * spread);
  const reach = (value: number) =>
    reaches.find((step) => step >= 1.12 * value) ?? 1000 * Math.ceil((1.12 * value) / 1000);
  const below = -Math.min(0, ...all);
  const high = reach(Math.max(below / 4, ...all));
  return [below > 0 ? -reach(below) : -high / 4, high];
}

const narrowHeight = 180;
const wideHeight = 250;
const gap = 30;
const axisWidth = 38;
/** From the bottom of a panel to the top of the one below: ticks, axis title, panel title. */
const between = 86;

/** Beside each other where there is room for it. */
function boxes({ left, top, width }: SoftmaxPanelsOptions): [Box, Box, Box] {
  const columns = width >= 860 ? 3 : width >= 560 ? 2 : 1;
  const span = (width - gap * (columns - 1)) / columns;
  const height = columns === 1 ? narrowHeight : wideHeight;
  const box = (column: number, line: number, wide = span): Box => ({
    left: left + column * (span + gap) + axisWidth,
    right: left + column * (span + gap) + wide - 4,
    top: top + line * (height + between),
    bottom: top + line * (height + between) + height,
  });
  if (columns === 3) return [box(0, 0), box(1, 0), box(2, 0)];
  return columns === 2 ? [box(0, 0), box(1, 0), box(0, 1, width)] : [box(0, 0), box(0, 1), box(0, 2)];
}

export function panels(options: SoftmaxPanelsOptions): SoftmaxPanels {
  const { row, domain, top } = options;
  const [scoreBox, weightBox, slopeBox] = boxes(options);
  const y = scaleLinear(domain, [scoreBox.bottom, scoreBox.top]);
  const count = row?.scores.length ?? 0;
  const inside = (box: Box, at: number) => at > box.top - 24 && at < box.bottom + 26;
  return {
    drawing: svg`<g>
      ${scoresPanel(options, scoreBox, y)}
      ${weightsPanel(options, weightBox)}
      ${slopePanel(options, slopeBox)}
    </g>`,
    height: Math.max(slopeBox.bottom, weightBox.bottom) - top,
    y,
    keyAt: (atX, atY) => {
      const box = [scoreBox, weightBox].find(
        (each) => inside(each, atY) && slots(count, each).at(atX) !== null,
      );
      return box ? slots(count, box).at(atX) : null;
    },
  };
}

function title(text: string, box: Box, theme: Theme): SVGTemplateResult {
  return label(text, { x: box.left - axisWidth, y: box.top - 22, fill: theme.ink, weight: 600 });
}

export function ticksOf(scale: ScaleLinear<number, number>, count: number): Tick[] {
  return scale.ticks(count).map((at) => ({ at, label: plain(at) }));
}

function scoresPanel(
  options: SoftmaxPanelsOptions,
  box: Box,
  y: ScaleLinear<number, number>,
): SVGTemplateResult {
  const { row, theme, key, grabs, domain } = options;
  const spread = row?.spread ?? 1;
  const shown = Array.from(row?.scores ?? [], (score, i) => ({
    value: score * spread,
    name: `s_${i + 1}`,
    text: scoreLabel(score * spread),
    ...(spread !== 1 && { ghost: Math.min(Math.max(score, domain[0]), domain[1]) }),
  }));
  return svg`<g>
    ${title(spread === 1 ? "scores" : `scores, times ${exact(spread, 3)}`, box, theme)}
    ${leftAxis({ scale: y, box, ticks: ticksOf(y, 5), theme })}
    ${bars({ bars: shown, box, y, paint: theme.muted, theme, selected: key, grips: true })}
    ${grabs ? shown.map((bar, i) => grab(i, y(bar.value), box, shown.length)) : nothing}
  </g>`;
}

/** As large as a fingertip. */
const fingertip = 44;

/** Where a finger drags the bar instead of scrolling the page. */
export function grab(index: number, y: number, box: Box, count: number): SVGTemplateResult {
  const { centre, width } = slots(count, box);
  return svg`<rect class="grab" x=${centre(index) - width / 2} y=${y - fingertip / 2} width=${width} height=${fingertip} fill="transparent"></rect>`;
}

function weightsPanel({ row, theme, key }: SoftmaxPanelsOptions, box: Box): SVGTemplateResult {
  const y = scaleLinear([0, 1], [box.bottom, box.top]);
  const shown = Array.from(row?.weights ?? [], (value, i) => ({
    value,
    name: `p_${i + 1}`,
    text: fixed(value, 4),
  }));
  return svg`<g>
    ${title("weights", box, theme)}
    ${leftAxis({ scale: y, box, ticks: ticksOf(y, 4), theme })}
    ${bars({ bars: shown, box, y, paint: theme.weight, fill: theme.glow, theme, selected: key })}
  </g>`;
}

function slopePanel({ row, sigmoid, theme, key }: SoftmaxPanelsOptions, box: Box): SVGTemplateResult {
  const x = scaleLinear([-sigmoidReach, sigmoidReach], [box.left, box.right]).clamp(true);
  const y = scaleLinear([0, 1], [box.bottom, box.top]);
  const ticks = [-8, -4, 0, 4, 8].map((at) => ({ at, label: fixed(at, 0) }));
  const lead =
    row?.scores.length === 2 ? `s_${key + 1} \u2212 s_${2 - key}` : "lead over all others together";
  return svg`<g>
    ${title(row ? `weight p_${key + 1} rises by ${slopeText(row.slopes[key] as number)} a unit of s_${key + 1}` : "", box, theme)}
    ${leftAxis({ scale: y, box, ticks: ticksOf(y, 4), theme })}
    ${bottomAxis({ scale: x, box, ticks, theme, title: lead })}
    ${lineWithBand({ points: sigmoid, x, y, paint: theme.theory, theme, width: 1.4 })}
    ${row ? [tangent(row, key, x, y, theme), row.weights.length > 0 ? dots(row, key, x, y, theme) : nothing] : nothing}
  </g>`;
}

/** Half the length of the tangent, in units of the score. */
const tangentReach = 3;

/** The tangent at a key, cut where it would leave the panel. */
function tangent(row: SoftmaxRow, key: number, x: Position, y: Position, theme: Theme): SVGTemplateResult {
  const slope = row.slopes[key] as number;
  const weight = row.weights[key] as number;
  const middle = Math.min(sigmoidReach, Math.max(-sigmoidReach, lead(row, key)));
  const back = Math.min(tangentReach, sigmoidReach + middle, slope > 0 ? weight / slope : tangentReach);
  const on = Math.min(tangentReach, sigmoidReach - middle, slope > 0 ? (1 - weight) / slope : tangentReach);
  return svg`<line x1=${x(middle - back)} y1=${y(weight - slope * back)} x2=${x(middle + on)} y2=${y(weight + slope * on)}
    stroke=${theme.rise} stroke-width="5" stroke-opacity="0.8" stroke-linecap="round"></line>`;
}

/** Flat keys are hollow, as dead rows are; those too far out wait at the edge. The one looked at lies on top. */
function dots(row: SoftmaxRow, key: number, x: Position, y: Position, theme: Theme): SVGTemplateResult[] {
  const dot = (i: number) =>
    spot({
      cx: x(lead(row, i)),
      cy: y(row.weights[i] as number),
      paint: theme.weight,
      theme,
      mark: (row.slopes[i] as number) < dead ? "hollow" : "dot",
      radius: i === key ? 6.5 : 4.2,
    });
  const others = Array.from(row.weights.keys()).filter((i) => i !== key);
  return [...others, key].map(dot);
}
