/** How the gradient figure words what was measured, and no more than that. */
import { html, type TemplateResult } from "lit";
import { count, exact, measured, rough, share } from "../charts/numbers.ts";
import type { AttentionRow, Estimate, GradientRow } from "../core/types.ts";
import { dk, rootDk } from "./controls.ts";
import type { Pair, SingleRow } from "./gradient-model.ts";

/** A standard error from fewer rows says too little to be shown as a band. */
export const fewestForBand = 30;

const half = (standardError: number, trials: number) =>
  trials < fewestForBand ? Number.NaN : 1.96 * standardError;

export const halfBand = (estimate: Estimate, trials: number) => half(estimate.standardError, trials);
export const medianHalfBand = (estimate: Estimate, trials: number) =>
  half(estimate.medianStandardError, trials);
export const rmsHalfBand = (estimate: Estimate, trials: number) => half(estimate.rmsStandardError, trials);

const text = (value: number, halfWidth: number) =>
  Number.isNaN(halfWidth) ? rough(value) : measured(value, halfWidth).text;

export const meanText = (estimate: Estimate, trials: number) =>
  text(estimate.mean, halfBand(estimate, trials));
export const rmsText = (estimate: Estimate, trials: number) =>
  text(estimate.rms, rmsHalfBand(estimate, trials));

/** Far below the mean only the median's order of magnitude is said. */
export function medianText(estimate: Estimate, trials: number): string {
  const { mean, median } = estimate;
  return median < mean / 1000
    ? "less than a thousandth of that"
    : text(median, medianHalfBand(estimate, trials));
}

/** How many of the rows drawn were dead. */
export function deadCount({ deadRows, trials }: GradientRow): number {
  return Math.round(deadRows.mean * trials);
}

export function deadText(row: GradientRow): string {
  return share(deadCount(row), row.trials);
}

/** In how many of the rows the largest weight prints as 1. */
export const onesText = ({ printsOne, trials }: GradientRow) =>
  share(Math.round(printsOne.mean * trials), trials);

/** What share of all weights drawn is exactly 0. Those of one row are not independent: the band is that of rows. */
export function zerosText({ exactZeros, trials }: GradientRow, keys: number): string {
  if (exactZeros.mean === 0) return `none of ${count(trials * keys)}`;
  const band = halfBand(exactZeros, trials);
  // A band as wide as the value says no more than where it ends.
  if (band >= exactZeros.mean) return `less than ${exact(100 * (exactZeros.mean + band), 1)}\u202f%`;
  const shown = measured(100 * exactZeros.mean, 100 * band);
  return Number.isNaN(band) ? `${rough(100 * exactZeros.mean)}\u202f%` : `${shown.text}\u202f%`;
}

/** What the two arms' gradient norms say about each other and about how the unscaled one is spread over rows. */
export function spreadText(raw: GradientRow, scaled: GradientRow): string {
  if (raw.trials < fewestForBand) return "";
  const { mean, median } = raw.gradQueryNorm;
  const low = mean - halfBand(raw.gradQueryNorm, raw.trials);
  const high = scaled.gradQueryNorm.mean + halfBand(scaled.gradQueryNorm, scaled.trials);
  const compared = low > high ? "On average the unscaled gradient is the longer one. " : "";
  const rows = `half of the ${count(raw.trials)} unscaled rows got less than`;
  if (median >= 0.8 * mean) return `${compared}Its mean and its median lie close together.`;
  if (median >= 0.1 * mean) {
    const tenths = 10 * (Math.floor((10 * median) / mean) + 1);
    return `${compared}It is spread unevenly: ${rows} ${tenths}\u202f% of that mean.`;
  }
  const part = [
    [1e-3, "a thousandth"],
    [1e-2, "a hundredth"],
    [0.1, "a tenth"],
  ].find(([bound]) => median < mean * (bound as number));
  return `${compared}But ${rows} ${part?.[1]} of that mean; the other half makes it up.`;
}

/** "Most rows get nothing, a few get huge gradients": said where the rows drawn bear it out. */
export function inequalityText(raw: GradientRow): string {
  const { mean, median, quantiles } = raw.gradQueryNorm;
  const top = quantiles.find(({ probability }) => probability === 0.99);
  if (!top || Number.isNaN(top.low) || median >= mean / 100 || top.low < 3 * mean) return "";
  return `Most rows get next to nothing, a few get huge gradients: one in a hundred gets more than ${exact(top.value, 2)}, over ${exact(Math.floor(top.low / mean), 1)} times the mean.`;
}

/** The three views' words. */
export function weightsWords({ dimension, raw, scaled }: Pair, keys: number): TemplateResult {
  const largest = (row: GradientRow) => meanText(row.maxProbability, row.trials);
  return html`<p>With <b>${keys} keys</b> and <b>${dk} = ${dimension}</b>, unscaled: the largest weight averages
      <span class="raw">${largest(raw)}</span>; dead rows: <span class="raw">${deadText(raw)}</span>.
      Divided by ${rootDk}: <span class="scaled">${largest(scaled)}</span>; dead rows:
      <span class="scaled">${deadText(scaled)}</span>.</p>
      ${lengthsAside({ dimension, raw, scaled })}`;
}

/** The mean gradient does not vanish: the page must say so where the reader looks. */
function lengthsAside({ raw, scaled }: Pair): TemplateResult {
  const mean = ({ gradQueryNorm, trials }: GradientRow) => meanText(gradQueryNorm, trials);
  const median = ({ gradQueryNorm, trials }: GradientRow) => medianText(gradQueryNorm, trials);
  return html`<p class="aside">The length of the gradient that reaches the query: unscaled
      <span class="raw">${mean(raw)}</span> on average, median <span class="raw">${median(raw)}</span>;
      divided <span class="scaled">${mean(scaled)}</span>, median
      <span class="scaled">${median(scaled)}</span>. ${spreadText(raw, scaled)}</p>`;
}

export function gradientWords({ dimension, raw, scaled }: Pair, keys: number): TemplateResult {
  const lengths = (row: GradientRow) => {
    const { gradQueryNorm: norm, trials } = row;
    return html`mean ${meanText(norm, trials)}, median ${medianText(norm, trials)}, root mean square ${rmsText(norm, trials)}`;
  };
  const vanishes = raw.trials >= fewestForBand && raw.gradQueryNorm.median < raw.gradQueryNorm.mean / 10;
  return html`<p>With <b>${keys} keys</b> and <b>${dk} = ${dimension}</b>, the length of the gradient that reaches the query:
      unscaled <span class="raw long">${lengths(raw)}</span>; divided by ${rootDk} <span class="scaled long">${lengths(scaled)}</span>.
      ${inequalityText(raw)}</p>
      <p class="aside">${spreadText(raw, scaled)}
      ${vanishes ? "So it is not the mean gradient that vanishes, but that of the typical row." : ""}</p>`;
}

export function rowWords({ dimension, raw, scaled }: Pair, single: SingleRow, keys: number): TemplateResult {
  return html`<p>Row ${count(single.row + 1)} with <b>${keys} keys</b> and <b>${dk} = ${dimension}</b>, unscaled: largest weight
      <span class="raw">${weightText(single.raw)}</span>, ${zeros(single.raw, keys)}. Divided by ${rootDk}: largest weight
      <span class="scaled">${weightText(single.scaled)}</span>, ${zeros(single.scaled, keys)}.</p>
      <p class="aside">Over all rows drawn, unscaled: rows whose largest weight prints 1 in float32:
      <span class="raw">${onesText(raw)}</span>; weights that are exactly 0 there:
      <span class="raw">${zerosText(raw, keys)}</span>. Divided: <span class="scaled">${onesText(scaled)}</span> and
      <span class="scaled">${zerosText(scaled, keys)}</span>.</p>`;
}

/** The largest weight as float32 has it: one that prints 1 does so there. */
export function weightText({ maxProbability, printsOne }: AttentionRow): string {
  if (printsOne === 1) return "1 in float32";
  const rest = 1 - maxProbability;
  return rest < 0.001 ? `1 \u2212 ${exact(rest, 2)}` : exact(maxProbability, 3);
}

function zeros({ exactZeros }: AttentionRow, keys: number): string {
  const hits = Math.round(exactZeros * keys);
  return `${hits === 0 ? "no weight" : count(hits)} exactly 0`;
}
