/** <sqrtdk-gradient>: why wide dot products are a problem for softmax. Slope, largest weight and dead rows against d_k. */
import { css, html, nothing, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import { exact } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import type { GradientRow, Pool } from "../core/types.ts";
import { gradient as fields } from "../state/figures/gradient.ts";
import type { Paper, Table } from "./actions.ts";
import { dk, key, logSlider, rootDk, segments } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Status } from "./footer.ts";
import { GradientModel, type GradientState } from "./gradient-model.ts";
import { type Panels, panels } from "./gradient-panels.ts";
import { gradientTable, rowTable } from "./gradient-tables.ts";
import {
  deadText,
  gradientWords,
  halfBand,
  meanText,
  medianText,
  onesText,
  rowWords,
  weightsWords,
  weightText,
} from "./gradient-words.ts";
import type { Job } from "./latest.ts";
import { reducedMotion } from "./presence.ts";
import { dimensionCursor, type ReadingCursor } from "./reading-cursor.ts";
import { dimensionLimits, dimensionStops, keyLimits, keyStops } from "./stops.ts";

const largestText = (row: GradientRow) => meanText(row.maxProbability, row.trials);

/** Three numbers in one mark may break over lines. */
const wordStyle = css`.long { white-space: normal; }`;

export class GradientFigure extends FigureElement<"gradient"> {
  static override readonly figureName = "gradient";
  static override styles = [...FigureElement.styles, wordStyle];

  protected readonly heading = html`What is left for learning when softmax saturates?`;
  protected readonly plainTitle = "Softmax under growing dot products";
  protected readonly lede =
    html`One query attends to <i>n</i> random keys, again and again. The same scores go through softmax twice:
    as they are, and divided by ${rootDk}.`;

  readonly #model = new GradientModel(() => this.arrived({ ...this.source(), pair: this.#model.chosen }));
  #panels: Panels | null = null;

  protected override job(pool: Pool): Job {
    return this.#model.job(this.state, pool, !reducedMotion());
  }

  protected override source(): Partial<GradientState> | null {
    const { source, chosen, single } = this.#model;
    if (!source || !chosen) return null;
    const shown = { ...source, dimension: chosen.dimension };
    if (this.state.show !== "row") return shown;
    return single && single.dimension === chosen.dimension ? { ...shown, row: single.row } : null;
  }

  protected override controls(): TemplateResult {
    const { dimension, keys, show, row } = this.state;
    return html`
      ${logSlider({ id: "dimension", name: html`${dk}, components of a query`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => this.change({ dimension: value }) })}
      ${logSlider({ id: "keys", name: html`<i>n</i>, keys it attends to`, stops: keyStops, value: keys, limits: keyLimits, onChange: (value) => this.change({ keys: value }) })}
      ${segments({
        id: "show",
        name: "show",
        value: show,
        options: [
          { value: "weights", label: "weights" },
          { value: "row", label: "one row" },
          { value: "gradient", label: "gradient" },
        ],
        onChange: (value) => this.change({ show: value }),
      })}
      ${
        show === "row"
          ? html`<div class="control"><span class="name">row ${row + 1}</span>
              <button type="button" @click=${() => this.change({ row: (row + 1) % (fields.row.max + 1) })}>Another row</button></div>`
          : nothing
      }
    `;
  }

  protected override legend(): TemplateResult {
    const { show } = this.state;
    const limits = {
      weights: "law for large spread",
      row: "uniform weights",
      gradient: "where the unscaled mean tends to",
    };
    const marks = {
      weights: html`dead rows: |<i>J</i>|<sub>F</sub> &lt; 1/1000`,
      row: "weights exactly 0",
      gradient: html`median; dead rows: |<i>J</i>|<sub>F</sub> &lt; 1/1000`,
    };
    return key([
      { kind: "raw", text: "unscaled" },
      { kind: "scaled", text: html`divided by ${rootDk}` },
      { kind: "theory", text: show === "gradient" ? "exact root mean square" : "exact mean" },
      { kind: "limit", text: limits[show] },
      { kind: "band", text: "95\u202f% band" },
      { kind: "hollow", text: marks[show] },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 84 : 50);
    const { keys } = this.#model.source ?? this.state;
    const plot = panels({
      show: this.state.show,
      single: this.#model.single,
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
    const { dimension, show, row } = { ...this.state, ...this.source() };
    return `dk${dimension}${show === "row" ? `-row${row + 1}` : ""}`;
  }

  #dimensionAt(x: number, y: number): number | null {
    return this.#panels?.at(x, y) ?? null;
  }

  protected override words(): TemplateResult {
    const { source, chosen, single } = this.#model;
    if (!source || !chosen) return html`<p>Drawing the first rows\u2026</p>`;
    if (this.state.show === "gradient") return gradientWords(chosen, source.keys);
    if (this.state.show === "weights") return weightsWords(chosen, source.keys);
    return single ? rowWords(chosen, single, source.keys) : html`<p>Drawing the row\u2026</p>`;
  }

  protected override summary(): string {
    const { source, chosen, single } = this.#model;
    if (!source || !chosen) return "Rows are being drawn.";
    const { raw, scaled } = chosen;
    const start = `${source.keys} keys, d k = ${chosen.dimension}.`;
    if (this.state.show === "gradient") {
      const lengths = ({ gradQueryNorm: norm, trials }: GradientRow) =>
        `mean ${meanText(norm, trials)}, median ${medianText(norm, trials)}`;
      return `${start} Length of the query's gradient, unscaled: ${lengths(raw)}. Divided by the root of d k: ${lengths(scaled)}.`;
    }
    if (this.state.show === "row" && single) {
      return `${start} Row ${single.row + 1}, largest weight unscaled ${weightText(single.raw)}, divided ${weightText(single.scaled)}. Unscaled rows whose largest weight prints 1: ${onesText(raw)}.`;
    }
    return `${start} Unscaled: largest weight ${largestText(raw)}, dead rows ${deadText(raw)}. Divided by the root of d k: ${largestText(scaled)}, dead rows ${deadText(scaled)}.`;
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
    const { source, single } = this.#model;
    if (this.state.show === "row" && source && single) return rowTable(single, source);
    return gradientTable(this.#model);
  }
}
