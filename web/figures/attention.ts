/** <sqrtdk-attention>: scaled dot-product attention as a live drawing, forward to the output and back to the gradients. */
import { html, type TemplateResult } from "lit";
import { drawing, label, shifted } from "../charts/drawing.ts";
import type { Theme } from "../charts/theme.ts";
import { editableColumns } from "../state/figures/attention.ts";
import type { FigureState } from "../state/hash.ts";
import type { Paper, Table } from "./actions.ts";
import { Announcer } from "./announcer.ts";
import {
  cellAfterKey,
  editable,
  edited,
  handMade,
  isByHand,
  limitsOf,
  undone,
  untouched,
} from "./attention-cells.ts";
import { attentionStyle, inspector, stepper } from "./attention-controls.ts";
import { diagram } from "./attention-diagram.ts";
import { type CellPosition, cellAt, type Layout, layout } from "./attention-layout.ts";
import { AttentionModel, type AttentionSource, entry, type Pass } from "./attention-model.ts";
import { type Reading, reading } from "./attention-reading.ts";
import { made, stageOf, stages } from "./attention-stages.ts";
import { passTable, stageTable } from "./attention-tables.ts";
import { asideText, compared, comparison, handText, stageText } from "./attention-words.ts";
import { chips, dk, key, logSlider, rootDk, segments, withIndices } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Job } from "./latest.ts";
import { sharedCore } from "./shared-core.ts";
import { dimensionLimits, dimensionStops } from "./stops.ts";

type State = FigureState<"attention">;

export class AttentionFigure extends FigureElement<"attention"> {
  static override readonly figureName = "attention";
  static override styles = [...FigureElement.styles, attentionStyle];
  static override properties = { cell: { state: true }, cellSpoken: { state: true } };

  /** The cell that is looked at. */
  declare protected cell: CellPosition | null;
  declare protected cellSpoken: string;

  protected readonly heading = html`Scaled dot-product attention, number by number`;
  protected readonly plainTitle = "Scaled dot-product attention";
  protected readonly lede =
    html`Step through the formula, forward and then back to the gradients. Every number can be pointed at; what
    comes in and what the steps make of it can be changed by hand.`;

  readonly #model = new AttentionModel(() => this.arrived({ source: this.#model.pass?.source }));
  readonly #announcer = new Announcer({
    show: (text) => {
      this.cellSpoken = text;
    },
    shown: () => this.updateComplete,
    summary: () => {
      const now = this.#reading();
      return now && `${now.name} = ${now.value}. ${now.steps}`;
    },
  });
  #layout: Layout | null = null;

  constructor() {
    super();
    this.cell = null;
    this.cellSpoken = "";
  }

  get #stage() {
    return stageOf(this.state.stage);
  }

  get #handMade(): number {
    return this.#model.pass ? handMade(this.#model.pass).length : 0;
  }

  protected override job(): Job {
    return this.#model.job(this.state, sharedCore);
  }

  protected override source(): AttentionSource | null {
    return this.#model.pass?.source ?? null;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#announcer.stop();
  }

  // A new seed is asked for by those who want other numbers: it draws all of them.
  protected override change(patch: Partial<State>): void {
    super.change(patch.seed === undefined ? patch : { ...untouched, ...patch });
  }

  override choose(values: Readonly<Record<string, unknown>>): void {
    super.choose(values.seed === undefined ? values : { ...untouched, ...values });
  }

  protected override controls(): TemplateResult {
    const { dimension, scale, causal } = this.state;
    return html`
      ${stepper({ stage: this.#stage, onStage: (stage) => this.change({ stage }) })}
      ${logSlider({ id: "dimension", name: html`${dk}, components of q and k`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => this.change({ dimension: value }) })}
      ${segments({
        id: "scale",
        name: "scale",
        value: scale,
        options: [
          { value: "none", label: "off" },
          { value: "rsqrt", label: html`divide by ${rootDk}` },
        ],
        onChange: (value) => this.change({ scale: value }),
      })}
      ${chips({ name: "mask", options: [{ value: "causal", label: "causal", on: causal }], onToggle: (_, on) => this.change({ causal: on }) })}
    `;
  }

  protected override legend(): TemplateResult {
    const arm = this.state.scale === "none" ? "raw" : "scaled";
    return key([
      { kind: arm, text: arm === "raw" ? "the way without the scale" : html`the way through the scale` },
      { kind: "plus", text: "above 0" },
      { kind: "fall", text: "below 0" },
      { kind: "weight", text: "attention weight" },
      ...(this.#handMade > 0 ? [{ kind: "hand", text: "set by hand" } as const] : []),
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const { pass } = this.#model;
    const margin = paper ? 24 : 4;
    const { tokens, dimension } = pass?.source ?? this.state;
    const plan = layout({ width: width - 2 * margin, tokens, dimension, columns: editableColumns });
    const top = margin + (paper ? 44 : 0);
    const stage = this.#stage;
    const step = `Step ${stages.indexOf(stage) + 1} of ${stages.length}, ${stage.title}`;
    const subtitle = this.#handMade > 0 ? `${step}; numbers with a filled corner are set by hand` : step;
    const picture = drawing({ width, height: top + plan.height + margin, theme, ...paper }, [
      paper
        ? [
            label(this.plainTitle, { x: margin, y: margin + 10, fill: theme.ink, size: 16, weight: 700 }),
            label(subtitle, { x: margin, y: margin + 28, fill: theme.muted, size: 12.5 }),
          ]
        : "",
      pass
        ? shifted(margin, top, diagram({ pass, stage, layout: plan, cell: paper ? null : this.cell, theme }))
        : "",
    ]);
    if (paper) return picture;
    this.#layout = plan;
    const offset = { x: margin, y: top };
    return html`<div class="diagram" role="application" tabindex="0" aria-label="The numbers of this step" aria-describedby="keys"
        @keydown=${this.#key} @pointermove=${(event: PointerEvent) => this.#point(event, offset)}
        @pointerdown=${(event: PointerEvent) => this.#point(event, offset)}>${picture}</div>
      <p class="hidden" id="keys">Arrow keys move from number to number, Page Up and Page Down from matrix to matrix, Enter
        changes a number, Delete takes the change back.</p>
      ${pass ? this.#inspector(pass) : ""}
      <p class="hidden" role="status" aria-live="polite">${this.cellSpoken}</p>`;
  }

  #reading(): Reading | null {
    const { pass } = this.#model;
    const cell = this.#shownCell();
    return pass && cell && reading(cell, this.#stage.direction, pass);
  }

  /** The cell that is looked at, where it still exists. */
  #shownCell(): CellPosition | null {
    const { cell } = this;
    const place = cell && this.#layout?.places[cell.slot];
    if (!place || !made(this.#stage).has(cell.slot)) return null;
    return cell.row < place.rows && cell.column < place.columns ? cell : null;
  }

  #inspector(pass: Pass): TemplateResult {
    const cell = this.#shownCell();
    const { direction } = this.#stage;
    const open = cell && editable(cell, this.#stage, pass);
    return inspector({
      reading: this.#reading(),
      value: open ? entry(pass[direction][cell.slot], cell.row, cell.column) : null,
      limits: limitsOf(cell?.slot ?? "query", direction),
      handMade: this.#handMade,
      onValue: (value) => {
        if (cell) this.change(edited(cell, value, this.#stage, pass));
      },
      onUndo: () => this.#undo(cell),
      onUndoAll: () => this.#takeBack(untouched),
    });
  }

  #undo(cell: CellPosition | null): void {
    const { pass } = this.#model;
    if (pass && cell && isByHand(cell, this.#stage.direction, pass))
      this.#takeBack(undone(cell, this.#stage, pass));
  }

  // The button goes with what it undoes; the keyboard's place must not.
  #takeBack(patch: Partial<State>): void {
    this.change(patch);
    this.renderRoot.querySelector<HTMLElement>(".diagram")?.focus({ preventScroll: true });
  }

  #look(cell: CellPosition): void {
    this.cell = cell;
    this.#announcer.soon();
  }

  readonly #key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.#layout) return;
    if (event.key === "Enter" || event.key === "F2") {
      const field = this.renderRoot.querySelector<HTMLInputElement>("#cell");
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
      return;
    }
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.#undo(this.#shownCell());
      return;
    }
    const next = cellAfterKey(event.key, this.#shownCell(), this.#stage, this.#layout);
    if (!next) return;
    event.preventDefault();
    this.#look(next);
  };

  #point(event: PointerEvent, offset: { x: number; y: number }): void {
    // A finger that scrolls the page by should change nothing; a tap comes as pointerdown.
    if (event.type === "pointermove" && event.pointerType === "touch") return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const cell =
      this.#layout &&
      cellAt(this.#layout, event.clientX - box.left - offset.x, event.clientY - box.top - offset.y);
    if (!cell) return;
    const same =
      this.cell &&
      cell.slot === this.cell.slot &&
      cell.row === this.cell.row &&
      cell.column === this.cell.column;
    if (!same) this.#look(cell);
  }

  protected override fileTag(): string {
    const { dimension, scale, causal } = this.source() ?? this.state;
    return `dk${dimension}-${scale === "none" ? "unscaled" : "scaled"}${causal ? "-causal" : ""}${this.#handMade > 0 ? "-edited" : ""}`;
  }

  protected override words(): TemplateResult {
    const { pass, other } = this.#model;
    if (!pass || !other) return html`<p>Drawing queries and keys\u2026</p>`;
    const aside = asideText(this.#stage);
    const hand = handText(this.#stage, pass);
    return html`<p>${withIndices(stageText(this.#stage, pass))} ${compared(this.#stage, pass, other)}</p>
      ${hand ? html`<p>${hand}</p>` : ""}
      ${aside ? html`<p class="aside">${withIndices(aside)}</p>` : ""}`;
  }

  protected override summary(): string {
    const { pass, other } = this.#model;
    if (!pass || !other) return "Queries and keys are being drawn.";
    const both = comparison(this.#stage, pass, other);
    const contrast = both ? ` ${both.what}: unscaled ${both.raw}, divided by the root ${both.scaled}.` : "";
    return `${this.#stage.title}. ${stageText(this.#stage, pass)}${contrast} ${handText(this.#stage, pass)}`.trim();
  }

  protected override table(): Table {
    const { pass } = this.#model;
    return pass ? stageTable(this.#stage, pass) : { caption: "No numbers yet.", header: [], rows: [] };
  }

  protected override sheet(): Table {
    const { pass } = this.#model;
    return pass ? passTable(pass) : this.table();
  }
}
