/** The controls of the variance figure. What breaks an assumption lies folded until it is wanted. */
import { css, html, nothing, type TemplateResult } from "lit";
import { variance as fields } from "../state/figures/variance.ts";
import { chips, dk, dropDown, logSlider, rootDk, segments } from "./controls.ts";
import { dimensionLimits, dimensionStops, logStops } from "./stops.ts";
import {
  assumptionsHold,
  hasDensity,
  type Law,
  lawNames,
  lawOf,
  type VarianceState,
} from "./variance-law.ts";

type HillName = VarianceState["show"][number];

/** Fine where a little correlation does much, and 0 first. */
const correlationStops = [
  0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
];
const meanStops = Array.from({ length: 41 }, (_, i) => Number((i / 20).toFixed(2)));
/** From where only the variance is there to where the law is all but normal. */
const freedomStops = [2.1, 2.5, 3, 3.5, 4, 4.5, ...logStops(5, 100, 3)];

export const assumptionStyle = css`
  .controls details { flex: 1 1 100%; margin: 0; }
  .controls details > div { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin-top: 0.4rem; }
  .controls summary { font-size: 0.8125rem; width: fit-content; }
`;

export function varianceControls(
  state: VarianceState,
  change: (patch: Partial<VarianceState>) => void,
): TemplateResult {
  const { dimension, components, scale, show, limit, degreesOfFreedom } = state;
  const names: [HillName, string | TemplateResult][] = [
    ["3", "3"],
    ["100", "100"],
    ["1000", "1000"],
    ["chosen", html`${dimension}, yours`],
  ];
  const toggle = (name: HillName, on: boolean) =>
    change({
      show: names.map(([each]) => each).filter((each) => (each === name ? on : show.includes(each))),
    });
  const laws = Object.entries(lawNames) as [Law["components"], string][];
  return html`
    ${logSlider({ id: "dimension", name: html`your ${dk}`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => change({ dimension: value }) })}
    ${segments({
      id: "scale",
      name: "dot products",
      value: scale,
      options: [
        { value: "none", label: "as they are" },
        { value: "rsqrt", label: html`divided by ${rootDk}` },
      ],
      onChange: (value) => change({ scale: value }),
    })}
    ${dropDown({
      id: "components",
      name: "components are",
      value: components,
      options: laws.map(([value, label]) => ({ value, label })),
      onChange: (value) => change({ components: value }),
    })}
    ${
      components === "student-t"
        ? logSlider({
            id: "degrees-of-freedom",
            name: html`<i>\u03bd</i>, degrees of freedom`,
            stops: freedomStops,
            value: degreesOfFreedom,
            limits: fields.degreesOfFreedom,
            decimals: fields.degreesOfFreedom.decimals,
            onChange: (value) => change({ degreesOfFreedom: value }),
          })
        : nothing
    }
    ${chips({ name: html`hills, by ${dk}`, options: names.map(([value, label]) => ({ value, label, on: show.includes(value) })), onToggle: toggle })}
    ${hasDensity(lawOf(state)) ? chips({ name: "curves", options: [{ value: "limit", label: "normal limit", on: limit }], onToggle: (_, on) => change({ limit: on }) }) : nothing}
    ${assumptions(state, change)}
  `;
}

/** Beyond normal components of mean 0 no density is known, and the limit is always drawn: no switch for it there. */
function assumptions(state: VarianceState, change: (patch: Partial<VarianceState>) => void): TemplateResult {
  const { correlation, mean } = state;
  return html`<details ?open=${!assumptionsHold(state)}>
    <summary>Break an assumption: correlated components, or a mean that is not 0</summary>
    <div>
      ${logSlider({ id: "correlation", name: html`<i>\u03c1</i>, correlation of components`, stops: correlationStops, value: correlation, limits: fields.correlation, decimals: fields.correlation.decimals, onChange: (value) => change({ correlation: value }) })}
      ${logSlider({ id: "mean", name: html`<i>\u03bc</i>, mean of components`, stops: meanStops, value: mean, limits: fields.mean, decimals: fields.mean.decimals, onChange: (value) => change({ mean: value }) })}
    </div>
  </details>`;
}
