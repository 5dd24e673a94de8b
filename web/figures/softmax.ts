/** <sqrtdk-softmax>: a row of scores one can drag, the weights softmax makes of them, and the slope each key is left with. */
import { html, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import { exact, fixed } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import { row as fields } from "../state/figures/softmax.ts";
import type { FigureState } from "../state/hash.ts";
import type { Paper, Table } from "./actions.ts";
import { key, withIndices } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Job } from "./latest.ts";
import type { ReadingCursor } from "./reading-cursor.ts";
import { sharedCore } from "./shared-core.ts";
import { readings, rowControls, rowStyle, withRandom } from "./softmax-controls.ts";
import { afterKey, Drag, roundStep } from "./softmax-drag.ts";
import { SoftmaxModel } from "./softmax-model.ts";
import { domainOf, panels, type SoftmaxPanels } from "./softmax-panels.ts";
import type { RowState, SoftmaxRow } from "./softmax-row.ts";
import {
  capital,
  rowTag,
  rowText,
  saturationText,
  shareText,
  slopeText,
  weightText,
} from "./softmax-words.ts";

type State = RowState & { key: number };

export class SoftmaxFigure extends FigureElement<"softmax"> {
  static override readonly figureName = "softmax";
  static override styles = [...FigureElement.styles, rowStyle];

  protected readonly heading = html`What does softmax make of a row of scores?`;
  protected readonly plainTitle = "Scores, weights and slopes of softmax";
  protected readonly lede =
    html`Drag a score, or spread all of them. Every key stands on one and the same S-shaped curve; where the curve is
    flat, a small change of the score changes nothing.`;

  readonly #model = new SoftmaxModel(sharedCore, () => this.arrived({ ...this.#model.row }));
  readonly #drag = new Drag();
  #panels: SoftmaxPanels | null = null;
  /** The range of the scores' axis: it stands still under a dragging hand. */
  #domain: [low: number, high: number] = [-1, 4];

  protected override job(): Job {
    return this.#model.job(this.state);
  }

  protected override source(): RowState | null {
    return this.#model.source;
  }

  protected override fileTag(): string {
    return rowTag(this.#model.source ?? this.state);
  }

  override firstUpdated(): void {
    super.firstUpdated();
    this.#drag.attend(this.renderRoot.querySelector(".plot") as Element, () => this.requestUpdate());
  }

  // Another seed means nothing to typed scores: who asks for one wants random ones.
  protected override change(patch: Partial<FigureState<"softmax">>): void {
    super.change(withRandom(patch));
  }

  override choose(values: Readonly<Record<string, unknown>>): void {
    super.choose(withRandom(values));
  }

  protected override controls(): TemplateResult {
    return rowControls({
      state: this.state,
      change: (patch) => this.change(patch),
      choose: (values) => this.choose(values),
    });
  }

  protected override legend(): TemplateResult {
    return html`${key([
      { kind: "score", text: "score" },
      { kind: "weight", text: "weight" },
      { kind: "theory", text: "weight against the lead in score" },
      { kind: "rise", text: html`slope <i>p</i>(1 \u2212 <i>p</i>)` },
      { kind: "hollow", text: "flat: slope below 1/1000" },
    ])}`;
  }

  /** The key looked at, counted from 0. */
  #key(count: number): number {
    return Math.min(this.state.key, count) - 1;
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 72 : 34);
    const { row, sigmoid } = this.#model;
    if (row && !this.#drag.active) this.#domain = domainOf(row.scores, row.spread);
    const plot = panels({
      row,
      sigmoid,
      key: this.#key(row?.scores.length ?? 1),
      domain: this.#domain,
      grabs: !paper,
      theme,
      left: margin,
      width: width - 2 * margin,
      top,
    });
    if (!paper) this.#panels = plot;
    const { source } = this.#model;
    return drawing({ width, height: top + plot.height + 46 + margin, theme, ...paper }, [
      paper && source
        ? label(`Softmax of ${rowText(source)}`, {
            x: margin,
            y: margin + 10,
            fill: theme.ink,
            size: 16,
            weight: 700,
          })
        : "",
      plot.drawing,
    ]);
  }

  /** The scores as the reader's hand has them, which may be ahead of the row that is drawn. */
  #scores(): readonly number[] {
    return this.state.random ? Array.from(this.#model.row?.scores ?? []) : this.state.scores;
  }

  protected override cursor(): ReadingCursor<State> {
    const scores = this.#scores();
    const { row } = this.#model;
    const at = this.#key(scores.length);
    const shown = (index: number) => (scores[index] ?? 0) * this.state.spread;
    const [low, high] = this.#domain;
    const said = row && at < row.weights.length ? `, weight ${weightText(row, at)}` : "";
    return {
      name: "Score of the chosen key",
      text: `key ${at + 1} of ${scores.length}: score ${fixed(shown(at), 2)}${said}`,
      min: low,
      max: high,
      now: shown(at),
      afterKey: (event) => {
        const press = afterKey(
          event,
          scores.length,
          { index: at, value: shown(at) },
          roundStep((high - low) / 200),
        );
        if (!press) return null;
        return "index" in press ? { key: press.index + 1 } : this.#moved(at, press.value);
      },
      atPointer: (event) => this.#atPointer(event, shown),
    };
  }

  #atPointer(event: PointerEvent, shown: (index: number) => number): Partial<State> | null {
    const plot = this.#panels;
    if (!plot) return null;
    const grip = this.#drag.follow(event, {
      at: (x, y) => {
        const index = plot.keyAt(x, y);
        return index === null ? null : { index, value: shown(index) };
      },
      unitsPerPixel: Math.abs(plot.y.invert(0) - plot.y.invert(1)),
    });
    if (!grip) return null;
    const [low, high] = this.#domain;
    const value = Math.min(high, Math.max(low, grip.value));
    return value === shown(grip.index) ? { key: grip.index + 1 } : this.#moved(grip.index, value);
  }

  /** A score that was moved makes the row the reader's own. */
  #moved(index: number, value: number): Partial<State> {
    const { spread } = this.state;
    const scores = this.#scores();
    if (spread === 0) return { key: index + 1 };
    const { min, max } = fields.scores;
    const next = Math.min(max, Math.max(min, value / spread));
    return { key: index + 1, random: false, scores: scores.map((score, i) => (i === index ? next : score)) };
  }

  protected override words(): TemplateResult {
    const { row, source } = this.#model;
    if (!row || !source) return html`<p>Computing\u2026</p>`;
    const at = this.#key(row.scores.length);
    const { largest } = row;
    return html`<p>${withIndices(capital(rowText(source)))}: the largest weight is
      <span class="weight">${shareText(largest.weight, largest.complement)}</span>, that of key ${largest.key + 1}. ${saturationText(row)}</p>
      ${readings([
        {
          name: "entropy",
          value: exact(row.entropy, 3),
          of: `nats, of at most ln\u202f${row.scores.length}\u202f=\u202f${exact(Math.log(row.scores.length), 3)}`,
        },
        {
          name: html`effective number of keys, 1/\u03a3<i>p</i>\u00b2`,
          value: exact(row.effectiveKeys, 3),
          of: html`of ${row.scores.length}; e<sup>entropy</sup> = ${exact(row.perplexity, 3)}`,
        },
        {
          name: html`slope <i>p</i>(1 \u2212 <i>p</i>) of key ${at + 1}`,
          value: html`<span class="rise">${slopeText(row.slopes[at] as number)}</span>`,
          of: "of at most 0.25",
        },
        {
          name: html`all slopes together, 1\u00a0\u2212\u00a0\u03a3<i>p</i>\u00b2`,
          value: html`<span class="rise">${slopeText(row.trace)}</span>`,
          of: "= tr J",
        },
      ])}
      <p class="hint">Drag a bar; or, in the drawing, choose a key with \u2190 \u2192 and move its score with \u2191 \u2193, finer with Shift.</p>`;
  }

  protected override summary(): string {
    const { row, source } = this.#model;
    if (!row || !source) return "Computing.";
    const at = this.#key(row.scores.length);
    const { largest } = row;
    return `${capital(rowText(source))}. Key ${at + 1}: weight ${weightText(row, at)}, slope ${slopeText(row.slopes[at] as number)}. Largest weight ${shareText(largest.weight, largest.complement)}, entropy ${exact(row.entropy, 3)} nats, ${exact(row.effectiveKeys, 3)} effective keys.`;
  }

  protected override table(): Table {
    const { row, source } = this.#model;
    const rows = Array.from(row?.scores ?? [], (score, i) => {
      const { weights, logWeights, slopes, spread } = row as SoftmaxRow;
      return [i + 1, score, score * spread, weights[i] ?? 0, logWeights[i] ?? 0, slopes[i] ?? 0];
    });
    return {
      caption: source ? `Softmax of ${rowText(source)}.` : "No scores yet.",
      header: ["key", "score", "score x spread", "weight p", "ln p", "slope p(1-p)"],
      rows,
    };
  }
}
