/** Argument checks: Embind checks nothing in release builds, so everything is checked here, before any work. */
import { type ErrorCode, SqrtdkError } from "./errors.ts";

/** Largest integer a seed may be: 2^53 - 1. */
export const maximumSeed = Number.MAX_SAFE_INTEGER;

// Getters of the prototype all typed arrays share. They look into the object itself: they tell arrays of other
// frames apart from look-alikes, and no subclass or own property can pretend another length.
const typedArray = Object.getPrototypeOf(Float32Array.prototype);
const getter = (name: PropertyKey) => Object.getOwnPropertyDescriptor(typedArray, name)?.get as () => unknown;
const tagGetter = getter(Symbol.toStringTag);
const lengthGetter = getter("length");
const byteOffsetGetter = getter("byteOffset");
const bufferGetter = getter("buffer");
const { indexOf, set } = typedArray;

/** "Float32Array" and the like, or undefined for what is no typed array. */
export const typedArrayName = (value: unknown) => tagGetter.call(value) as string | undefined;
export const lengthOf = (array: ArrayBufferView) => lengthGetter.call(array) as number;
export const byteOffsetOf = (array: ArrayBufferView) => byteOffsetGetter.call(array) as number;
export const bufferOf = (array: ArrayBufferView) => bufferGetter.call(array) as ArrayBufferLike;
/** `array.set(values)`, whatever `set` a caller's array has of its own. */
export const setValues = (array: Float32Array, values: Float32Array, start = 0) =>
  void set.call(array, values, start);

const maximumText = 100;
/** Text of a caller's for an error message, cut to a length that can be read. */
export const cut = (text: string, length = maximumText) =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/** A value for an error message: short, and safe for anything, proxies that throw included. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(cut(value, 40));
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "bigint") return cut(`${value}n`);
  if (typeof value === "symbol" || typeof value === "function") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  const kind = typedArrayName(value);
  if (kind) return `a ${kind} of length ${lengthOf(value as ArrayBufferView)}`;
  try {
    return Array.isArray(value)
      ? `an array of length ${value.length}`
      : `an object (${cut(value.constructor.name)})`;
  } catch {
    return "an object";
  }
}

/** Throws the error of an argument that is not what it must be. */
export function reject(code: ErrorCode, call: string, name: string, expected: string, value: unknown): never {
  throw new SqrtdkError(code, `${call}: ${name} must be ${expected}, got ${describe(value)}`);
}

/** How many letters differ, roughly: insertions, deletions and replacements that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** The known name that is nearest to a misspelt one, if any is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const distances = known.map((name) => editDistance(lower, name.toLowerCase()));
  const best = Math.min(...distances);
  return best <= Math.max(2, word.length / 3) ? known[distances.indexOf(best)] : undefined;
}

/** Objects that are no options whatever properties they have: what is in them would be silently ignored. */
const noOptions =
  /^\[object (.*Array|.*Buffer|DataView|(Weak)?(Map|Set)|Date|RegExp|Promise|Error|URL.*|AbortSignal|EventTarget|Intl.*|Number|String|Boolean)\]$/;

export function isOptions(value: unknown): value is object {
  if (typeof value !== "object" || value === null || typedArrayName(value)) return false;
  try {
    Object.getPrototypeOf(value); // throws for a proxy that was revoked
  } catch {
    return false;
  }
  const kind = Object.prototype.toString.call(value);
  return kind === "[object Object]" || !noOptions.test(kind);
}

/**
 * A copy of an options object, every property read once: getters have no second chance to change their answer, and
 * what they throw is thrown before anything is allocated. Known names may be inherited, as getters of a class are; own
 * names outside `known` are errors. So is null: what is not given is left out, or undefined.
 */
export function readOptions<Name extends string>(
  call: string,
  options: unknown,
  known: readonly Name[],
  what = "options",
): { [name in Name]?: unknown } {
  if (options === undefined) return {};
  if (!isOptions(options)) reject("ERR_TYPE", call, what, "an object", options);
  for (const name of Object.keys(options)) {
    if (known.includes(name as Name)) continue;
    const guess = nearest(name.slice(0, maximumText), known);
    const hint = guess ? `did you mean "${guess}"?` : `known are ${known.join(", ")}`;
    throw new SqrtdkError("ERR_OPTION", `${call}: ${what} has no "${cut(name)}"; ${hint}`);
  }
  const copy: { [name in Name]?: unknown } = {};
  for (const name of known) {
    const value = (options as { [name in Name]?: unknown })[name];
    if (value === null) reject("ERR_TYPE", call, `${what}.${name}`, "given or left out", value);
    copy[name] = value;
  }
  return copy;
}

/** Of a value that is not the number it must be. What was expected is put into words only then: that takes longest. */
const codeOf = (value: unknown): ErrorCode => (typeof value === "number" ? "ERR_RANGE" : "ERR_TYPE");

export function integer(call: string, name: string, value: unknown, low: number, high: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
  return reject(codeOf(value), call, name, `an integer from ${low} to ${high}`, value);
}

/** A finite number between limits, both included. */
export function real(
  call: string,
  name: string,
  value: unknown,
  low = Number.NEGATIVE_INFINITY,
  high = Number.POSITIVE_INFINITY,
): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= low && value <= high) return value;
  const bounds =
    low === Number.NEGATIVE_INFINITY
      ? ""
      : high === Number.POSITIVE_INFINITY
        ? ` of at least ${low}`
        : ` from ${low} to ${high}`;
  return reject(codeOf(value), call, name, `a finite number${bounds}`, value);
}

/** Largest magnitude of a factor of scores: float32 knows it, and its products with usual scores. */
export const maximumFactor = 1e30;

export const readFactor = (call: string, value: unknown) =>
  real(call, "scale", value, -maximumFactor, maximumFactor);

export function oneOf<Name extends string>(
  call: string,
  name: string,
  value: unknown,
  known: readonly Name[],
): Name {
  if (!known.includes(value as Name)) {
    const list = known.map((k) => `"${k}"`).join(", ");
    reject(typeof value === "string" ? "ERR_RANGE" : "ERR_TYPE", call, name, `one of ${list}`, value);
  }
  return value as Name;
}

export function flag(call: string, name: string, value: unknown): boolean {
  if (typeof value !== "boolean") reject("ERR_TYPE", call, name, "true or false", value);
  return value;
}

/** Whether it is an array whose items can be read: not a proxy that was revoked. */
export function isList(value: unknown): value is unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** A copy of a list, every item read once and by its index: what its iterator yields may be something else. */
export function readItems<Item>(list: ArrayLike<unknown>, read: (item: unknown, i: number) => Item): Item[] {
  const items: Item[] = [];
  const { length } = list;
  for (let i = 0; i < length; i++) items.push(read(list[i], i));
  return items;
}

/** A non-empty array of integers without gaps, copied. */
export function integers(call: string, name: string, value: unknown, low: number, high: number): number[] {
  if (!isList(value)) reject("ERR_TYPE", call, name, "an array", value);
  const items = readItems(value, (item, i) => integer(call, `${name}[${i}]`, item, low, high));
  if (items.length === 0) reject("ERR_RANGE", call, name, "an array of at least one number", value);
  return items;
}

/**
 * An array that is empty because its memory was transferred, or shrank below it, is a mistake of the caller's and not an
 * empty input.
 */
export function isDetached(array: ArrayBufferView): boolean {
  if (lengthOf(array) > 0) return false;
  try {
    indexOf.call(array, 0); // like every method of the prototype it refuses an array without memory
    return false;
  } catch {
    return true;
  }
}
