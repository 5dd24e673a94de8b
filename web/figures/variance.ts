/** <sqrtdk-variance>: why dot products grow. Histograms of q.k for several d_k, and their variance against d_k. */
import { html, nothing, type TemplateResult } from "lit";
import { drawing, label, shifted } from "../charts/drawing.ts";
import { exact, measured } from "../charts/numbers.ts";
import type { Theme } from "../charts/theme.ts";
import type { Pool } from "../core/types.ts";
import type { Paper, Table } from "./actions.ts";
import { chips, dk, dropDown, key, logSlider, rootDk, segments } from "./controls.ts";
import { FigureElement } from "./figure-element.ts";
import type { Status } from "./footer.ts";
import type { Job } from "./latest.ts";
import { dimensionCursor, type ReadingCursor } from "./reading-cursor.ts";
import { dimensionLimits, dimensionStops, toDimension } from "./stops.ts";
import { Tween } from "./tween.ts";
import { type Growth, growth } from "./variance-growth.ts";
import { hills, hillsHeight } from "./variance-hills.ts";
import { deviation, type HillName, VarianceModel, type VarianceState } from "./variance-model.ts";

const lawNames = {
  normal: "normal",
  uniform: "uniform",
  rademacher: "\u00b11, a coin each (Rademacher)",
  laplace: "Laplace (heavy tails)",
};

const morphMilliseconds = 700;

export class VarianceFigure extends FigureElement<"variance"> {
  static override readonly figureName = "variance";

  protected readonly heading = html`How widely do dot products spread?`;
  protected readonly plainTitle = "Dot products of random queries and keys";
  protected readonly lede =
    html`Every hill is a histogram of ${html`<i>q</i>\u00b7<i>k</i>`} for random queries and keys with ${dk} components
    of mean 0 and variance 1. The bar under it reaches one standard deviation to either side.`;

  readonly #model = new VarianceModel(() => this.arrived({ ...this.source(), ...this.#measured() }));
  /** 0: raw, 1: divided. The hills collapse onto one width before the reader's eyes: here the motion is the explanation. */
  readonly #divided = new Tween(0, morphMilliseconds, () => this.requestUpdate());
  #growth: Growth | null = null;

  protected override job(pool: Pool): Job {
    return this.#model.job(this.state, pool, !this.reducedMotion);
  }

  override willUpdate(): void {
    const motion = this.hasUpdated && this.isConnected && !this.reducedMotion && this.#model.hills.size > 0;
    this.#divided.to(this.state.scale === "rsqrt" ? 1 : 0, motion);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#divided.stop();
  }

  protected override source(): Pick<VarianceState, "seed" | "components" | "dimension"> | null {
    const { source, hills } = this.#model;
    const chosen = hills.get("chosen");
    return source && chosen ? { ...source, dimension: chosen.dimension } : null;
  }

  /** The chosen hill in numbers, with the d_k it belongs to. */
  #measured(): { dimension: number; variance: number; standardError: number; samples: number } | null {
    const hill = this.#model.hills.get("chosen");
    if (!hill) return null;
    const { variance, varianceStandardError, count: samples } = hill.result.moments;
    return { dimension: hill.dimension, variance, standardError: varianceStandardError ?? 0, samples };
  }

  protected override controls(): TemplateResult {
    // Beyond normal components no exact density is known, and the limit is always drawn: no switch for it.
    const { dimension, components, scale, show, limit } = this.state;
    const names: [HillName, string | TemplateResult][] = [
      ["3", "3"],
      ["100", "100"],
      ["1000", "1000"],
      ["chosen", html`${dimension}, yours`],
    ];
    const toggle = (name: HillName, on: boolean) =>
      this.change({
        show: names.map(([each]) => each).filter((each) => (each === name ? on : show.includes(each))),
      });
    return html`
      ${logSlider({ id: "dimension", name: html`your ${dk}`, stops: dimensionStops, value: dimension, limits: dimensionLimits, onChange: (value) => this.change({ dimension: value }) })}
      ${segments({
        id: "scale",
        name: "dot products",
        value: scale,
        options: [
          { value: "none", label: "as they are" },
          { value: "rsqrt", label: html`divided by ${rootDk}` },
        ],
        onChange: (value) => this.change({ scale: value }),
      })}
      ${dropDown({
        id: "components",
        name: "components are",
        value: components,
        options: Object.entries(lawNames).map(([value, label]) => ({
          value: value as keyof typeof lawNames,
          label,
        })),
        onChange: (value) => this.change({ components: value }),
      })}
      ${chips({ name: html`hills, by ${dk}`, options: names.map(([value, label]) => ({ value, label, on: show.includes(value) })), onToggle: toggle })}
      ${components === "normal" ? chips({ name: "curves", options: [{ value: "limit", label: "normal limit", on: limit }], onToggle: (_, on) => this.change({ limit: on }) }) : nothing}
    `;
  }

  protected override legend(): TemplateResult {
    const { limit } = this.state;
    const { components } = this.#model.source ?? this.state;
    return key([
      { kind: "raw", text: "unscaled" },
      { kind: "scaled", text: html`divided by ${rootDk}` },
      { kind: "theory", text: components === "normal" ? "exact law" : "exact variance" },
      ...(limit || components !== "normal" ? [{ kind: "limit" as const, text: "normal limit" }] : []),
      { kind: "band", text: "95\u202f% band" },
    ]);
  }

  protected override draw(width: number, theme: Theme, paper?: Paper): TemplateResult {
    const { show, scale, limit } = this.state;
    const { components } = this.#model.source ?? this.state;
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
      limit: limit || components !== "normal",
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
        ? label(`${this.plainTitle}, ${components} components`, {
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
    return `dk${this.source()?.dimension ?? this.state.dimension}`;
  }

  #dimensionAt(x: number, y: number): number | null {
    const plot = this.#growth;
    if (!plot || x < plot.box.left - 20 || y < plot.box.top - 24 || y > plot.box.bottom + 24) return null;
    return toDimension(plot.invert(x));
  }

  protected override words(): TemplateResult {
    const now = this.#measured();
    if (!now) return html`<p>Drawing the first samples\u2026</p>`;
    const { dimension } = now;
    const { sd, half } = deviation(now.variance, now.standardError);
    const root = Math.sqrt(dimension);
    return html`With <b>${dk} = ${dimension}</b> the dot products have variance ${measured(now.variance, 1.96 * now.standardError).text}
      (exactly ${dimension}), so their standard deviation is <span class="raw">${measured(sd, half).text}</span>. Divided by
      \u221a${dimension} = ${exact(root, 4)} it is <span class="scaled">${measured(sd / root, half / root).text}</span>, as for every other ${dk}.`;
  }

  protected override summary(): string {
    const now = this.#measured();
    if (!now) return "Samples are being drawn.";
    const { sd, half } = deviation(now.variance, now.standardError);
    const root = Math.sqrt(now.dimension);
    return `d k = ${now.dimension}, ${this.#model.source?.components} components: standard deviation ${measured(sd, half).text}; divided by the root of d k: ${measured(sd / root, half / root).text}.`;
  }

  protected override status(): Status {
    const now = this.#measured();
    const share = now ? (196 * now.standardError) / now.variance : 0;
    return {
      done: now?.samples ?? 0,
      goal: this.#model.goal,
      unit: "dot products",
      band: now ? `95\u202f% band of the variance \u00b1\u202f${exact(share, 2)}\u202f%` : "",
    };
  }

  protected override table(): Table {
    const rows = this.#model.rows.map((row) => [
      row.dimension,
      row.variance,
      row.standardError ?? row.reason ?? "",
      row.exact,
      row.samples,
    ]);
    const now = this.#measured();
    if (now) rows.push([now.dimension, now.variance, now.standardError, now.dimension, now.samples]);
    const { source } = this.#model;
    const last = now ? ` The last row is d_k = ${now.dimension}, measured apart.` : "";
    return {
      caption: source
        ? `Variance of q\u00b7k; components ${source.components}, seed ${source.seed}.${last}`
        : "No samples yet.",
      header: ["d_k", "variance", "standard error", "exact variance", "samples"],
      rows,
    };
  }
}
