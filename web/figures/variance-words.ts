/** How the variance figure words what was measured, and which assumption is broken. */
import { html, nothing, type TemplateResult } from "lit";
import { exact, fixed, measured } from "../charts/numbers.ts";
import { dk } from "./controls.ts";
import { assumptionsHold, hasBand, type Law, lawText, varianceFormula } from "./variance-law.ts";
import { deviation } from "./variance-model.ts";

/** The chosen hill in numbers. */
export interface MeasuredHill {
  dimension: number;
  variance: number;
  /** Null where the law has none. */
  standardError: number | null;
  exactMean: number;
  exactVariance: number;
  samples: number;
}

interface Texts {
  variance: string;
  deviation: string;
  divided: string;
}

/** What has no band is said with two digits, and no more. */
export function banded(value: number, half: number): string {
  return Number.isNaN(half) ? exact(Number(value.toPrecision(2)), 2) : measured(value, half).text;
}

/** Measured numbers with as many digits as their bands support. */
export function measuredTexts({ dimension, variance, standardError }: MeasuredHill): Texts {
  const { sd, half } = deviation(variance, standardError);
  const root = Math.sqrt(dimension);
  const band = standardError === null ? Number.NaN : 1.96 * standardError;
  return {
    variance: banded(variance, band),
    deviation: banded(sd, half),
    divided: banded(sd / root, half / root),
  };
}

/** A band is not shown where there is none; why is said. */
export function bandText({ variance, standardError }: MeasuredHill): string {
  if (standardError === null) return "no 95\u202f% band: \u03bd \u2264 4";
  return `95\u202f% band of the variance \u00b1\u202f${exact((196 * standardError) / variance, 2)}\u202f%`;
}

export function varianceWords(now: MeasuredHill, law: Law): TemplateResult {
  const { dimension } = now;
  const texts = measuredTexts(now);
  const root = html`\u221a${dimension} = ${exact(Math.sqrt(dimension), 4)}`;
  const spread = html`their standard deviation is <span class="raw">${texts.deviation}</span>. Divided by ${root} it is
    <span class="scaled">${texts.divided}</span>`;
  const heavy = hasBand(law)
    ? nothing
    : html`<p class="aside">With \u03bd \u2264 4 the components have no fourth moment: a measured variance has no standard error, and
        settles by jumps. So there is no band, and only two digits.</p>`;
  if (assumptionsHold(law)) {
    return html`<p>With <b>${dk} = ${dimension}</b> the dot products have variance ${texts.variance}
      (exactly ${dimension}), so ${spread}, as for every other ${dk}.</p>${heavy}`;
  }
  const { correlation, mean } = law;
  const broken = [
    correlation === 0 ? "" : `correlated by ${correlation}`,
    mean === 0 ? "" : `of mean ${String(mean).replace("-", "\u2212")}`,
  ].filter(Boolean);
  const formula = varianceFormula(law, dimension);
  return html`<p>With <b>${dk} = ${dimension}</b> and components ${broken.join(" and ")}, the dot products have variance
      ${texts.variance}, exactly ${formula} = ${exact(now.exactVariance, 4)}: ${spread}${consequence(law, dimension)}</p>
    ${mean === 0 ? nothing : shiftWords(now, law)}${heavy}`;
}

function consequence({ correlation, mean }: Law, dimension: number): TemplateResult {
  if (correlation === 0) return html` for every ${dk}, instead of 1.`;
  if (dimension === 1) return html`: a single component has nothing to be correlated with.`;
  // A mean adds a square of its own.
  const square = mean === 0 ? `${correlation}\u00b2 ` : "";
  return html`, and that grows with ${dk}: the variance comes to grow like ${square}${dk}\u00b2, and dividing by
    \u221a${dk} is not enough.`;
}

/** What all scores of a query share is not seen by softmax. */
function shiftWords(now: MeasuredHill, { mean, correlation }: Law): TemplateResult {
  const { dimension, exactMean, exactVariance } = now;
  // Given a query, the keys' mean shifts all of its scores alike: of the variance that part is lost.
  const shared = dimension * mean ** 2 * (1 + (dimension - 1) * correlation);
  return html`<p class="aside">They gather around ${dk} \u03bc\u00b2 = ${fixed(exactMean, exactMean < 100 ? 2 : 0)} instead of 0. Softmax sees
    only how the scores of one query differ, and the mean of the keys moves all of those alike: of the variance it sees
    ${exact(exactVariance - shared, 4)}.</p>`;
}

export function varianceSummary(now: MeasuredHill, law: Law): string {
  const texts = measuredTexts(now);
  const theory = assumptionsHold(law)
    ? ""
    : `variance ${texts.variance}, exactly ${exact(now.exactVariance, 4)} instead of ${now.dimension}; `;
  const band = hasBand(law) ? "" : " No band: components have no fourth moment.";
  return `d k = ${now.dimension}, ${lawText(law)} components: ${theory}standard deviation ${texts.deviation}; divided by the root of d k: ${texts.divided}.${band}`;
}
