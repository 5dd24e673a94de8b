/** Options that experiments and theory share: how components are distributed, how scores are scaled. */
import { integer, oneOf, real, reject } from "./checks.ts";
import type { Engine } from "./engine.ts";
import type { ComponentLaw, Scale } from "./types.ts";

const componentLaws: readonly ComponentLaw[] = ["normal", "uniform", "rademacher", "laplace", "student-t"];
/** What the engine calls a law. That it has a number for each is checked by the compiler. */
export const lawNumber = (engine: Engine, law: ComponentLaw): number =>
  law === "student-t" ? engine.studentTLaw : engine[`${law}Law`];

export const maximumDimension = 65536;

/**
 * Far beyond anything of use. Scores are computed in double and stay below 1e38 under these bounds, so that their fourth
 * powers, which the moments are made of, are finite as well.
 */
const maximumStd = 1e6;
const maximumExponent = 4;
const maximumDegreesOfFreedom = 1e6;

/** How the components of query and key are distributed. */
export interface Components {
  components: ComponentLaw;
  /** nu of Student's t; no other law reads it. */
  degreesOfFreedom: number;
  mean: number;
  queryStd: number;
  keyStd: number;
  /** Between any two components of one vector. */
  correlation: number;
}

export const lawOptions = [
  "components",
  "degreesOfFreedom",
  "mean",
  "queryStd",
  "keyStd",
  "correlation",
] as const;

/** Student's t is scaled to variance 1, so it must have one. */
function readDegreesOfFreedom(call: string, value: unknown): number {
  if (typeof value === "number" && value > 2 && value <= maximumDegreesOfFreedom) return value;
  const expected = `more than 2, where the variance exists, and at most ${maximumDegreesOfFreedom}`;
  return reject(
    typeof value === "number" ? "ERR_RANGE" : "ERR_TYPE",
    call,
    "degreesOfFreedom",
    expected,
    value,
  );
}

/** Of vectors of up to `dimension` components. */
function readCorrelation(call: string, value: unknown, dimension: number): number {
  const lowest = dimension > 1 ? -1 / (dimension - 1) : -1;
  if (typeof value === "number" && value >= lowest && value <= 1) return value;
  const bound = dimension > 1 ? `-1/(dimension - 1) = ${lowest}` : "-1";
  return reject(
    typeof value === "number" ? "ERR_RANGE" : "ERR_TYPE",
    call,
    "correlation",
    `a number from ${bound} to 1`,
    value,
  );
}

/** The law of vectors of up to `dimension` components. */
export function readLaw(
  call: string,
  o: { [name in (typeof lawOptions)[number]]?: unknown },
  dimension: number,
): Components {
  return {
    components: oneOf(call, "components", o.components ?? "normal", componentLaws),
    degreesOfFreedom: readDegreesOfFreedom(call, o.degreesOfFreedom ?? 5),
    mean: real(call, "mean", o.mean ?? 0, -maximumStd, maximumStd),
    queryStd: real(call, "queryStd", o.queryStd ?? 1, 0, maximumStd),
    keyStd: real(call, "keyStd", o.keyStd ?? 1, 0, maximumStd),
    correlation: readCorrelation(call, o.correlation ?? 0, dimension),
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

/** The factor a scale stands for. Only exponents other than 0, 1/2 and 1 need a power, whose last bit engines differ in. */
export function scaleFactor(scale: Scale, dimension: number): number {
  if (scale === "none" || scale === 0) return 1;
  if (scale === "rsqrt" || scale === 0.5) return 1 / Math.sqrt(dimension);
  if (scale === "reciprocal" || scale === 1) return 1 / dimension;
  return dimension ** -scale;
}
