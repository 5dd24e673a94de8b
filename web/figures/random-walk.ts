/** <sqrtdk-random-walk>: q.k is a sum of d_k random products, so its partial sums are a random walk. */
import { html, type TemplateResult } from "lit";
import { drawing, label } from "../charts/drawing.ts";
import { count, exact, measured } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import type { Pool } from "../core/types.ts";
import type { Paper, Table } from "./actions.ts";
import { dk, key, logSlider, rootDk, segments } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Status } from "./footer.ts";
import type { Job } from "./latest.ts";
import { reducedMotion } from "./presence.ts";
import { allWalks, RandomWalkModel, type RandomWalkState } from "./random-walk-model.ts";
import { type Panel, panel } from "./random-walk-panel.ts";
import { dimensionCursor, type ReadingCursor } from "./reading-cursor.ts";
import { sharedCore } from "./shared-core.ts";
import { dimensionLimits, dimensionStops, powersOfTwo, toDimension } from "./stops.ts";
import { Tween } from "./tween.ts";

const zoomMilliseconds = 450;
const morphMilliseconds = 600;

/** The width holds a power of four of steps: zooming out shows four times the steps and twice the heights. */
function viewFor(dimension: number): number {
  return 4 ** Math.max(1, Math.ceil(Math.log2(dimension) / 2));
}

export class RandomWalkFigure extends FigureElement<"random-walk"> {
  static override readonly figureName = "random-walk";

  protected readonly heading = html`How far does a sum of ${dk} random products stray?`;
  protected readonly plainTitle = "A dot product is a random walk";
  protected readonly lede =
    html`Every path adds up ${html`<i>q</i>\u00b7<i>k</i>`} of a random query and key, one product at a time. Steps up and steps
    down nearly cancel: ${dk} steps lead only about ${rootDk} far.`;

  readonly #model = new RandomWalkModel(() => this.arrived({ ...this.source(), ...this.#measured() }));
  readonly #view = new Tween(0, zoomMilliseconds, () => this.requestUpdate());
  readonly #divided = new Tween(0, morphMilliseconds, () => this.requestUpdate());
  /** While the drawing itself is dragged it must not zoom away under the hand. */
  #dragged = false;
  #panel: Panel | null = null;

  constructor() {
    super();
    for (const over of ["pointerup", "pointercancel"])
      this.addEventListener(over, () => {
        if (!this.#dragged) return;
        this.#dragged = false;
        this.requestUpdate();
      });
  }

  protected override job(pool: Pool): Job {
    return this.#model.job(this.state, pool, sharedCore, !reducedMotion());
  }

  override willUpdate(): void {
    const motion = this.hasUpdated && this.isConnected && !reducedMotion() && this.#model.walks !== null;
    if (!this.#dragged) this.#view.to(Math.log2(viewFor(this.state.dimension)), motion);
    this.#divided.to(this.state.scale === "rsqrt" ? 1 : 0, motion);
  }

  override get complete(): boolean {
    return super.complete && !this.#view.moving && !this.#divided.moving;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#view.stop();
    this.#divided.stop();
  }

  protected override source(): Pick<RandomWalkState, "seed" | "dimension"> | null {
    const { walks, law } = this.#model;
    return walks && law && { seed: walks.seed, dimension: law.dimension };
  }

  #measured(): { walks: number; standardDeviation: number; band: number } | null {
    const { walks, law } = this.#model;
    if (!walks || !law) return null;
    const standardDeviation = walks.spread(law.dimension);
    return { walks: walks.count, standardDeviation, band: walks.spreadBand(law.dimension) };
  }

  protected override controls(): TemplateResult {
    const { dimension, scale } = this.state;
    return html`
      ${logSlider({ id: "dimension", name: html`${dk}, steps of every walk`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => this.change({ dimension: value }) })}
      ${segments({
        id: "scale",
        name: "the sums",
        value: scale,
        options: [
          { value: "none", label: "as they are" },
          { value: "rsqrt", label: html`divided by ${rootDk}` },
        ],
        onChange: (value) => this.change({ scale: value }),
      })}
    `;
  }

  protected override legend(): TemplateResult {
    const arm = this.state.scale === "none" ? "raw" : "scaled";
    const by = arm === "scaled" ? html`, divided by ${rootDk}` : "";
    return key([
      { kind: arm, text: html`measured standard deviation${by}` },
      { kind: "theory", text: html`exact: \u00b1\u221a<i>i</i>${by}, and the density of the ends` },
      { kind: "limit", text: "95\u202f% of all walks lie between" },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const { walks, law, reaches } = this.#model;
    const margin = paper ? 24 : 0;
    const top = margin + (paper ? 84 : 50);
    if (!walks || !law) return drawing({ width, height: top + (width < 560 ? 280 : 380) + 44, theme }, "");
    const plot = panel({
      walks,
      law,
      reaches,
      arm: this.state.scale === "none" ? "raw" : "scaled",
      divided: this.#divided.value,
      view: 2 ** this.#view.value,
      theme,
      width: width - 2 * margin,
      left: margin,
      top,
    });
    if (!paper) this.#panel = plot;
    const title = `${this.plainTitle}: ${count(walks.count)} walks of ${law.dimension} steps`;
    return drawing({ width, height: top + plot.height + 44 + margin, theme, ...paper }, [
      paper ? label(title, { x: margin, y: margin + 10, fill: theme.ink, size: 16, weight: 700 }) : "",
      plot.drawing,
    ]);
  }

  protected override cursor(): ReadingCursor<RandomWalkState> {
    const cursor = dimensionCursor(this.state.dimension, (x, y) => {
      const steps = this.#panel?.at(x, y) ?? null;
      return steps === null ? null : toDimension(steps);
    });
    return {
      ...cursor,
      atPointer: (event) => {
        const patch = cursor.atPointer(event);
        if (patch) this.#dragged = true;
        return patch;
      },
    };
  }

  protected override fileTag(): string {
    return `dk${this.source()?.dimension ?? this.state.dimension}`;
  }

  protected override words(): TemplateResult {
    const { walks, law } = this.#model;
    if (!walks || !law) return html`<p>Drawing the first walks\u2026</p>`;
    const { dimension } = law;
    const root = Math.sqrt(dimension);
    const [sd, half] = [walks.spread(dimension), walks.spreadBand(dimension)];
    return html`<p>After <b>${dk} = ${dimension}</b> ${dimension === 1 ? "step" : "steps"} a walk has typically strayed by \u00b1${exact(root, 3)}: measured standard
      deviation <span class="raw">${measured(sd, half).text}</span> of ${count(walks.count)} walks, exactly
      \u221a${dimension} = ${exact(root, 4)}. Divided by that, it is \u00b11 for every number of steps:
      <span class="scaled">${measured(sd / root, half / root).text}</span>.</p>
      ${this.#quarterWords(dimension)}`;
  }

  /** The root, said with numbers. */
  #quarterWords(dimension: number): TemplateResult | "" {
    if (dimension < 4 || dimension % 4 !== 0) return "";
    const quarter = dimension / 4;
    return html`<p class="aside">A quarter of the steps, ${quarter}, leads half as far: \u00b1${exact(Math.sqrt(quarter), 3)}.
      Independent steps add up their variances, 1 each, so the variance is ${dimension} and its root ${exact(Math.sqrt(dimension), 3)}.</p>`;
  }

  protected override summary(): string {
    const { walks, law } = this.#model;
    if (!walks || !law) return "Walks are being drawn.";
    const { dimension } = law;
    const root = Math.sqrt(dimension);
    const [sd, half] = [walks.spread(dimension), walks.spreadBand(dimension)];
    return `After d k = ${dimension} steps ${count(walks.count)} walks have standard deviation ${measured(sd, half).text}, exactly ${exact(root, 4)}; divided by the root of d k: ${measured(sd / root, half / root).text}.`;
  }

  protected override status(): Status {
    const now = this.#measured();
    return {
      done: now?.walks ?? 0,
      goal: allWalks,
      unit: "walks",
      band: now
        ? `95\u202f% band of the standard deviation \u00b1\u202f${exact((100 * now.band) / now.standardDeviation, 2)}\u202f%`
        : "",
    };
  }

  protected override table(): Table {
    const { walks, law } = this.#model;
    if (!walks || !law) return { caption: "No walks yet.", header: [], rows: [] };
    const row = (steps: number) => {
      const [root, sd] = [Math.sqrt(steps), walks.spread(steps)];
      return [steps, sd, walks.spreadBand(steps), root, sd / root, walks.within(steps, root) / walks.count];
    };
    const steps = [...new Set([...powersOfTwo, law.dimension])].sort((a, b) => a - b);
    return {
      caption: `${count(walks.count)} walks, seed ${walks.seed}: how far they have strayed after so many steps.`,
      header: [
        "steps",
        "standard deviation",
        "half of its 95 % band",
        "exact: root of steps",
        "divided by the root",
        "share within one exact standard deviation",
      ],
      rows: steps.map(row),
    };
  }
}
