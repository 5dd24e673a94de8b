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

/** Real numbers are kept with so many decimals and no more: a link then gives back the very same number. */
interface Real {
  min: number;
  max: number;
  decimals: number;
}

export interface NumberField extends Common, Real {
  kind: "number";
  default: number;
}

/** A list, written with commas. */
export interface NumbersField extends Common, Real {
  kind: "numbers";
  default: readonly number[];
  /** The fewest and the most there may be. */
  length: readonly [number, number];
}

/** Rows of equal length, written with commas and semicolons: 1,0;0,1. */
export interface MatrixField extends Common, Real {
  kind: "matrix";
  default: readonly (readonly number[])[];
  rows: readonly [number, number];
  columns: readonly [number, number];
}

/** A few cells of a matrix, the others being computed: row,column,value with rows and columns from 1, as 2,3,0.5;4,1,0. */
export interface CellsField extends Common, Real {
  kind: "cells";
  default: readonly CellValue[];
  rows: number;
  columns: number;
}

export type CellValue = readonly [row: number, column: number, value: number];

type RealField = NumberField | NumbersField | MatrixField;
export type Field = IntegerField | FlagField | ChoiceField | SetField | RealField | CellsField;
export type Schema = Readonly<Record<string, Field>>;

export type ValueOf<F> = F extends IntegerField | NumberField
  ? number
  : F extends FlagField
    ? boolean
    : F extends ChoiceField<infer V>
      ? V
      : F extends SetField<infer V>
        ? readonly V[]
        : F extends NumbersField
          ? readonly number[]
          : F extends MatrixField
            ? readonly (readonly number[])[]
            : F extends CellsField
              ? readonly CellValue[]
              : never;

export type StateOf<S extends Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };

export interface Parsed<T> {
  value: T;
  note?: string;
}

const maxShown = 40;
/** Much more than any field takes: longer lists from a message are not even looked through. */
const maxItems = 1000;

function quoted(text: string): string {
  const short = text.length > maxShown ? `${text.slice(0, maxShown)}\u2026` : text;
  // Format characters too: one that turns the direction of writing would turn the rest of the sentence.
  return `\u201c${short.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, " ")}\u201d`;
}

function parseInteger(field: Pick<IntegerField, "min" | "max">, text: string): Parsed<number> | null {
  if (!/^[+-]?\d{1,20}$/.test(text)) return null;
  const value = Number(text);
  if (value >= field.min && value <= field.max && Number.isSafeInteger(value)) return { value };
  return null;
}

/** Within bounds, and with no more decimals than the field keeps. */
function settledReal({ min, max, decimals }: Real, value: number): number {
  // Adding 0 turns -0 into 0.
  return Number(Math.min(max, Math.max(min, value)).toFixed(decimals)) + 0;
}

function parseReal(field: Real, text: string): number | null {
  const plain = text.trim().replace("\u2212", "-");
  if (!/^[+-]?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,3})?$/i.test(plain)) return null;
  const value = Number(plain);
  return value >= field.min && value <= field.max ? settledReal(field, value) : null;
}

const within = (count: number, [fewest, most]: readonly [number, number]) => count >= fewest && count <= most;

function parseReals(field: Real, text: string, length: readonly [number, number]): number[] | null {
  const values =
    text === "-" || text === "" ? [] : text.split(",", 1e4).map((each) => parseReal(field, each));
  return within(values.length, length) && !values.includes(null) ? (values as number[]) : null;
}

function parseMatrix(field: MatrixField, text: string): Parsed<readonly (readonly number[])[]> | null {
  const rows = text.split(";", 1e4).map((row) => parseReals(field, row.trim(), field.columns));
  const even = rows.every((row) => row !== null && row.length === rows[0]?.length);
  return within(rows.length, field.rows) && even ? { value: rows as number[][] } : null;
}

/** In reading order, each cell once: equal states serialise alike. */
function sortedCells(cells: readonly CellValue[]): readonly CellValue[] {
  return [...cells].sort(([a, b], [c, d]) => a - c || b - d);
}

function parseCells(field: CellsField, text: string): Parsed<readonly CellValue[]> | null {
  if (text === "-" || text === "") return { value: [] };
  const cells: CellValue[] = [];
  for (const part of text.split(";", field.rows * field.columns + 1)) {
    const [row, column, value, ...rest] = part.split(",", 4).map((each) => each.trim());
    const down = parseInteger({ min: 1, max: field.rows }, row ?? "");
    const across = parseInteger({ min: 1, max: field.columns }, column ?? "");
    const number = parseReal(field, value ?? "");
    if (!down || !across || number === null || rest.length > 0) return null;
    cells.push([down.value, across.value, number]);
  }
  const distinct = new Set(cells.map(([row, column]) => `${row},${column}`));
  return distinct.size === cells.length ? { value: sortedCells(cells) } : null;
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

const span = ([fewest, most]: readonly [number, number]) =>
  fewest === most ? String(most) : `${fewest} to ${most}`;

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
    case "number":
      return `a number from ${field.min} to ${field.max}`;
    case "numbers":
      return `${span(field.length)} numbers from ${field.min} to ${field.max}, with commas`;
    case "matrix":
      return `${span(field.rows)} rows of ${span(field.columns)} numbers from ${field.min} to ${field.max}, like 1,0;0,1`;
    case "cells":
      return `a list of row,column,value with rows to ${field.rows}, columns to ${field.columns}, values from ${field.min} to ${field.max}, each cell once, like 1,2,0.5;2,1,0`;
  }
}

function parseText(field: Field, text: string): Parsed<unknown> | null {
  switch (field.kind) {
    case "integer":
      return parseInteger(field, text);
    case "flag":
      return parseFlag(text);
    case "choice":
      return field.values.includes(text) ? { value: text } : null;
    case "set":
      return parseSet(field, text);
    case "matrix":
      return parseMatrix(field, text);
    case "cells":
      return parseCells(field, text);
    default: {
      const value = field.kind === "number" ? parseReal(field, text) : parseReals(field, text, field.length);
      return value === null ? null : { value };
    }
  }
}

/** The text of a value from outside, or null where it is of no simple kind: a message may bring anything. */
function textOf(raw: unknown, nesting = 2): string | null {
  if (Array.isArray(raw)) {
    // Not the array's own text: that nests without end, and calls what the sender wrote.
    if (nesting === 0 || raw.length > maxItems) return null;
    const parts = raw.map((part) => textOf(part, nesting - 1));
    return parts.includes(null) ? null : parts.join(separator(raw));
  }
  return ["string", "number", "boolean"].includes(typeof raw) ? String(raw).trim() : null;
}

/** One value from outside. `undefined` and `null` mean "not given" and leave no note. */
export function parseField<F extends Field>(name: string, field: F, raw: unknown): Parsed<ValueOf<F>> {
  const fallback = field.default as ValueOf<F>;
  if (raw === undefined || raw === null) return { value: fallback };
  const text = textOf(raw);
  const parsed = text === null ? null : parseText(field, text);
  if (parsed) return parsed as Parsed<ValueOf<F>>;
  return {
    value: fallback,
    note: `${name} = ${quoted(text ?? (Array.isArray(raw) ? "a list" : typeof raw))} is not ${expected(field)}; ${serialiseValue(field.default)} is shown instead.`,
  };
}

/** A value the reader's hand has made: reals are brought within bounds and to the decimals a link keeps. */
export function settled<F extends Field>(field: F, value: ValueOf<F>): ValueOf<F> {
  const settle = (each: unknown): unknown =>
    Array.isArray(each) ? each.map(settle) : settledReal(field as RealField, each as number);
  if (field.kind === "cells") {
    const cells = (value as readonly CellValue[]).map(([row, column, each]): CellValue => {
      return [row, column, settledReal(field, each)];
    });
    return sortedCells(cells) as ValueOf<F>;
  }
  return "decimals" in field ? (settle(value) as ValueOf<F>) : value;
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
  if (Array.isArray(value)) return value.length ? value.map(serialiseValue).join(separator(value)) : "-";
  return typeof value === "boolean" ? (value ? "1" : "0") : String(value);
}

const separator = (values: readonly unknown[]) => (Array.isArray(values[0]) ? ";" : ",");

/** Every public value, defaults too: a default that changes later must not change a link that exists. */
export function serialiseState<S extends Schema>(
  schema: S,
  state: StateOf<S>,
): [name: string, text: string][] {
  return Object.entries(publicState(schema, state)).map(([name, value]) => [name, serialiseValue(value)]);
}

/** Those of the values that are the world's business: no private fields, and no names the schema does not know. */
export function publicState(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = Object.keys(schema).filter(
    (name) => schema[name]?.public !== false && Object.hasOwn(values, name),
  );
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

/** queryStd -> query-std */
export function attributeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
