/** How scores are made, by name or as an object: checked, and as the numbers the engine takes. */
import { isList, oneOf, readItems, readOptions, real, reject } from "./checks.ts";
import type { Engine } from "./engine.ts";
import { SqrtdkError } from "./errors.ts";
import { readScale, scaleFactor } from "./laws.ts";
import type { Scale, ScaleRule } from "./types.ts";

/** Of temperatures, caps, gains and factors: far beyond anything of use, and scores stay numbers of float32. */
const [smallest, largest] = [1e-6, 1e6];

/** What belongs to each rule. */
const settings = {
  temperature: ["temperature"],
  softcap: ["softcap", "scale"],
  "qk-norm": ["gain"],
  "log-n": ["factor", "scale"],
} as const;
const ruleNames = Object.keys(settings) as (keyof typeof settings)[];
const allSettings = ["rule", "temperature", "softcap", "scale", "gain", "factor"] as const;

function readRule(call: string, name: string, value: object): ScaleRule {
  const o = readOptions(call, value, allSettings, name);
  const rule = oneOf(call, `${name}.rule`, o.rule, ruleNames);
  const own: readonly string[] = settings[rule];
  for (const other of allSettings.slice(1)) {
    if (o[other] !== undefined && !own.includes(other))
      throw new SqrtdkError(
        "ERR_OPTION",
        `${call}: ${name} of rule "${rule}" has no "${other}"; known are ${own.join(", ")}`,
      );
  }
  const positive = (setting: "temperature" | "softcap" | "gain" | "factor", unlessGiven?: number) =>
    real(call, `${name}.${setting}`, o[setting] ?? unlessGiven, smallest, largest);
  const scale = () => readScale(call, `${name}.scale`, o.scale ?? "rsqrt");
  switch (rule) {
    case "temperature":
      return { rule, temperature: positive("temperature") };
    case "softcap":
      return { rule, softcap: positive("softcap"), scale: scale() };
    case "qk-norm":
      return o.gain === undefined ? { rule } : { rule, gain: positive("gain") };
    case "log-n":
      return { rule, factor: positive("factor", 1), scale: scale() };
  }
}

export function readScaleRule(call: string, name: string, value: unknown): ScaleRule {
  if (typeof value === "object" && value !== null && !isList(value)) return readRule(call, name, value);
  if (typeof value === "number" || typeof value === "string") return readScale(call, name, value);
  const expected = `"none", "rsqrt", "reciprocal", an exponent or an object with a rule`;
  return reject("ERR_TYPE", call, name, expected, value);
}

/** One rule or a list of them. */
export function scaleRulesOf(call: string, value: unknown): ScaleRule[] {
  if (!isList(value)) return [readScaleRule(call, "scale", value)];
  if (value.length < 1 || value.length > 16) reject("ERR_RANGE", call, "scale", "1 to 16 scales", value);
  return readItems(value, (item, i) => readScaleRule(call, `scale[${i}]`, item));
}

/** A checked rule for vectors of one length and rows of one number of keys. */
export interface ScoreRule {
  /** Factor of q.k, or of the cosine with `qkNorm`. */
  scale: number;
  /** 0: none. */
  softcap: number;
  qkNorm: boolean;
}

export function scoreRuleOf(engine: Engine, rule: ScaleRule, dimension: number, keys: number): ScoreRule {
  const linear = (scale: number): ScoreRule => ({ scale, softcap: 0, qkNorm: false });
  if (typeof rule !== "object") return linear(scaleFactor(rule, dimension));
  const factor = (scale: Scale = "rsqrt") => scaleFactor(scale, dimension);
  switch (rule.rule) {
    case "temperature":
      return linear(1 / rule.temperature);
    case "log-n":
      return linear((rule.factor ?? 1) * engine.log(keys) * factor(rule.scale));
    case "softcap":
      return { ...linear(factor(rule.scale)), softcap: rule.softcap };
    case "qk-norm":
      return { ...linear(rule.gain ?? Math.sqrt(dimension)), qkNorm: true };
  }
}

/** Three numbers a rule, as the engine reads them. */
export const ruleNumbers = (rules: readonly ScoreRule[]) =>
  Float64Array.from(rules.flatMap(({ scale, softcap, qkNorm }) => [scale, softcap, qkNorm ? 1 : 0]));
