/** <sqrtdk-jacobian>: how each weight answers to each score, as a heat map, and what such a matrix lets through. */
import { html, type PropertyDeclarations, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import type { Cell } from "../charts/heat-map.ts";
import { exact } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import { jacobian as fields } from "../state/figures/jacobian.ts";
import type { FigureState } from "../state/hash.ts";
import type { Paper, Table } from "./actions.ts";
import { chips, key, withIndices } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import { type JacobianPanels, panels } from "./jacobian-panels.ts";
import { entry, entryText, nudgeText, returnText } from "./jacobian-words.ts";
import type { Job } from "./latest.ts";
import type { ReadingCursor } from "./reading-cursor.ts";
import { sharedCore } from "./shared-core.ts";
import { readings, rowControls, rowStyle, withRandom } from "./softmax-controls.ts";
import { Drag, type Grip, pointIn } from "./softmax-drag.ts";
import { SoftmaxModel } from "./softmax-model.ts";
import { dead, type RowState, type SoftmaxRow } from "./softmax-row.ts";
import { capital, plain, rowTag, rowText, slopeText } from "./softmax-words.ts";

type State = FigureState<"jacobian">;

export class JacobianFigure extends FigureElement<"jacobian"> {
  static override readonly figureName = "jacobian";
  static override styles = [...FigureElement.styles, rowStyle];
  static override properties: PropertyDeclarations = { hovered: { state: true } };

  protected readonly heading = html`How does each weight answer to each score?`;
  protected readonly plainTitle = "The Jacobian of softmax";
  protected readonly lede =
    html`Every gradient on its way back through softmax is multiplied by this matrix. Point at a row to see how its
    score moves every weight; drag the vector and see what comes back.`;

  /** The cell under a resting pointer: looked at for the moment, and no part of the state. */
  declare protected hovered: Cell | null;
  /** The column that the arrow keys have reached. */
  #column = 0;
  readonly #model = new SoftmaxModel(sharedCore, () => this.arrived({ ...this.#model.row }));
  readonly #drag = new Drag();
  #panels: JacobianPanels | null = null;
  #reach = 1;

  constructor() {
    super();
    this.hovered = null;
  }

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
    const plot = this.renderRoot.querySelector(".plot") as Element;
    this.#drag.attend(plot, () => this.requestUpdate());
    plot.addEventListener("pointerleave", () => {
      this.hovered = null;
    });
  }

  // Another seed means nothing to typed scores: who asks for one wants random ones.
  protected override change(patch: Partial<State>): void {
    super.change(withRandom(patch));
  }

  override choose(values: Readonly<Record<string, unknown>>): void {
    super.choose(withRandom(values));
  }

  protected override controls(): TemplateResult {
    return html`
      ${rowControls({
        state: this.state,
        change: (patch) => this.change(patch),
        choose: (values) => this.choose(values),
      })}
      ${this.#vectorControl()}
      ${chips({ name: "colours", options: [{ value: "magnify", label: "magnify small entries", on: this.state.magnify }], onToggle: (_, on) => this.change({ magnify: on }) })}
    `;
  }

  #vectorControl(): TemplateResult {
    const count = this.#model.row?.weights.length ?? this.state.scores.length;
    const typed = (event: Event) => this.choose({ vector: (event.target as HTMLInputElement).value });
    const only = Array.from({ length: count }, (_, i) => (i === this.#cell(count).row ? 1 : 0));
    return html`<div class="control grow">
      <label for="vector">vector <i>g</i>, with commas</label>
      <div class="row together">
        <input type="text" id="vector" autocomplete="off" spellcheck="false" .value=${this.state.vector.join(", ")} @change=${typed}>
        <button type="button" @click=${() => this.change({ vector: only.map(() => 1) })}>all 1</button>
        <button type="button" @click=${() => this.change({ vector: only })}>one key</button>
      </div>
    </div>`;
  }

  protected override legend(): TemplateResult {
    return key([
      { kind: "plus", text: "positive: the weight rises" },
      { kind: "fall", text: "negative: it falls" },
    ]);
  }

  /** The chosen row, and the column last looked at in it. */
  #chosen(count: number): Cell {
    return { row: Math.min(this.state.key, count) - 1, column: Math.min(this.#column, count - 1) };
  }

  #cell(count: number): Cell {
    const { hovered } = this;
    return hovered && hovered.row < count && hovered.column < count ? hovered : this.#chosen(count);
  }

  #vector(count: number): number[] {
    return Array.from({ length: count }, (_, i) => this.state.vector[i] ?? 0);
  }

  #product({ weights }: SoftmaxRow): Float32Array {
    const vector = Float32Array.from(this.#vector(weights.length));
    return this.#model.core?.softmaxBackward(vector, weights) ?? vector;
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 78 : 40);
    const { row, source } = this.#model;
    if (!row || !source) return drawing({ width, height: 480, theme, ...paper }, "");
    const count = row.weights.length;
    const vector = this.#vector(count);
    // The axis stands still under a dragging hand.
    if (!this.#drag.active) this.#reach = Math.max(1, ...vector.map(Math.abs)) * 1.25;
    const plot = panels({
      row,
      vector,
      product: this.#product(row),
      cell: paper ? this.#chosen(count) : this.#cell(count),
      magnify: this.state.magnify,
      reach: this.#reach,
      grabs: !paper,
      theme,
      left: margin,
      width: width - 2 * margin,
      top,
    });
    if (!paper) this.#panels = plot;
    return drawing({ width, height: top + plot.height + margin, theme, ...paper }, [
      paper
        ? label(`${this.plainTitle}: ${rowText(source)}`, {
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

  protected override cursor(): ReadingCursor<State> {
    const { row } = this.#model;
    const count = row?.weights.length ?? 1;
    const cell = this.#chosen(count);
    return {
      name: "Row of the Jacobian",
      text: row
        ? `score ${cell.row + 1}, weight ${cell.column + 1}: ${entryText(entry(row, cell.row, cell.column))}`
        : "",
      min: 1,
      max: count,
      now: cell.row + 1,
      afterKey: (event) => this.#afterKey(event, cell, count),
      atPointer: (event) => this.#atPointer(event),
    };
  }

  #afterKey(event: KeyboardEvent, { row, column }: Cell, count: number): Partial<State> | null {
    if (event.altKey || event.ctrlKey || event.metaKey) return null;
    const goals: Record<string, Cell> = {
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      Home: { row: 0, column },
      End: { row: count - 1, column },
    };
    const goal = goals[event.key];
    if (!goal) return null;
    const within = (index: number) => Math.min(count - 1, Math.max(0, index));
    this.hovered = null;
    this.#column = within(goal.column);
    return { key: within(goal.row) + 1 };
  }

  #atPointer(event: PointerEvent): Partial<State> | null {
    const plot = this.#panels;
    if (!plot) return null;
    const { x, y } = pointIn(event);
    const grip = this.#drag.follow(event, {
      at: (atX, atY) => {
        const index = plot.componentAt(atX, atY);
        return index === null ? null : { index, value: this.state.vector[index] ?? 0 };
      },
      unitsPerPixel: Math.abs(plot.y.invert(0) - plot.y.invert(1)),
    });
    if (grip) return this.#dragged(grip);
    const cell = this.#drag.active ? null : plot.cellAt(x, y);
    const old = this.hovered;
    if (cell?.row !== old?.row || cell?.column !== old?.column) this.hovered = cell;
    if (event.type !== "pointerdown" || !cell) return null;
    this.#column = cell.column;
    return { key: cell.row + 1 };
  }

  #dragged({ index, value }: Grip): Partial<State> | null {
    const { min, max } = fields.vector;
    const next = Math.min(max, this.#reach, Math.max(min, -this.#reach, value));
    const vector = this.#vector(this.#model.row?.weights.length ?? 0);
    return vector[index] === next ? null : { vector: vector.map((old, i) => (i === index ? next : old)) };
  }

  protected override words(): TemplateResult {
    const { row, source } = this.#model;
    if (!row || !source) return html`<p>Computing\u2026</p>`;
    const vector = this.#vector(row.weights.length);
    return html`<p>${withIndices(capital(rowText(source)))}. ${returnText(vector, this.#product(row))} ${row.frobenius < dead ? "This row is dead: what comes back is next to nothing, whatever is sent." : ""}</p>
      ${readings([
        {
          name: html`trace, 1\u00a0\u2212\u00a0\u03a3<i>p</i>\u00b2`,
          value: slopeText(row.trace),
          of: `of at most ${exact(1 - 1 / row.weights.length, 3)}`,
        },
        {
          name: html`Frobenius norm |<i>J</i>|<sub>F</sub>`,
          value: slopeText(row.frobenius),
          of: "dead below 0.001",
        },
        {
          name: html`spectral norm |<i>J</i>|<sub>2</sub>: the most a vector is stretched`,
          value: slopeText(row.spectral),
          of: "never more than \u00bd",
        },
      ])}
      <p class="hint">Each row and each column adds up to 0: what one weight gains, the others lose. In the drawing, arrow keys walk over the cells.</p>`;
  }

  protected override summary(): string {
    const { row, source } = this.#model;
    if (!row || !source) return "Computing.";
    const { row: score, column } = this.#chosen(row.weights.length);
    return `${capital(rowText(source))}. Trace ${slopeText(row.trace)}, Frobenius norm ${slopeText(row.frobenius)}, spectral norm ${slopeText(row.spectral)} of at most one half. ${nudgeText(row, score, column)}. ${returnText(this.#vector(row.weights.length), this.#product(row))}`;
  }

  protected override table(): Table {
    const { row, source } = this.#model;
    if (!row || !source) return { caption: "No scores yet.", header: ["key"], rows: [] };
    const count = row.weights.length;
    const vector = this.#vector(count);
    const product = this.#product(row);
    const keys = Array.from({ length: count }, (_, i) => i);
    return {
      caption: `J for ${rowText(source)}; g = ${vector.map(plain).join(", ")}.`,
      header: ["key", "weight p", ...keys.map((i) => `dp${i + 1}/ds`), "g", "J g"],
      rows: keys.map((i) => [
        i + 1,
        row.weights[i] ?? 0,
        ...keys.map((j) => entry(row, i, j)),
        vector[i] ?? 0,
        product[i] ?? 0,
      ]),
    };
  }
}
