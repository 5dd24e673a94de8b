/**
 * What all figures share: state from attributes, links and controls; when to compute and when to rest; the frame of
 * title, controls, drawing, words and footer. A figure adds its model, its drawing and its sentences.
 */
import { html, LitElement, nothing, type TemplateResult } from "lit";
import { darkTheme, lightTheme, pageTheme, type Theme } from "../charts/theme.ts";
import type { Pool } from "../core/types.ts";
import { type FigureName, figureSchemas } from "../state/fields.ts";
import { type FigureState, linkTo } from "../state/hash.ts";
import { attributeName, parseField, parseState, type Schema } from "../state/schema.ts";
import { copyText, type Paper, saveCsv, savePng, saveSvg, type Table } from "./actions.ts";
import { footer, type Status } from "./footer.ts";
import { type Job, Latest } from "./latest.ts";
import { watchPresence } from "./presence.ts";
import { dimensionAfterKey } from "./reading-cursor.ts";
import { sharedPool } from "./shared-pool.ts";
import { figureStyle } from "./style.ts";
import { troubleSentence } from "./trouble.ts";

const exportWidth = 1040;
const speakEvery = 800;

export abstract class FigureElement<N extends FigureName> extends LitElement {
  static figureName: FigureName;
  static override styles = [figureStyle];
  static override properties = {
    pool: { attribute: false },
    state: { attribute: false },
    width: { state: true },
    paused: { state: true },
    trouble: { state: true },
    link: { state: true },
    spoken: { state: true },
    unfolded: { state: true },
  };

  /** Where the numbers come from; the page's shared pool unless something else is given. */
  declare pool: Pool | undefined;
  declare state: FigureState<N>;
  declare protected width: number;
  declare protected paused: boolean;
  declare protected trouble: string;
  declare protected link: string;
  declare protected spoken: string;
  /** Whether the data table is open; a closed one costs nothing. */
  declare protected unfolded: boolean;

  protected abstract readonly heading: TemplateResult;
  protected abstract readonly lede: TemplateResult;
  protected abstract readonly plainTitle: string;
  protected abstract job(pool: Pool): Job;
  protected abstract controls(): TemplateResult;
  protected abstract legend(): TemplateResult;
  protected abstract draw(width: number, theme: Theme, paper?: Paper): TemplateResult;
  protected abstract words(): TemplateResult;
  /** The words as plain text: spoken, and written into exported files. */
  protected abstract summary(): string;
  protected abstract table(): Table;
  protected abstract status(): Status;
  /** The d_k under a point of the drawing, or null where there is none. */
  protected abstract dimensionAt(x: number, y: number): number | null;

  readonly #latest = new Latest((error) => this.#failed(error));
  readonly #notes = new Map<string, string>();
  #inSight = false;
  #unwatch: () => void = () => {};
  #speaking: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.state = parseState(this.#schema, () => undefined).state as FigureState<N>;
    this.width = 0;
    this.paused = false;
    this.trouble = "";
    this.link = "";
    this.spoken = "";
    this.unfolded = false;
  }

  get figureName(): N {
    return (this.constructor as typeof FigureElement).figureName as N;
  }

  get #schema(): Schema {
    return figureSchemas[this.figureName];
  }

  protected get reducedMotion(): boolean {
    return matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  static override get observedAttributes(): string[] {
    // `this` is the figure's own class here, not this base. Read first: it makes Lit finish the class.
    // biome-ignore-start lint/complexity/noThisInStatic: the subclass is meant
    const own = super.observedAttributes;
    return [...own, ...Object.keys(figureSchemas[this.figureName]).map(attributeName)];
    // biome-ignore-end lint/complexity/noThisInStatic: the subclass is meant
  }

  override attributeChangedCallback(attribute: string, old: string | null, text: string | null): void {
    super.attributeChangedCallback(attribute, old, text);
    const name = Object.keys(this.#schema).find((field) => attributeName(field) === attribute);
    if (name) this.adopt({ [name]: text });
  }

  /** Values from outside, of any type: each is checked, and what does not fit leaves a visible note. */
  adopt(values: Readonly<Record<string, unknown>>): void {
    const next: Record<string, unknown> = { ...this.state };
    for (const [name, raw] of Object.entries(values)) {
      const field = this.#schema[name];
      if (!field) continue;
      const { value, note } = parseField(name, field, raw);
      next[name] = value;
      if (note) this.#notes.set(name, note);
      else this.#notes.delete(name);
    }
    this.state = next as FigureState<N>;
  }

  /** A change made by the reader: shown, computed, and told to the page. */
  protected change(patch: Partial<FigureState<N>>): void {
    for (const name of Object.keys(patch)) this.#notes.delete(name);
    this.state = { ...this.state, ...patch };
    this.link = "";
    this.#speakSoon();
    this.#tell("sqrtdk-state", { figure: this.figureName, state: this.state });
  }

  /** Like a change made by the reader, from words outside: buttons in the text, messages. */
  choose(values: Readonly<Record<string, unknown>>): void {
    this.adopt(values);
    this.change({});
  }

  /** Called by models when numbers came in. */
  protected arrived(result: Record<string, unknown>): void {
    this.trouble = "";
    this.requestUpdate();
    this.#tell("sqrtdk-result", { figure: this.figureName, ...result });
  }

  /**
   * One drawing a frame. A moving slider and the answers to it come several to a frame; drawn one by one they cost
   * twice the time. Where no frames come (a hidden tab) the update is not held back.
   */
  protected override async scheduleUpdate(): Promise<void> {
    if (this.hasUpdated && !document.hidden) await new Promise((resolve) => requestAnimationFrame(resolve));
    super.scheduleUpdate();
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
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
    clearTimeout(this.#speaking);
    this.#latest.stop();
  }

  #observe(): void {
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
    this.#tell("sqrtdk-error", { figure: this.figureName, error });
  }

  /** The live region speaks once the reader's hand rests, never while numbers stream in. */
  #speakSoon(): void {
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => {
      this.spoken = this.summary();
    }, speakEvery);
  }

  #fileName(): string {
    return `sqrtdk-${this.figureName}-dk${this.state.dimension}-seed${this.state.seed}`;
  }

  #onPaper(): TemplateResult {
    const theme = matchMedia("(prefers-color-scheme: dark)").matches ? darkTheme : lightTheme;
    return this.draw(exportWidth, theme, {
      title: this.plainTitle,
      description: this.summary(),
      opaque: true,
    });
  }

  readonly #actions = {
    resample: () => this.change({ seed: Math.floor(Math.random() * 1e6) } as Partial<FigureState<N>>),
    seed: (seed: unknown) => {
      this.choose({ seed });
      return this.state.seed;
    },
    pause: () => {
      this.paused = !this.paused;
      this.#rest();
    },
    reset: () => {
      this.#notes.clear();
      const text = (name: string) => this.getAttribute(attributeName(name));
      this.paused = false;
      this.#rest();
      this.change(parseState(this.#schema, text).state as FigureState<N>);
    },
    link: async () => {
      const link = linkTo(location.href, this.figureName, this.state as never, this.id || this.figureName);
      const copied = await copyText(link);
      this.link = link;
      this.spoken = copied ? "Link copied." : "The link is shown below the buttons.";
    },
    csv: () => saveCsv(this.table(), this.#fileName()),
    svg: () => saveSvg(this.#onPaper(), this.#fileName()),
    png: () => savePng(this.#onPaper(), this.#fileName()).catch((error) => this.#failed(error)),
  };

  #key(event: KeyboardEvent): void {
    const dimension = dimensionAfterKey(event, this.state.dimension);
    if (dimension === null) return;
    event.preventDefault();
    this.change({ dimension } as Partial<FigureState<N>>);
  }

  #point(event: PointerEvent): void {
    if (event.type === "pointermove" && event.buttons !== 1) return;
    const plot = event.currentTarget as HTMLElement;
    const box = plot.getBoundingClientRect();
    const dimension = this.dimensionAt(event.clientX - box.left, event.clientY - box.top);
    if (dimension === null) return;
    if (event.type === "pointerdown") plot.setPointerCapture(event.pointerId);
    if (dimension !== this.state.dimension) this.change({ dimension } as Partial<FigureState<N>>);
  }

  override render(): TemplateResult {
    const { state, width } = this;
    return html`<div class="figure" role="figure" aria-labelledby="title" aria-describedby="words">
      <h3 id="title">${this.heading}</h3>
      <p class="lede">${this.lede}</p>
      ${[...this.#notes.values()].map((note) => html`<p class="note">${note}</p>`)}
      <div class="controls" role="group" aria-label="Settings">${this.controls()}</div>
      ${this.legend()}
      <div class="plot" role="slider" tabindex="0" aria-label="Reading cursor, d k" aria-valuemin="1" aria-valuemax="4096"
        aria-valuenow=${state.dimension} aria-valuetext="d k = ${state.dimension}" aria-describedby="words"
        @keydown=${this.#key} @pointerdown=${this.#point} @pointermove=${this.#point}>
        ${width > 0 ? this.draw(width, pageTheme) : nothing}
      </div>
      ${this.trouble ? html`<p class="trouble" role="alert">${this.trouble}</p>` : nothing}
      <div class="words" id="words">${this.trouble && this.status().done === 0 ? nothing : this.words()}</div>
      ${footer({
        status: this.status(),
        table: this.unfolded ? this.table() : null,
        seed: state.seed,
        paused: this.paused,
        link: this.link,
        onUnfold: (open) => {
          this.unfolded = open;
        },
        actions: this.#actions,
      })}
      <p class="hidden" role="status" aria-live="polite">${this.spoken}</p>
    </div>`;
  }
}
