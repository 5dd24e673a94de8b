/** <sqrtdk-variance>: why dot products grow. Histograms of q.k for several d_k, and their variance against d_k. */
import { html, type TemplateResult } from "lit";
import { drawing, label, shifted } from "../charts/drawing.ts";
import type { Theme } from "../charts/theme.ts";
import type { Pool } from "../core/types.ts";
import type { Paper, Table } from "./actions.ts";
import { dk, key, rootDk } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Status } from "./footer.ts";
import type { Job } from "./latest.ts";
import { reducedMotion } from "./presence.ts";
import { dimensionCursor, type ReadingCursor } from "./reading-cursor.ts";
import { toDimension } from "./stops.ts";
import { Tween } from "./tween.ts";
import { assumptionStyle, varianceControls } from "./variance-controls.ts";
import { type Growth, growth } from "./variance-growth.ts";
import { hills, hillsHeight } from "./variance-hills.ts";
import { becomesNormal, hasDensity, lawOf, lawTag, lawText, type VarianceState } from "./variance-law.ts";
import { VarianceModel, type VarianceSource } from "./variance-model.ts";
import { bandText, type MeasuredHill, varianceSummary, varianceWords } from "./variance-words.ts";

const morphMilliseconds = 700;

export class VarianceFigure extends FigureElement<"variance"> {
  static override readonly figureName = "variance";
  static override styles = [...FigureElement.styles, assumptionStyle];

  protected readonly heading = html`How widely do dot products spread?`;
  protected readonly plainTitle = "Dot products of random queries and keys";
  protected readonly lede =
    html`Every hill is a histogram of ${html`<i>q</i>\u00b7<i>k</i>`} for random queries and keys with ${dk} components
    of variance 1, of mean 0 and independent unless you break that. The bar under it reaches one standard deviation to either side.`;

  readonly #model = new VarianceModel(() => this.arrived({ ...this.source(), ...this.#measured() }));
  /** 0: raw, 1: divided. The hills collapse onto one width before the reader's eyes: here the motion is the explanation. */
  readonly #divided = new Tween(0, morphMilliseconds, () => this.requestUpdate());
  #growth: Growth | null = null;

  protected override job(pool: Pool): Job {
    return this.#model.job(this.state, pool, !reducedMotion());
  }

  override willUpdate(): void {
    const motion = this.hasUpdated && this.isConnected && !reducedMotion() && this.#model.hills.size > 0;
    this.#divided.to(this.state.scale === "rsqrt" ? 1 : 0, motion);
  }

  override get complete(): boolean {
    return super.complete && !this.#divided.moving;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#divided.stop();
  }

  protected override source(): (VarianceSource & Pick<VarianceState, "dimension">) | null {
    const { source, hills } = this.#model;
    const chosen = hills.get("chosen");
    return source && chosen ? { ...source, dimension: chosen.dimension } : null;
  }

  /** The chosen hill in numbers, with the d_k it belongs to. */
  #measured(): MeasuredHill | null {
    const hill = this.#model.hills.get("chosen");
    if (!hill) return null;
    const { variance, varianceStandardError: standardError, count: samples } = hill.result.moments;
    const { mean: exactMean, variance: exactVariance } = hill.exact;
    return { dimension: hill.dimension, variance, standardError, exactMean, exactVariance, samples };
  }

  /** The law of what is shown. */
  get #law() {
    return lawOf(this.#model.source ?? this.state);
  }

  protected override controls(): TemplateResult {
    return varianceControls(this.state, (patch) => this.change(patch));
  }

  protected override legend(): TemplateResult {
    const law = this.#law;
    const known = hasDensity(law);
    const normal = becomesNormal(law) ? "normal limit" : "normal law of this variance";
    return key([
      { kind: "raw", text: "unscaled" },
      { kind: "scaled", text: html`divided by ${rootDk}` },
      { kind: "theory", text: known ? "exact law" : "exact variance" },
      ...(this.state.limit || !known ? [{ kind: "limit" as const, text: normal }] : []),
      { kind: "band", text: "95\u202f% band" },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const { show, scale, limit } = this.state;
    const law = this.#law;
    const measuredNow = this.#measured();
    // In the page the cursor goes with the hand, on paper with the numbers.
    const dimension = (paper && measuredNow?.dimension) || this.state.dimension;
    const wide = width >= 780;
    const arm = scale === "none" ? "raw" : "scaled";
    const margin = paper ? 24 : 0;
    const head = margin + (paper ? 34 : 8);
    const leftWidth = wide ? Math.round((width - 2 * margin) * 0.58) : width - 2 * margin;
    const hillTop = head;
    const hillHeight = hillsHeight(show);
    const growthTop = wide ? head + 38 : hillTop + hillHeight + 100;
    const growthHeight = wide ? Math.max(330, hillHeight - 38) : 350;
    const left = wide ? margin + leftWidth + 44 : margin;
    const hillDrawing = hills({
      hills: this.#model.hills,
      show,
      divided: this.#divided.value,
      arm,
      limit: limit || !hasDensity(law),
      theme,
      width: leftWidth,
      top: hillTop,
    });
    const plot = growth({
      rows: this.#model.rows,
      chosen: measuredNow,
      dimension,
      arm,
      theme,
      left,
      width: width - margin - left,
      top: growthTop,
      height: growthHeight,
    });
    if (!paper) this.#growth = plot;
    const height = Math.max(hillTop + hillHeight, growthTop + growthHeight) + 44 + margin;
    return drawing({ width, height, theme, ...paper }, [
      paper
        ? label(`${this.plainTitle}, ${lawText(law)} components`, {
            x: margin,
            y: margin + 10,
            fill: theme.ink,
            size: 16,
            weight: 700,
          })
        : "",
      shifted(margin, 0, hillDrawing),
      plot.drawing,
    ]);
  }

  protected override cursor(): ReadingCursor<VarianceState> {
    return dimensionCursor(this.state.dimension, (x, y) => this.#dimensionAt(x, y));
  }

  protected override fileTag(): string {
    return `dk${this.source()?.dimension ?? this.state.dimension}${lawTag(this.#law)}`;
  }

  #dimensionAt(x: number, y: number): number | null {
    const plot = this.#growth;
    if (!plot || x < plot.box.left - 20 || y < plot.box.top - 24 || y > plot.box.bottom + 24) return null;
    return toDimension(plot.invert(x));
  }

  protected override words(): TemplateResult {
    const now = this.#measured();
    return now ? varianceWords(now, this.#law) : html`<p>Drawing the first samples\u2026</p>`;
  }

  protected override summary(): string {
    const now = this.#measured();
    return now ? varianceSummary(now, this.#law) : "Samples are being drawn.";
  }

  protected override status(): Status {
    const now = this.#measured();
    return {
      done: now?.samples ?? 0,
      goal: this.#model.goal,
      unit: "dot products",
      band: now ? bandText(now) : "",
    };
  }

  protected override table(): Table {
    const rows = this.#model.rows.map((row) => [
      row.dimension,
      row.variance,
      row.standardError ?? "none",
      row.exact,
      row.exact / row.dimension,
      row.samples,
    ]);
    const now = this.#measured();
    if (now) {
      const { dimension, variance, exactVariance } = now;
      const error = now.standardError ?? "none";
      rows.push([dimension, variance, error, exactVariance, exactVariance / dimension, now.samples]);
    }
    const { source } = this.#model;
    const last = now ? ` The last row is d_k = ${now.dimension}, measured apart.` : "";
    return {
      caption: source
        ? `Variance of q\u00b7k; components ${lawText(this.#law)}, seed ${source.seed}.${last}`
        : "No samples yet.",
      header: ["d_k", "variance", "standard error", "exact variance", "exact, divided", "samples"],
      rows,
    };
  }
}
