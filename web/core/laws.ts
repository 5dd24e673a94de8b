/** Options that experiments and theory share: how components are distributed, how scores are scaled. */
import { integer, isList, oneOf, readItems, real, reject } from "./checks.ts";
import type { Engine } from "./engine.ts";
import type { ComponentLaw, Scale } from "./types.ts";

const componentLaws: readonly ComponentLaw[] = ["normal", "uniform", "rademacher", "laplace"];
/** What the engine calls a law. That it has a number for each is checked by the compiler. */
export const lawNumber = (engine: Engine, law: ComponentLaw): number => engine[`${law}Law`];

export const maximumDimension = 65536;

/**
 * Far beyond anything of use. Scores are computed in double and stay below 1e38 under these bounds, so that their fourth
 * powers, which the moments are made of, are finite as well.
 */
const maximumStd = 1e6;
const maximumExponent = 4;

export interface Components {
  components: ComponentLaw;
  mean: number;
  queryStd: number;
  keyStd: number;
}

export const componentOptions = ["components", "mean", "queryStd", "keyStd"] as const;

export function readComponents(
  call: string,
  o: { [name in (typeof componentOptions)[number]]?: unknown },
): Components {
  return {
    components: oneOf(call, "components", o.components ?? "normal", componentLaws),
    mean: real(call, "mean", o.mean ?? 0, -maximumStd, maximumStd),
    queryStd: real(call, "queryStd", o.queryStd ?? 1, 0, maximumStd),
    keyStd: real(call, "keyStd", o.keyStd ?? 1, 0, maximumStd),
  };
}

export const readDimension = (call: string, value: unknown) =>
  integer(call, "dimension", value, 1, maximumDimension);

export function readScale(call: string, name: string, value: unknown): Scale {
  if (typeof value === "number") return real(call, name, value, -maximumExponent, maximumExponent);
  if (typeof value !== "string")
    reject("ERR_TYPE", call, name, '"none", "rsqrt", "reciprocal" or an exponent', value);
  return oneOf<Exclude<Scale, number>>(call, name, value, ["none", "rsqrt", "reciprocal"]);
}

/** One scale or a list of them. */
export function scalesOf(call: string, value: unknown): Scale[] {
  if (!isList(value)) return [readScale(call, "scale", value)];
  if (value.length < 1 || value.length > 16) reject("ERR_RANGE", call, "scale", "1 to 16 scales", value);
  return readItems(value, (item, i) => readScale(call, `scale[${i}]`, item));
}

/** The factor a scale stands for. Only exponents other than 0, 1/2 and 1 need a power, whose last bit engines differ in. */
export function scaleFactor(scale: Scale, dimension: number): number {
  if (scale === "none" || scale === 0) return 1;
  if (scale === "rsqrt" || scale === 0.5) return 1 / Math.sqrt(dimension);
  if (scale === "reciprocal" || scale === 1) return 1 / dimension;
  return dimension ** -scale;
}
