/** <sqrtdk-gradient>: why wide dot products are a problem for softmax. Slope, largest weight and dead rows against d_k. */
import { html, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import { exact } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import type { GradientRow, Pool } from "../core/types.ts";
import type { Paper, Table } from "./actions.ts";
import { dk, key, logSlider, rootDk } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Status } from "./footer.ts";
import { GradientModel, type GradientState, type Pair } from "./gradient-model.ts";
import { type Panels, panels } from "./gradient-panels.ts";
import { deadText, halfBand, meanText, medianText, spreadText } from "./gradient-words.ts";
import type { Job } from "./latest.ts";
import { dimensionCursor, type ReadingCursor } from "./reading-cursor.ts";
import { dimensionLimits, dimensionStops, keyLimits, keyStops } from "./stops.ts";

const largestText = (row: GradientRow) => meanText(row.maxProbability, row.trials);
const gradientText = (row: GradientRow) => meanText(row.gradQueryNorm, row.trials);

export class GradientFigure extends FigureElement<"gradient"> {
  static override readonly figureName = "gradient";

  protected readonly heading = html`What is left for learning when softmax saturates?`;
  protected readonly plainTitle = "Softmax under growing dot products";
  protected readonly lede =
    html`One query attends to <i>n</i> random keys, again and again. The same scores go through softmax twice:
    as they are, and divided by ${rootDk}.`;

  readonly #model = new GradientModel(() => this.arrived({ ...this.source(), pair: this.#model.chosen }));
  #panels: Panels | null = null;

  protected override job(pool: Pool): Job {
    return this.#model.job(this.state, pool, !this.reducedMotion);
  }

  protected override source(): Pick<GradientState, "seed" | "keys" | "dimension"> | null {
    const { source, chosen } = this.#model;
    return source && chosen && { ...source, dimension: chosen.dimension };
  }

  protected override controls(): TemplateResult {
    const { dimension, keys } = this.state;
    return html`
      ${logSlider({ id: "dimension", name: html`${dk}, components of a query`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => this.change({ dimension: value }) })}
      ${logSlider({ id: "keys", name: html`<i>n</i>, keys it attends to`, stops: keyStops, value: keys, limits: keyLimits, onChange: (value) => this.change({ keys: value }) })}
    `;
  }

  protected override legend(): TemplateResult {
    return key([
      { kind: "raw", text: "unscaled" },
      { kind: "scaled", text: html`divided by ${rootDk}` },
      { kind: "theory", text: "exact mean" },
      { kind: "limit", text: "law for large spread" },
      { kind: "band", text: "95\u202f% band" },
      { kind: "hollow", text: html`dead rows: |<i>J</i>|<sub>F</sub> &lt; 1/1000` },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 84 : 50);
    const { keys } = this.#model.source ?? this.state;
    const plot = panels({
      sweep: this.#model.sweep,
      chosen: this.#model.chosen,
      // In the page the cursor goes with the hand, on paper with the numbers.
      dimension: (paper && this.#model.chosen?.dimension) || this.state.dimension,
      keys,
      expectedMaximum: this.#model.expectedMaximum,
      theme,
      width: width - 2 * margin,
      left: margin,
      top,
    });
    if (!paper) this.#panels = plot;
    const title = `${this.plainTitle}: ${keys} keys`;
    return drawing({ width, height: top + plot.height + 44 + margin, theme, ...paper }, [
      paper ? label(title, { x: margin, y: margin + 10, fill: theme.ink, size: 16, weight: 700 }) : "",
      plot.drawing,
    ]);
  }

  protected override cursor(): ReadingCursor<GradientState> {
    return dimensionCursor(this.state.dimension, (x, y) => this.#dimensionAt(x, y));
  }

  protected override fileTag(): string {
    return `dk${this.source()?.dimension ?? this.state.dimension}`;
  }

  #dimensionAt(x: number, y: number): number | null {
    return this.#panels?.at(x, y) ?? null;
  }

  protected override words(): TemplateResult {
    const { source, chosen } = this.#model;
    if (!source || !chosen) return html`<p>Drawing the first rows\u2026</p>`;
    const { raw, scaled } = chosen;
    return html`<p>With <b>${source.keys} keys</b> and <b>${dk} = ${chosen.dimension}</b>, unscaled: the largest weight averages
      <span class="raw">${largestText(raw)}</span>; dead rows: <span class="raw">${deadText(raw)}</span>.
      Divided by ${rootDk}: <span class="scaled">${largestText(scaled)}</span>; dead rows:
      <span class="scaled">${deadText(scaled)}</span>.</p>
      ${this.#gradientWords(chosen)}`;
  }

  /** The mean gradient does not vanish: the page must say so where the reader looks. */
  #gradientWords({ raw, scaled }: Pair): TemplateResult {
    return html`<p class="aside">The length of the gradient that reaches the query: unscaled
      <span class="raw">${gradientText(raw)}</span> on average, median <span class="raw">${medianText(raw.gradQueryNorm)}</span>;
      divided <span class="scaled">${gradientText(scaled)}</span>, median
      <span class="scaled">${medianText(scaled.gradQueryNorm)}</span>. ${spreadText(raw, scaled)}</p>`;
  }

  protected override summary(): string {
    const { source, chosen } = this.#model;
    if (!source || !chosen) return "Rows are being drawn.";
    const { raw, scaled } = chosen;
    return `${source.keys} keys, d k = ${chosen.dimension}. Unscaled: largest weight ${largestText(raw)}, dead rows ${deadText(raw)}. Divided by the root of d k: ${largestText(scaled)}, dead rows ${deadText(scaled)}.`;
  }

  protected override status(): Status {
    const raw = this.#model.chosen?.raw;
    const half = raw ? halfBand(raw.maxProbability, raw.trials) : Number.NaN;
    return {
      done: raw?.trials ?? 0,
      goal: this.#model.goal,
      unit: "rows",
      band: Number.isNaN(half) ? "" : `95\u202f% band of the largest weight \u00b1\u202f${exact(half, 2)}`,
    };
  }

  protected override table(): Table {
    const { source, sweep, chosen } = this.#model;
    const all = chosen ? [...sweep, chosen] : sweep;
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
      caption:
        source && chosen
          ? `Softmax of ${source.keys} scores, seed ${source.seed}. The last two rows are d_k = ${chosen.dimension}, measured apart.`
          : "No rows yet.",
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
        "share of |J|_F < 0.001",
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
