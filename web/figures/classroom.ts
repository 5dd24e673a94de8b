/** <sqrtdk-classroom>: softmax as a teacher's attention. Pupils as tall as their scores, and what is left for them to learn. */
import { html, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import { exact } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import { classroom as fields } from "../state/figures/classroom.ts";
import type { Paper, Table } from "./actions.ts";
import { ClassroomModel, type ClassroomSource, type ClassroomState, spreadOf } from "./classroom-model.ts";
import { scene } from "./classroom-scene.ts";
import { learningText, lightText, percentText } from "./classroom-words.ts";
import { dk, key, logSlider, rootDk, segments } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Job } from "./latest.ts";
import { reducedMotion } from "./presence.ts";
import { dimensionCursor, type ReadingCursor } from "./reading-cursor.ts";
import { sharedCore } from "./shared-core.ts";
import { rowStyle } from "./softmax-controls.ts";
import { slopeText } from "./softmax-words.ts";
import { dimensionStops } from "./stops.ts";
import { Tween } from "./tween.ts";

const { max } = fields.dimension;
const stops = dimensionStops.filter((stop) => stop <= max);
const pupilStops = Array.from(
  { length: fields.keys.max - fields.keys.min + 1 },
  (_, i) => fields.keys.min + i,
);

export class ClassroomFigure extends FigureElement<"classroom"> {
  static override readonly figureName = "classroom";
  static override styles = [...FigureElement.styles, rowStyle];

  protected readonly heading = html`Who gets the teacher\u2019s attention, and who can learn from it?`;
  protected readonly plainTitle = "A classroom under softmax";
  protected readonly lede =
    html`An analogy. The teacher is a query, every pupil a key. A pupil is as tall as its score; softmax shares out
    one unit of light by height. The ring is the learning signal: how much more light a pupil gets for growing a little.`;

  readonly #model = new ClassroomModel(sharedCore, () => this.arrived({ ...this.#model.row }));

  /** The spread that is drawn: it follows the toggle a little later, so that the eye sees the same pupils shrink. */
  readonly #spread = new Tween(Number.NaN, 600, () => this.requestUpdate());
  #goal = Number.NaN;
  #scale: ClassroomState["scale"] = "none";

  protected override job(): Job {
    return this.#model.job(this.state);
  }

  protected override source(): ClassroomSource | null {
    return this.#model.source;
  }

  protected override fileTag(): string {
    const { dimension, scale } = this.#model.source ?? this.state;
    return `dk${dimension}${scale === "none" ? "" : "-scaled"}`;
  }

  override willUpdate(): void {
    const { source } = this.#model;
    const goal = source ? spreadOf(source) : this.#goal;
    if (!source || goal === this.#goal) return;
    // The first class stands as it is; later ones move only for the toggle, since a slider is motion enough.
    const toggled = !Number.isNaN(this.#goal) && this.#scale !== source.scale;
    this.#goal = goal;
    this.#scale = source.scale;
    this.#spread.to(goal, toggled && !reducedMotion());
  }

  override get complete(): boolean {
    return super.complete && !this.#spread.moving;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#spread.stop();
  }

  protected override controls(): TemplateResult {
    const { dimension, keys, scale } = this.state;
    return html`
      ${logSlider({ id: "dimension", name: html`${dk}, components of a query`, stops, value: dimension, limits: fields.dimension, onChange: (value) => this.change({ dimension: value }) })}
      ${segments({
        id: "scale",
        name: "heights are scores",
        value: scale,
        options: [
          { value: "none", label: "as they are" },
          { value: "rsqrt", label: html`divided by ${rootDk}` },
        ],
        onChange: (value) => this.change({ scale: value }),
      })}
      ${logSlider({ id: "keys", name: "pupils", stops: pupilStops, value: keys, limits: fields.keys, onChange: (value) => this.change({ keys: value }) })}
    `;
  }

  protected override legend(): TemplateResult {
    return key([
      { kind: "score", text: "height: score" },
      { kind: "weight", text: "light: weight" },
      { kind: "rise", text: html`ring, and open eyes: learning signal, <i>p</i>(1 \u2212 <i>p</i>)` },
      { kind: "empty", text: "less than 1/1000" },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 48 : 4);
    const { source } = this.#model;
    const row = paper ? this.#model.row : this.#model.at(this.#spread.value);
    const room =
      row &&
      scene({ row, widestSpread: Math.sqrt(max), theme, left: margin, width: width - 2 * margin, top });
    const height = top + (room?.height ?? 400) + margin;
    return drawing({ width, height, theme, ...paper }, [
      paper && source
        ? label(`${this.plainTitle}: ${this.#setting(source)}`, {
            x: margin,
            y: margin + 10,
            fill: theme.ink,
            size: 16,
            weight: 700,
          })
        : "",
      room?.drawing ?? "",
    ]);
  }

  #setting({ dimension, scale }: ClassroomSource): string {
    return `d_k = ${dimension}, ${scale === "none" ? "unscaled" : "divided by \u221ad_k"}`;
  }

  protected override cursor(): ReadingCursor<Pick<ClassroomState, "dimension">> {
    const along = dimensionCursor(this.state.dimension, () => null);
    return {
      ...along,
      name: "d k",
      max,
      afterKey: (event) => {
        const next = along.afterKey(event)?.dimension;
        return next === undefined ? null : { dimension: Math.min(max, next) };
      },
    };
  }

  protected override words(): TemplateResult {
    const { row, source } = this.#model;
    if (!row || !source) return html`<p>The class is coming in\u2026</p>`;
    const { dimension, scale } = source;
    const arm = scale === "none" ? "raw" : "scaled";
    const { largest } = row;
    return html`<p>With <b>${dk} = ${dimension}</b> and scores ${scale === "none" ? "as they are" : html`divided by ${rootDk}`}, their standard deviation is
      <span class=${arm}>${exact(row.spread, 3)}</span>. ${lightText(row)}; the tallest, number ${largest.key + 1}, has
      <span class="weight">${percentText(largest.weight, largest.complement)}</span>. ${learningText(row)}</p>
      <p class="aside">It is an analogy, no more. What the rings show is computed: the diagonal of the Jacobian of softmax. But keys do
      not tire, and what reaches the query in the end also depends on the values and on how long the keys are.</p>`;
  }

  protected override summary(): string {
    const { row, source } = this.#model;
    if (!row || !source) return "The class is coming in.";
    const { largest } = row;
    return `${this.#setting(source).replaceAll("d_k", "d k").replace("\u221a", "the root of ")}. ${lightText(row)}; the tallest, number ${largest.key + 1}, has ${percentText(largest.weight, largest.complement)}. ${learningText(row)}`;
  }

  protected override table(): Table {
    const { row, source } = this.#model;
    const rows = Array.from(row?.scores ?? [], (place, i) => {
      const weight = row?.weights[i] ?? 0;
      return [i + 1, place, place * (row?.spread ?? 1), weight, row?.slopes[i] ?? 0];
    });
    return {
      caption: source
        ? `${source.keys} pupils, seed ${source.seed}, ${this.#setting(source)}; all signals together ${slopeText(row?.trace ?? 0)}.`
        : "No pupils yet.",
      header: ["pupil", "place (standard normal)", "height (score)", "light (weight p)", "signal p(1-p)"],
      rows,
    };
  }
}
