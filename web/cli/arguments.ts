/** What stands on the command line: options as text, read one by one with messages that name them. */
import { parseArgs } from "node:util";
import { nearest } from "../core/checks.ts";
import type { ScaleRule } from "../core/types.ts";

/** The command cannot be understood: exit status 2. */
export class UsageError extends Error {}

export interface Option {
  /** What stands for the value in the help; left out for a switch. */
  value?: string;
  about: string;
}
export type Options = Readonly<Record<string, Option>>;

export interface Arguments {
  words: string[];
  text(name: string): string | undefined;
  flag(name: string): boolean;
}

/** `--correlation -0.1` as `--correlation=-0.1`: a number is no option. */
function joined(args: readonly string[]): string[] {
  const all: string[] = [];
  for (const arg of args) {
    const last = all.at(-1) ?? "";
    if (/^-\.?\d/.test(arg) && /^--[^=]+$/.test(last)) all[all.length - 1] = `${last}=${arg}`;
    else all.push(arg);
  }
  return all;
}

/** What is no option is an error, unless `words` are expected. */
export function readArguments(args: readonly string[], options: Options, words = false): Arguments {
  const known: Options = { ...options, help: { about: "" } };
  const kinds = Object.entries(known).map(([name, { value }]) => [
    name,
    { type: value === undefined ? "boolean" : "string" } as const,
  ]);
  try {
    const { values, positionals } = parseArgs({
      args: joined(args),
      options: Object.fromEntries(kinds),
      allowPositionals: true,
    });
    const all = values as Record<string, string | boolean | undefined>;
    if (!words && positionals[0] !== undefined)
      throw new UsageError(`${JSON.stringify(positionals[0])} belongs to no option`);
    return {
      words: positionals,
      text: (name) => all[name] as string | undefined,
      flag: (name) => all[name] === true,
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message } = error as Error;
    const unknown = /^Unknown option '--?([^']*)'/.exec(message)?.[1];
    if (unknown === undefined) throw new UsageError((message.split("\n")[0] as string).replace(/\.$/, ""));
    throw new UsageError(`there is no option --${unknown}${hint(unknown, Object.keys(known), "--")}`);
  }
}

/** The known word that was probably meant. */
export function hint(word: string, known: readonly string[], prefix = ""): string {
  const guess = nearest(word.slice(0, 100), known);
  return guess === undefined ? "" : `; did you mean ${prefix}${guess}?`;
}

export function wordOf<Word extends string>(what: string, text: string, known: readonly Word[]): Word {
  if (known.includes(text as Word)) return text as Word;
  const list = known.join(", ");
  throw new UsageError(`${what} must be one of ${list}, got ${JSON.stringify(text)}${hint(text, known)}`);
}

function refuse(name: string, expected: string, text: string): never {
  throw new UsageError(`--${name} must be ${expected}, got ${JSON.stringify(text)}`);
}

/** 1000, 1e3 and 10^3; NaN for anything else. */
function numberIn(text: string): number {
  const power = /^(\d{1,5})\^(\d{1,3})$/.exec(text);
  if (power) return Number(power[1]) ** Number(power[2]);
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

export function number(name: string, text: string): number {
  const value = numberIn(text.trim());
  return Number.isNaN(value) ? refuse(name, "a number", text) : value;
}

export function whole(name: string, text: string, low: number, high: number): number {
  const value = number(name, text);
  if (Number.isInteger(value) && value >= low && value <= high) return value;
  return refuse(name, `a whole number from ${low} to ${high}`, text);
}

export const numbers = (name: string, text: string) => text.split(",").map((item) => number(name, item));

const longestRange = 65536;

/** A number, every whole number of `3..9`, or every power of `2^0..2^12`. */
function numbersOf(name: string, item: string): number[] {
  const [from, to, more] = item.split("..");
  if (to === undefined) return [number(name, item)];
  const expected = "numbers and ranges like 1,4,16 or 3..9 or 2^0..2^12";
  const powers = /^(\d+)\^(\d+)\.\.\1\^(\d+)$/.exec(item.trim());
  const low = powers ? Number(powers[2]) : number(name, from as string);
  const high = powers ? Number(powers[3]) : number(name, to);
  const whole = Number.isSafeInteger(low) && Number.isSafeInteger(high);
  if (more !== undefined || !whole || low > high || high - low >= longestRange) refuse(name, expected, item);
  const base = Number(powers?.[1]);
  return Array.from({ length: high - low + 1 }, (_, i) => (powers ? base ** (low + i) : low + i));
}

export const ranges = (name: string, text: string) =>
  text.split(",").flatMap((item) => numbersOf(name, item));

const scaleWords = ["none", "rsqrt", "reciprocal"] as const;
/** Rules by name, and the option that the first number after the name is. */
const rules = {
  temperature: "temperature",
  softcap: "softcap",
  "qk-norm": "gain",
  "log-n": "factor",
} as const;

/** How --scale is written: also the help's words. */
export const scaleSyntax =
  "none, rsqrt, reciprocal, a number alpha for d_k^-alpha, temperature:T, softcap:C[:SCALE], qk-norm[:GAIN], log-n[:FACTOR[:SCALE]]";

/** Whether the core accepts the numbers is the core's to say. */
export function scaleRule(name: string, text: string): ScaleRule {
  const [word, first, second, more] = text.trim().split(":") as [string, ...(string | undefined)[]];
  const plain = (item: string) => {
    const known = scaleWords.find((each) => each === item);
    if (known) return known;
    const alpha = numberIn(item);
    return Number.isNaN(alpha) ? refuse(name, scaleSyntax, text) : alpha;
  };
  if (more !== undefined) refuse(name, scaleSyntax, text);
  if (!(word in rules)) return first === undefined ? plain(word) : refuse(name, scaleSyntax, text);
  const rule = word as keyof typeof rules;
  const needed = rule === "temperature" || rule === "softcap";
  const scalable = rule === "softcap" || rule === "log-n";
  if ((needed && first === undefined) || (second !== undefined && !scalable)) refuse(name, scaleSyntax, text);
  return {
    rule,
    ...(first !== undefined && { [rules[rule]]: number(name, first) }),
    ...(second !== undefined && { scale: plain(second) }),
  } as ScaleRule;
}

/** The same, backwards: a cell of a table. */
export function scaleText(scale: unknown): string {
  if (typeof scale !== "object" || scale === null) return String(scale);
  const { rule, ...rest } = scale as { rule: keyof typeof rules; scale?: string; [name: string]: unknown };
  return [rule, rest[rules[rule]], rest.scale].filter((part) => part !== undefined).join(":");
}
