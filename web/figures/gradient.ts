/** <sqrtdk-gradient>: why wide dot products are a problem for softmax. Slope, largest weight and dead rows against d_k. */
import { html, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import { count, exact, measured, percent } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import type { Estimate, GradientRow, Pool } from "../core/types.ts";
import type { Paper, Table } from "./actions.ts";
import { dk, key, logSlider, rootDk } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Status } from "./footer.ts";
import { GradientModel, type Pair } from "./gradient-model.ts";
import { type Panels, panels } from "./gradient-panels.ts";
import type { Job } from "./latest.ts";
import { dimensionStops, keyStops } from "./stops.ts";

const text = ({ mean, standardError }: Estimate) => measured(mean, 1.96 * standardError).text;

function deadText({ deadRows, trials }: GradientRow): string {
  if (deadRows.mean === 0) return `none of ${count(trials)}`;
  return percent(deadRows.mean, 1.96 * deadRows.standardError);
}

export class GradientFigure extends FigureElement<"gradient"> {
  static override readonly figureName = "gradient";

  protected readonly heading = html`What is left for learning when softmax saturates?`;
  protected readonly plainTitle = "Softmax under growing dot products";
  protected readonly lede =
    html`One query attends to <i>n</i> random keys, again and again. The same scores go through softmax twice:
    as they are, and divided by ${rootDk}.`;

  readonly #model = new GradientModel(() => this.arrived({ pair: this.#now() }));
  #panels: Panels | null = null;

  protected override job(pool: Pool): Job {
    return this.#model.job(this.state, pool, !this.reducedMotion);
  }

  #now(): Pair | null {
    const { chosen } = this.#model;
    return chosen?.dimension === this.state.dimension ? chosen : null;
  }

  protected override controls(): TemplateResult {
    const { dimension, keys } = this.state;
    return html`
      ${logSlider({ id: "dimension", name: html`${dk}, components of a query`, stops: dimensionStops, value: dimension, min: 1, max: 4096, onChange: (value) => this.change({ dimension: value }) })}
      ${logSlider({ id: "keys", name: html`<i>n</i>, keys it attends to`, stops: keyStops, value: keys, min: 2, max: 1024, onChange: (value) => this.change({ keys: value }) })}
    `;
  }

  protected override legend(): TemplateResult {
    return key([
      { kind: "raw", text: "unscaled" },
      { kind: "scaled", text: html`divided by ${rootDk}` },
      { kind: "theory", text: "exact mean" },
      { kind: "limit", text: "law for large spread" },
      { kind: "band", text: "95\u202f% band" },
      { kind: "hollow", text: "dead rows" },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 84 : 50);
    const plot = panels({
      sweep: this.#model.sweep,
      chosen: this.#model.chosen,
      dimension: this.state.dimension,
      keys: this.#model.keys || this.state.keys,
      expectedMaximum: this.#model.expectedMaximum,
      theme,
      width: width - 2 * margin,
      left: margin,
      top,
    });
    if (!paper) this.#panels = plot;
    const title = `${this.plainTitle}: ${this.state.keys} keys`;
    return drawing({ width, height: top + plot.height + 44 + margin, theme, ...paper }, [
      paper ? label(title, { x: margin, y: margin + 10, fill: theme.ink, size: 16, weight: 700 }) : "",
      plot.drawing,
    ]);
  }

  protected override dimensionAt(x: number, y: number): number | null {
    return this.#panels?.at(x, y) ?? null;
  }

  protected override words(): TemplateResult {
    const now = this.#now();
    if (!now) return html`<p>Drawing the first rows\u2026</p>`;
    const { raw, scaled } = now;
    return html`<p>With <b>${this.#model.keys} keys</b> and <b>${dk} = ${now.dimension}</b>, unscaled: the largest weight averages
      <span class="raw">${text(raw.maxProbability)}</span>, and <span class="raw">${deadText(raw)}</span> of the rows are dead.
      Divided by ${rootDk}: <span class="scaled">${text(scaled.maxProbability)}</span>, and
      <span class="scaled">${deadText(scaled)}</span>.</p>
      ${this.#gradientWords(now)}`;
  }

  /** The mean gradient does not vanish: the page must say so where the reader looks. */
  #gradientWords({ raw, scaled }: Pair): TemplateResult {
    const unequal = raw.gradQueryNorm.median < 0.6 * raw.gradQueryNorm.mean;
    const verdict = unequal
      ? "most rows get almost no gradient, a few get huge ones"
      : "at this size the rows still share the gradient fairly";
    const middle = (estimate: Estimate) => exact(estimate.median, 2);
    return html`<p class="aside">The length of the gradient that reaches the query, mean and median over rows:
      unscaled <span class="raw">${text(raw.gradQueryNorm)}</span> and <span class="raw">${middle(raw.gradQueryNorm)}</span>;
      divided <span class="scaled">${text(scaled.gradQueryNorm)}</span> and <span class="scaled">${middle(scaled.gradQueryNorm)}</span>.
      So the gradient does not vanish on average: ${verdict}.</p>`;
  }

  protected override summary(): string {
    const now = this.#now();
    if (!now) return "Rows are being drawn.";
    const { raw, scaled } = now;
    return `${this.#model.keys} keys, d k = ${now.dimension}. Unscaled: largest weight ${text(raw.maxProbability)}, dead rows ${deadText(raw)}. Divided by the root of d k: ${text(scaled.maxProbability)}, dead rows ${deadText(scaled)}.`;
  }

  protected override status(): Status {
    const now = this.#now();
    const half = now ? 1.96 * now.raw.maxProbability.standardError : 0;
    return {
      done: now?.raw.trials ?? 0,
      goal: this.#model.goal,
      unit: "rows",
      band: now ? `95\u202f% band of the largest weight \u00b1\u202f${exact(half, 2)}` : "",
    };
  }

  protected override table(): Table {
    const now = this.#now();
    const all = now ? [...this.#model.sweep, now] : this.#model.sweep;
    const row = (dimension: number, name: string, arm: GradientRow) => [
      dimension,
      name,
      arm.trials,
      arm.jacobianTrace.mean,
      arm.jacobianTrace.standardError,
      arm.theory?.jacobianTrace ?? "",
      arm.maxProbability.mean,
      arm.maxProbability.standardError,
      arm.theory?.maxProbability ?? "",
      arm.deadRows.mean,
      arm.gradQueryNorm.mean,
      arm.gradQueryNorm.median,
    ];
    return {
      caption: `Softmax of ${this.#model.keys} scores, seed ${this.state.seed}. The last two rows are your d_k.`,
      header: [
        "d_k",
        "arm",
        "rows",
        "1 - sum p^2",
        "std. error",
        "exact",
        "largest weight",
        "std. error",
        "exact",
        "dead share",
        "|dL/dq| mean",
        "|dL/dq| median",
      ],
      rows: all.flatMap((pair) => [
        row(pair.dimension, "unscaled", pair.raw),
        row(pair.dimension, "divided", pair.scaled),
      ]),
    };
  }
}
