/** The controls figures are built from: templates only, every one with a visible name. */
import { html, type SVGTemplateResult, svg, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { nearestStop } from "./stops.ts";

type Text = string | TemplateResult;

export interface LogSliderOptions {
  id: string;
  name: Text;
  stops: readonly number[];
  value: number;
  limits: { min: number; max: number };
  /** Of typed values; whole numbers where it is left out. */
  decimals?: number;
  onChange: (value: number) => void;
}

/**
 * A slider over `stops` for the hand, and a number field for exact values; both show the same value. The field is not
 * bound live: the figure draws many times a second while it samples, and would wipe out what is being typed.
 */
export function logSlider(options: LogSliderOptions): TemplateResult {
  const { id, name, stops, value, limits, decimals = 0, onChange } = options;
  const { min, max } = limits;
  const typed = (event: Event) => {
    const field = event.target as HTMLInputElement;
    const wanted = Number(field.valueAsNumber.toFixed(decimals));
    const accepted = Number.isFinite(wanted) ? Math.min(max, Math.max(min, wanted)) : value;
    field.value = String(accepted);
    onChange(accepted);
  };
  const slid = (event: Event) => onChange(stops[(event.target as HTMLInputElement).valueAsNumber] as number);
  return html`<div class="control wide">
    <label for=${id}>${name}</label>
    <div class="row">
      <input type="range" id=${id} min="0" max=${stops.length - 1} step="1" .value=${live(String(nearestStop(stops, value)))}
        aria-valuetext=${String(value)} @input=${slid}>
      <input type="number" min=${min} max=${max} step=${decimals > 0 ? "any" : "1"} aria-labelledby="${id}-exact" inputmode=${decimals > 0 ? "decimal" : "numeric"}
        .value=${String(value)} @change=${typed}>
      <span class="hidden" id="${id}-exact">${name}, exact value</span>
    </div>
  </div>`;
}

export interface Option<V extends string> {
  value: V;
  label: Text;
}

export interface ChoiceOptions<V extends string> {
  id: string;
  name: Text;
  value: V;
  options: readonly Option<V>[];
  onChange: (value: V) => void;
}

export function dropDown<V extends string>({
  id,
  name,
  value,
  options,
  onChange,
}: ChoiceOptions<V>): TemplateResult {
  return html`<div class="control">
    <label for=${id}>${name}</label>
    <select id=${id} .value=${live(value)} @change=${(event: Event) => onChange((event.target as HTMLSelectElement).value as V)}>
      ${options.map((option) => html`<option value=${option.value} ?selected=${option.value === value}>${option.label}</option>`)}
    </select>
  </div>`;
}

/** Two or three exclusive choices side by side. */
export function segments<V extends string>({
  id,
  name,
  value,
  options,
  onChange,
}: ChoiceOptions<V>): TemplateResult {
  return html`<fieldset class="control">
    <legend>${name}</legend>
    <div class="segments">
      ${options.map(
        (
          option,
        ) => html`<label><input type="radio" name=${id} value=${option.value} .checked=${live(option.value === value)}
          @change=${() => onChange(option.value)}><span>${option.label}</span></label>`,
      )}
    </div>
  </fieldset>`;
}

export interface ChipsOptions<V extends string> {
  name: Text;
  options: readonly (Option<V> & { on: boolean })[];
  onToggle: (value: V, on: boolean) => void;
}

/** Things that can each be shown or hidden. */
export function chips<V extends string>({ name, options, onToggle }: ChipsOptions<V>): TemplateResult {
  return html`<fieldset class="control">
    <legend>${name}</legend>
    <div class="chips">
      ${options.map(
        (option) => html`<label class="chip"><input type="checkbox" .checked=${live(option.on)}
          @change=${(event: Event) => onToggle(option.value, (event.target as HTMLInputElement).checked)}><span class="tick"></span><span>${option.label}</span></label>`,
      )}
    </div>
  </fieldset>`;
}

export interface KeyEntry {
  kind:
    | "raw"
    | "scaled"
    | "theory"
    | "limit"
    | "band"
    | "hollow"
    | "score"
    | "weight"
    | "rise"
    | "fall"
    | "empty"
    | "plus"
    | "hand";
  text: Text;
}

const swatches: Record<KeyEntry["kind"], SVGTemplateResult> = {
  raw: svg`<path d="M0 6H28" stroke="var(--sqrtdk-raw)" stroke-width="2.5" stroke-dasharray="6 4"/>`,
  scaled: svg`<path d="M0 6H28" stroke="var(--sqrtdk-scaled)" stroke-width="2.5"/>`,
  theory: svg`<path d="M0 6H28" stroke="var(--sqrtdk-theory)" stroke-width="1.3"/>`,
  limit: svg`<path d="M0 6H28" stroke="var(--sqrtdk-limit)" stroke-width="1.6" stroke-dasharray="1.5 3.5" stroke-linecap="round"/>`,
  band: svg`<path d="M0 6H28" stroke="var(--sqrtdk-muted)" stroke-opacity="0.35" stroke-width="10"/>`,
  hollow: svg`<path d="M0 6H28" stroke="var(--sqrtdk-muted)" stroke-width="1.5"/><circle cx="14" cy="6" r="3.5" fill="var(--sqrtdk-paper)" stroke="var(--sqrtdk-muted)" stroke-width="1.6"/>`,
  score: svg`<rect x="7" y="0.7" width="14" height="10.6" fill="var(--sqrtdk-muted)" fill-opacity="0.32" stroke="var(--sqrtdk-muted)" stroke-width="1.3"/>`,
  weight: svg`<rect x="7" y="0.7" width="14" height="10.6" fill="var(--sqrtdk-glow)" stroke="var(--sqrtdk-weight)" stroke-width="1.3"/>`,
  plus: svg`<rect x="7" y="0" width="14" height="12" fill="var(--sqrtdk-rise)" fill-opacity="0.56"/>`,
  empty: svg`<circle cx="14" cy="6" r="5" fill="none" stroke="var(--sqrtdk-muted)" stroke-dasharray="2 2"/>`,
  hand: svg`<rect x="7" y="0.7" width="14" height="10.6" fill="none" stroke="var(--sqrtdk-muted)"/><path d="M7 0h9l-9 9Z" fill="var(--sqrtdk-ink)"/>`,
  rise: svg`<path d="M2 6H26" stroke="var(--sqrtdk-rise)" stroke-width="5" stroke-linecap="round"/>`,
  fall: svg`<rect x="7" y="0" width="14" height="12" fill="var(--sqrtdk-fall)" fill-opacity="0.56"/><path d="M11 6H17" stroke="var(--sqrtdk-ink)" stroke-width="1.3"/>`,
};

/** The key to the marks, in the page's one language. */
export function key(entries: readonly KeyEntry[]): TemplateResult {
  return html`<ul class="key">
    ${entries.map(({ kind, text }) => html`<li><svg width="28" height="12" viewBox="0 0 28 12" aria-hidden="true">${swatches[kind]}</svg><span>${text}</span></li>`)}
  </ul>`;
}

export const dk: TemplateResult = html`<i>d</i><sub>k</sub>`;
export const rootDk: TemplateResult = html`\u221a<i>d</i><sub>k</sub>`;

/** A sentence with its d_k set as in the text. */
export function withIndices(sentence: string): TemplateResult {
  return html`${sentence.split("d_k").map((part, i) => (i === 0 ? part : html`${dk}${part}`))}`;
}
