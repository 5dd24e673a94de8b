/** The half of every figure that holds its state: read from attributes, links, messages and controls, and told to the page. */
import { LitElement, type PropertyDeclarations } from "lit";
import { type FigureName, figureSchemas } from "../state/fields.ts";
import type { FigureState } from "../state/hash.ts";
import { attributeName, parseField, parseState, type Schema, settled } from "../state/schema.ts";

export abstract class StateElement<N extends FigureName> extends LitElement {
  static figureName: FigureName;
  static override properties: PropertyDeclarations = { state: { attribute: false } };

  declare state: FigureState<N>;
  /** What could not be read from outside, by field. */
  readonly #notes = new Map<string, string>();

  constructor() {
    super();
    this.state = parseState(this.#schema, () => undefined).state as FigureState<N>;
  }

  get figureName(): N {
    return (this.constructor as typeof StateElement).figureName as N;
  }

  get #schema(): Schema {
    return figureSchemas[this.figureName];
  }

  protected get notes(): readonly string[] {
    return [...this.#notes.values()];
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
    const next: Record<string, unknown> = { ...this.state };
    for (const [name, value] of Object.entries(patch)) {
      this.#notes.delete(name);
      const field = this.#schema[name];
      next[name] = field ? settled(field, value as never) : value;
    }
    this.state = next as FigureState<N>;
    this.tell("sqrtdk-state", { figure: this.figureName, state: this.state, notes: this.notes });
  }

  /** Like a change made by the reader, from words outside: buttons in the text, messages. */
  choose(values: Readonly<Record<string, unknown>>): void {
    this.adopt(values);
    this.change({});
  }

  /** Back to what the element's own attributes say. */
  protected restore(): void {
    this.#notes.clear();
    const text = (name: string) => this.getAttribute(attributeName(name));
    this.change(parseState(this.#schema, text).state as FigureState<N>);
  }

  protected tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
