/**
 * Typed, named values that can be read from attributes, the query, the hash and messages, and written back.
 * Reading never throws and never yields anything but numbers, booleans and words from a fixed list: what cannot be
 * read falls back to the default and leaves a note for the reader. Notes are plain text.
 */

interface Common {
  /** What it means, in words a teacher who edits a link can use. */
  about: string;
  /** Private fields are kept out of links and messages. */
  public?: boolean;
}

export interface IntegerField extends Common {
  kind: "integer";
  default: number;
  min: number;
  max: number;
}

export interface FlagField extends Common {
  kind: "flag";
  default: boolean;
}

export interface ChoiceField<V extends string = string> extends Common {
  kind: "choice";
  default: V;
  values: readonly V[];
}

/** Any subset of the values; written with commas, "-" when empty. */
export interface SetField<V extends string = string> extends Common {
  kind: "set";
  default: readonly V[];
  values: readonly V[];
}

export type Field = IntegerField | FlagField | ChoiceField | SetField;
export type Schema = Readonly<Record<string, Field>>;

export type ValueOf<F> = F extends IntegerField
  ? number
  : F extends FlagField
    ? boolean
    : F extends ChoiceField<infer V>
      ? V
      : F extends SetField<infer V>
        ? readonly V[]
        : never;

export type StateOf<S extends Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };

export interface Parsed<T> {
  value: T;
  note?: string;
}

const maxShown = 40;

function quoted(text: string): string {
  const clean = text.replace(/\p{Cc}/gu, " ");
  return `\u201c${clean.length > maxShown ? `${clean.slice(0, maxShown)}\u2026` : clean}\u201d`;
}

function parseInteger(field: IntegerField, text: string): Parsed<number> | null {
  if (!/^[+-]?\d{1,20}$/.test(text)) return null;
  const value = Number(text);
  if (value >= field.min && value <= field.max && Number.isSafeInteger(value)) return { value };
  return null;
}

function parseSet(field: SetField, text: string): Parsed<readonly string[]> | null {
  if (text === "-" || text === "") return { value: [] };
  const words = text.split(",").map((word) => word.trim());
  if (words.some((word) => !field.values.includes(word))) return null;
  // In the schema's order, once each: equal states serialise alike.
  return { value: field.values.filter((value) => words.includes(value)) };
}

function parseFlag(text: string): Parsed<boolean> | null {
  // An attribute without a value is the empty string and means yes.
  if (["", "1", "true", "on", "yes"].includes(text)) return { value: true };
  return ["0", "false", "off", "no"].includes(text) ? { value: false } : null;
}

function expected(field: Field): string {
  switch (field.kind) {
    case "integer":
      return `a whole number from ${field.min} to ${field.max}`;
    case "flag":
      return "1 or 0";
    case "choice":
      return `one of ${field.values.join(", ")}`;
    case "set":
      return `some of ${field.values.join(", ")}, with commas`;
  }
}

/** One value from outside. `undefined` and `null` mean "not given" and leave no note. */
export function parseField<F extends Field>(name: string, field: F, raw: unknown): Parsed<ValueOf<F>> {
  const fallback = field.default as ValueOf<F>;
  if (raw === undefined || raw === null) return { value: fallback };
  const simple = ["string", "number", "boolean"].includes(typeof raw) || Array.isArray(raw);
  const text = simple ? String(raw).trim() : `a ${typeof raw}`;
  let parsed: Parsed<unknown> | null = null;
  if (simple) {
    if (field.kind === "integer") parsed = parseInteger(field, text);
    else if (field.kind === "flag") parsed = parseFlag(text);
    else if (field.kind === "set") parsed = parseSet(field, text);
    else if (field.values.includes(text)) parsed = { value: text };
  }
  if (parsed) return parsed as Parsed<ValueOf<F>>;
  const used = Array.isArray(field.default) ? field.default.join(",") : String(field.default);
  return {
    value: fallback,
    note: `${name} = ${quoted(text)} is not ${expected(field)}; ${used} is shown instead.`,
  };
}

/** A whole state; names the schema does not know are the business of others and are passed over. */
export function parseState<S extends Schema>(
  schema: S,
  read: (name: string) => unknown,
): { state: StateOf<S>; notes: string[] } {
  const notes: string[] = [];
  const state: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema)) {
    const { value, note } = parseField(name, field, read(name));
    state[name] = value;
    if (note) notes.push(note);
  }
  return { state: state as StateOf<S>, notes };
}

export function defaults<S extends Schema>(schema: S): StateOf<S> {
  return parseState(schema, () => undefined).state;
}

export function serialiseValue(value: unknown): string {
  if (Array.isArray(value)) return value.length ? value.join(",") : "-";
  return typeof value === "boolean" ? (value ? "1" : "0") : String(value);
}

/** Every public value, defaults too: a default that changes later must not change a link that exists. */
export function serialiseState<S extends Schema>(
  schema: S,
  state: StateOf<S>,
): [name: string, text: string][] {
  return Object.entries(schema)
    .filter(([, field]) => field.public !== false)
    .map(([name]) => [name, serialiseValue(state[name])]);
}

/** queryStd -> query-std */
export function attributeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
