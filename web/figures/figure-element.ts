/**
 * What all figures share besides their state: when to compute and when to rest; the frame of title, controls, drawing,
 * words and footer. A figure adds its model, its drawing and its sentences.
 */
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { darkTheme, lightTheme, pageTheme, type Theme } from "../charts/theme.ts";
import type { Pool } from "../core/types.ts";
import { type Address, frameCode } from "../state/address.ts";
import type { FigureName } from "../state/fields.ts";
import type { FigureState } from "../state/hash.ts";
import { serialiseValue } from "../state/schema.ts";
import { type Copied, exportWidth, type Paper, type Print, type Table, takeaways } from "./actions.ts";
import { Announcer } from "./announcer.ts";
import { footer, type Status } from "./footer.ts";
import { type Job, Latest } from "./latest.ts";
import { watchPresence } from "./presence.ts";
import type { ReadingCursor } from "./reading-cursor.ts";
import { sharedPool } from "./shared-pool.ts";
import { StateElement } from "./state-element.ts";
import { figureStyle } from "./style.ts";
import { troubleNote, troubleSentence } from "./trouble.ts";

export abstract class FigureElement<N extends FigureName> extends StateElement<N> {
  static override styles = [figureStyle];
  static override properties: PropertyDeclarations = {
    pool: { attribute: false },
    address: { attribute: false },
    width: { state: true },
    paused: { state: true },
    trouble: { state: true },
    copied: { state: true },
    spoken: { state: true },
    unfolded: { state: true },
  };

  /** Where the numbers come from; the page's shared pool unless something else is given. */
  declare pool: Pool | undefined;
  /** Set by a page that keeps its figures' state in its address: only there does a link lead back to the picture. */
  declare address: Address | undefined;
  declare protected width: number;
  declare protected paused: boolean;
  declare protected trouble: string;
  /** The link or the code that was asked for, to be seen and copied by hand. */
  declare protected copied: Copied | null;
  declare protected spoken: string;
  /** Whether the data table is open; a closed one costs nothing. */
  declare protected unfolded: boolean;

  protected abstract readonly heading: TemplateResult;
  protected abstract readonly lede: TemplateResult;
  protected abstract readonly plainTitle: string;
  protected abstract job(pool: Pool): Job;
  /** The part of the state that the numbers on display belong to; the controls may be ahead of it. Null: no numbers yet. */
  protected abstract source(): Partial<FigureState<N>> | null;
  protected abstract controls(): TemplateResult;
  protected abstract legend(): TemplateResult;
  protected abstract draw(width: number, theme: Theme, paper?: Paper): TemplateResult;
  protected abstract words(): TemplateResult;
  /** The words as plain text: spoken, and written into exported files. */
  protected abstract summary(): string;
  protected abstract table(): Table;
  /** What the CSV file holds, where that is more than is read on the page. */
  protected sheet(): Table {
    return this.table();
  }
  /** What the numbers rest on; null where nothing is sampled, and there is nothing to pause. */
  protected status(): Status | null {
    return null;
  }
  /** For drawings that are read along an axis. The others bring controls of their own inside the drawing. */
  protected cursor(): ReadingCursor<FigureState<N>> | null {
    return null;
  }
  /** What tells two exported files of this figure apart, besides the seed: "dk512". */
  protected fileTag(): string {
    return "";
  }

  readonly #latest = new Latest((error) => this.#failed(error));
  #inSight = false;
  #numbered = false;
  #unwatch: () => void = () => {};
  readonly #announcer = new Announcer({
    show: (text) => {
      this.spoken = text;
    },
    shown: () => this.updateComplete,
    summary: () => (this.#pending && !this.trouble ? null : this.summary()),
  });

  constructor() {
    super();
    this.width = 0;
    this.paused = false;
    this.trouble = "";
    this.copied = null;
    this.spoken = "";
    this.unfolded = false;
  }

  /** True while an answer to the newest question is awaited. */
  get #pending(): boolean {
    const source = this.source();
    if (!source) return true;
    return (Object.keys(source) as (keyof typeof source)[]).some(
      (name) => serialiseValue(source[name]) !== serialiseValue(this.state[name]),
    );
  }

  /** Undefined for figures without random numbers. */
  get #seed(): number | undefined {
    return (this.state as { seed?: number }).seed;
  }

  #hides(part: FigureState<N>["hide"][number]): boolean {
    return (this.state.hide as readonly string[]).includes(part);
  }

  /** Whether the picture is the final one of these settings: nothing is being computed, nothing waits to be drawn. */
  get complete(): boolean {
    return this.width > 0 && this.#latest.done && !this.isUpdatePending;
  }

  override adopt(values: Readonly<Record<string, unknown>>): void {
    super.adopt(values);
    this.copied = null;
  }

  protected override change(patch: Partial<FigureState<N>>): void {
    this.copied = null;
    this.#announcer.soon();
    super.change(patch);
  }

  /** Called by models when numbers came in. */
  protected arrived(result: Record<string, unknown>): void {
    this.trouble = "";
    this.requestUpdate();
    this.tell("sqrtdk-result", { figure: this.figureName, ...result });
  }

  /**
   * One drawing a frame: a moving slider and the answers to it come several to a frame. Where no frames come (a hidden
   * tab) none is waited for, nor for the first numbers: drawn and laid out in one task they would hold the page for long.
   */
  protected override async scheduleUpdate(): Promise<void> {
    const first = !this.#numbered && this.source() !== null;
    this.#numbered ||= first;
    if (this.hasUpdated && !document.hidden)
      await new Promise((resolve) => (first ? setTimeout(resolve) : requestAnimationFrame(resolve)));
    super.scheduleUpdate();
  }

  override firstUpdated(): void {
    this.#observe();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#observe();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unwatch();
    this.#inSight = false;
    this.#announcer.stop();
    this.#latest.stop();
  }

  #observe(): void {
    this.#unwatch();
    // The first drawing comes a moment after the element, which may have left by then.
    if (!this.isConnected) return;
    this.#unwatch = watchPresence({
      host: this,
      measured: this.renderRoot.querySelector(".plot") as HTMLElement,
      onWidth: (width) => {
        this.width = width;
      },
      onSight: (inSight) => {
        this.#inSight = inSight;
        this.#rest();
      },
    });
    if (this.width > 0) this.#compute();
  }

  /** Refinement runs only where somebody can see it. */
  #rest(): void {
    if (this.#inSight && !this.paused) this.#latest.resume();
    else this.#latest.pause();
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    const firstWidth = changed.has("width") && !changed.get("width");
    if (this.width > 0 && (changed.has("state") || changed.has("pool") || firstWidth)) this.#compute();
  }

  #compute(): void {
    try {
      this.#latest.ask(this.job(this.pool ?? sharedPool()));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.trouble = troubleSentence(error);
    // The sentence is for the reader; whoever embeds the figure gets the error itself.
    this.tell("sqrtdk-error", { figure: this.figureName, error });
  }

  /** The settings as they are; the pressed button goes, and whoever works by keyboard goes on at the words. */
  readonly #again = () => {
    this.renderRoot.querySelector<HTMLElement>("#words")?.focus({ preventScroll: true });
    this.trouble = "";
    this.#compute();
  };

  #onPaper(width: number, theme: Theme): TemplateResult {
    return this.draw(width, theme, { title: this.plainTitle, description: this.summary(), opaque: true });
  }

  /** What "SVG" saves, after the numbers are as fine as they get, or the first ones. Takes neither page nor document. */
  async printed(pool: Pool, { width, theme, signal, draft }: Print): Promise<TemplateResult> {
    const job = this.job(pool);
    await job.coarse(signal);
    if (!draft) await job.refine?.(signal);
    this.willUpdate(new Map());
    return this.#onPaper(width, theme);
  }

  readonly #actions = {
    resample: () => this.change({ seed: Math.floor(Math.random() * 1e6) } as Partial<FigureState<N>>),
    seed: (seed: unknown) => {
      this.choose({ seed });
      return this.#seed as number;
    },
    pause: () => {
      this.paused = !this.paused;
      this.#rest();
    },
    reset: () => {
      this.paused = false;
      this.#rest();
      this.restore();
    },
    ...takeaways({
      fileName: () => {
        const { seed } = { seed: this.#seed, ...this.source() };
        const parts = ["sqrtdk", this.figureName, this.fileTag(), seed === undefined ? "" : `seed${seed}`];
        return parts.filter(Boolean).join("-");
      },
      table: () => this.sheet(),
      drawing: () => {
        const dark = matchMedia("(prefers-color-scheme: dark)").matches;
        return this.#onPaper(exportWidth, dark ? darkTheme : lightTheme);
      },
      link: () => this.address?.link(this.figureName, this.state, this.id || this.figureName) ?? "",
      code: () => {
        const url = this.address?.frame(this.figureName, this.state) ?? "";
        return frameCode(url, this.plainTitle, this.getBoundingClientRect().height);
      },
      copied: (copied, done) => {
        this.copied = copied;
        const name = copied.kind === "link" ? "The link" : "The code";
        void this.#announcer.now(done ? `${name} is copied.` : `${name} is shown below the buttons.`);
      },
      failed: (error) => this.#failed(error),
    }),
  };

  #key(event: KeyboardEvent): void {
    const patch = this.cursor()?.afterKey(event);
    if (!patch) return;
    event.preventDefault();
    this.change(patch);
  }

  #point(event: PointerEvent): void {
    const patch = this.cursor()?.atPointer(event);
    if (patch) this.change(patch);
  }

  #plot(): TemplateResult {
    const content = this.width > 0 ? this.draw(this.width, pageTheme) : nothing;
    const cursor = this.cursor();
    if (!cursor) return html`<div class="plot">${content}</div>`;
    const { name, text, min, max, now } = cursor;
    return html`<div class="plot" role="slider" tabindex="0" aria-label=${name} aria-valuemin=${min} aria-valuemax=${max}
      aria-valuenow=${now} aria-valuetext=${text} aria-describedby="words"
      @keydown=${this.#key} @pointerdown=${this.#point} @pointermove=${this.#point}>${content}</div>`;
  }

  override render(): TemplateResult {
    const status = this.status();
    const waiting = this.#pending && !this.trouble;
    const silent = this.trouble && (status?.done ?? 0) === 0;
    return html`<figure class="figure" aria-labelledby="title" aria-describedby="words">
      <figcaption class=${this.#hides("title") ? "hidden" : ""}>
        <h3 id="title">${this.heading}</h3>
        <p class="lede">${this.lede}</p>
      </figcaption>
      ${this.notes.map((note) => html`<p class="note">${note}</p>`)}
      ${this.#hides("controls") ? nothing : html`<div class="controls" role="group" aria-label="Settings">${this.controls()}</div>`}
      ${this.#hides("legend") ? nothing : this.legend()}
      ${this.#plot()}
      ${this.trouble ? troubleNote(this.trouble, this.#again) : nothing}
      <div class="words ${this.#hides("words") ? "hidden" : ""}" id="words" tabindex="-1" aria-busy=${waiting}>${silent ? nothing : this.words()}</div>
      ${footer({
        hide: this.state.hide,
        status,
        table: this.unfolded ? this.table() : null,
        seed: this.#seed,
        paused: this.paused,
        linkable: this.address !== undefined,
        copied: this.copied,
        onUnfold: (open) => {
          this.unfolded = open;
        },
        actions: this.#actions,
      })}
      <p class="hidden" role="status" aria-live="polite">${this.spoken}</p>
    </figure>`;
  }
}
