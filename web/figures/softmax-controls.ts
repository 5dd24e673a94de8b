/** The controls of a row of scores: where it comes from, and how widely it is spread. */
import { css, html, nothing, type TemplateResult } from "lit";
import { exact } from "../charts/numbers.ts";
import { row as fields } from "../state/figures/softmax.ts";
import { serialiseValue } from "../state/schema.ts";
import { dk, logSlider, rootDk, segments } from "./controls.ts";
import type { RowState } from "./softmax-row.ts";
import { dimensionLimits, dimensionStops } from "./stops.ts";

export interface RowControls {
  state: RowState;
  change(patch: Partial<RowState>): void;
  /** For what was typed: it is checked, and what cannot be read leaves a note. */
  choose(values: Readonly<Record<string, unknown>>): void;
}

export const presets = { small: [1, 2, 3], wide: [1, 5, 10] } as const;

const keyStops = Array.from({ length: fields.keys.max - 1 }, (_, i) => i + 2);
/** Twenty to the decade, two digits each. */
const spreadStops = Array.from({ length: 61 }, (_, i) => Number((10 ** (i / 20 - 2)).toPrecision(2)));

function presetOf({ random, scores }: RowState): keyof typeof presets | "random" | "own" {
  if (random) return "random";
  const names = Object.keys(presets) as (keyof typeof presets)[];
  return names.find((name) => serialiseValue(presets[name]) === serialiseValue(scores)) ?? "own";
}

export function rowControls({ state, change, choose }: RowControls): TemplateResult {
  return html`
    ${segments({
      id: "preset",
      name: "start from",
      value: presetOf(state) as keyof typeof presets | "random",
      options: [
        { value: "small", label: "1, 2, 3" },
        { value: "wide", label: "1, 5, 10" },
        { value: "random", label: html`random at ${dk}` },
      ],
      onChange: (name) =>
        change(name === "random" ? { random: true } : { random: false, scores: presets[name], spread: 1 }),
    })}
    ${state.random ? randomControls(state, change) : typedScores(state, choose)}
    ${spreadControl(state, change)}
  `;
}

/** Who asks for a seed wants the random row, who gives scores wants these, unless it is said. */
export function withRandom<P extends object>(patch: P): P {
  if ("random" in patch) return patch;
  if ("seed" in patch) return { ...patch, random: true };
  return "scores" in patch ? { ...patch, random: false } : patch;
}

function typedScores({ scores }: RowState, choose: RowControls["choose"]): TemplateResult {
  const typed = (event: Event) => choose({ scores: (event.target as HTMLInputElement).value, random: false });
  const more = () => choose({ scores: [...scores, 0] });
  const fewer = () => choose({ scores: scores.slice(0, -1) });
  const [fewest, most] = fields.scores.length;
  return html`<div class="control grow">
    <label for="scores">scores, with commas</label>
    <div class="row together">
      <input type="text" id="scores" inputmode="text" autocomplete="off" spellcheck="false" .value=${scores.join(", ")} @change=${typed}>
      <button type="button" aria-label="One key fewer" ?disabled=${scores.length <= fewest} @click=${fewer}>\u2212</button>
      <button type="button" aria-label="One key more" ?disabled=${scores.length >= most} @click=${more}>+</button>
    </div>
  </div>`;
}

function randomControls({ dimension, keys }: RowState, change: RowControls["change"]): TemplateResult {
  return html`
    ${logSlider({ id: "dimension", name: html`${dk}, components of a query`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => change({ dimension: value }) })}
    ${logSlider({ id: "keys", name: html`<i>n</i>, keys`, stops: keyStops, value: keys, limits: fields.keys, onChange: (value) => change({ keys: value }) })}
  `;
}

function spreadControl(
  { spread, random, dimension }: RowState,
  change: RowControls["change"],
): TemplateResult {
  const root = 1 / Math.sqrt(dimension);
  return html`
    ${logSlider({ id: "spread", name: "spread: every score, times", stops: spreadStops, value: spread, limits: fields.spread, decimals: fields.spread.decimals, onChange: (value) => change({ spread: value }) })}
    ${
      random
        ? html`<div class="control"><span class="name">attention\u2019s scale</span>
          <button type="button" @click=${() => change({ spread: root })}>1/${rootDk} = ${exact(root, 3)}</button></div>`
        : nothing
    }`;
}

export const rowStyle = css`
  .control.grow { flex: 1 1 14rem; }
  .row.together { flex-wrap: nowrap; gap: 0.4rem; }
  input[type="text"] {
    flex: 1; min-width: 6rem; width: 100%; font: inherit; font-variant-numeric: tabular-nums; color: inherit;
    background: var(--sqrtdk-paper); border: 1px solid var(--sqrtdk-muted); border-radius: 8px;
    min-height: 2.125rem; padding: 0.2rem 0.6rem;
  }
  button:disabled { opacity: 0.45; cursor: default; }
  .plot svg .grab { cursor: ns-resize; }
  .words .hint { margin: 0.8rem 0 0; font-size: 0.8125rem; color: var(--sqrtdk-muted); }
  .readings { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.6rem 1.25rem; margin: 0.9rem 0 0; line-height: 1.4; }
  .readings div { border-inline-start: 2px solid var(--sqrtdk-grid); padding-inline-start: 0.7rem; }
  .readings dt { font-size: 0.8125rem; color: var(--sqrtdk-muted); line-height: 1.35; }
  .readings dd { margin: 0; font-weight: 650; }
  .readings sup { line-height: 0; font-size: 0.75em; }
  .readings dd small { font-weight: 400; font-size: 0.8125rem; color: var(--sqrtdk-muted); }
  .weight { color: var(--sqrtdk-weight); font-weight: 600; white-space: nowrap; }
  .rise { color: var(--sqrtdk-rise); font-weight: 600; white-space: nowrap; }
  .fall { color: var(--sqrtdk-fall); font-weight: 600; white-space: nowrap; }
  @media (pointer: coarse) { input[type="text"] { min-height: 44px; } }
`;

export interface Reading {
  name: string | TemplateResult;
  value: string | TemplateResult;
  /** What the value is to be measured by. */
  of?: string | TemplateResult;
}

export function readings(all: readonly Reading[]): TemplateResult {
  return html`<dl class="readings">${all.map(({ name, value, of }) => html`<div><dt>${name}</dt><dd>${value}${of ? html` <small>${of}</small>` : nothing}</dd></div>`)}</dl>`;
}
