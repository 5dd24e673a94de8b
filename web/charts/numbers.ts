/**
 * Numbers as text. A measured number never shows a digit its error does not support; an exact one shows a fixed few.
 * All text is plain: narrow no-break spaces group thousands, the minus is the typographic one.
 */

const minus = "\u2212";
const thin = "\u202f";

/** The error is rounded to one significant digit, or two where it begins with 1 (0.0149 -> 0.015, 0.038 -> 0.04). */
function errorDecimals(error: number): number {
  const exponent = Math.floor(Math.log10(error));
  const leading = error / 10 ** exponent;
  // 0.0096 rounds up to 0.01, a digit fewer.
  if (leading >= 9.5) return -(exponent + 1) + 1;
  return leading < 1.95 ? 1 - exponent : -exponent;
}

/** `value` with so many decimals; negative ones round to tens, hundreds, ... */
export function fixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return "n/a";
  if (!Number.isFinite(value)) return value > 0 ? "\u221e" : `${minus}\u221e`;
  const unit = 10 ** Math.max(0, -decimals);
  const digits = (
    Math.round(value / unit) * unit !== value && decimals < 0 ? Math.round(value / unit) * unit : value
  )
    .toFixed(Math.min(20, Math.max(0, decimals)))
    .replace(/^-(?=[0.]*$)/, "");
  const [whole, fraction] = digits.replace("-", minus).split(".") as [string, string | undefined];
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, thin) : whole;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** An exact number with `significant` digits, without an exponent where that stays short. */
export function exact(value: number, significant = 3): string {
  if (Number.isInteger(value) || !Number.isFinite(value)) return fixed(value, 0);
  // Rounded before its exponent is taken: 9.99 with two digits is 10, not 10.0.
  const [mantissa, exponent] = value
    .toExponential(significant - 1)
    .split("e")
    .map(Number) as [number, number];
  if (exponent < -5) return `${fixed(mantissa, significant - 1)}\u00b710${superscript(exponent)}`;
  return fixed(value, Math.max(0, significant - 1 - exponent));
}

/** One significant digit, for what is known without a band: 3.13 is "about 3". */
export function rough(value: number): string {
  return `about ${exact(Number(value.toPrecision(1)), 1)}`;
}

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return fixed(Math.round(value), 0);
}

export interface Measured {
  value: string;
  /** Half the width of the band, rounded; empty where none is known. */
  error: string;
  /** "22.63 +- 0.04" with the right sign, or the value alone. */
  text: string;
}

/** A measured value and half the width of its error band. */
export function measured(value: number, halfWidth: number): Measured {
  if (!(halfWidth > 0) || !Number.isFinite(halfWidth)) {
    const alone = halfWidth === 0 ? exact(value, 4) : exact(value, 2);
    return { value: alone, error: "", text: alone };
  }
  const decimals = Math.min(12, errorDecimals(halfWidth));
  const parts = { value: fixed(value, decimals), error: fixed(halfWidth, decimals) };
  return { ...parts, text: `${parts.value} \u00b1 ${parts.error}` };
}

/** Wilson's 95 % interval of a share: it stays within [0, 1], and has a width where all or none were counted. */
export function shareInterval(hits: number, total: number): { low: number; high: number } {
  const z2 = 1.96 ** 2;
  const share = hits / total;
  const centre = (share + z2 / (2 * total)) / (1 + z2 / total);
  const half = Math.sqrt((z2 * share * (1 - share)) / total + (z2 / (2 * total)) ** 2) / (1 + z2 / total);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/** "52.4 \u00b1 0.8 %", the interval itself where it is lopsided, and of a sample without exception how large it was. */
export function share(hits: number, total: number): string {
  if (hits === 0 || hits === total) return `${hits === 0 ? "none" : "all"} of ${count(total)}`;
  const value = hits / total;
  const { low, high } = shareInterval(hits, total);
  const [below, above] = [value - low, high - value] as const;
  if (Math.max(below, above) > 1.2 * Math.min(below, above)) {
    return `${exact(100 * low, 1)} to ${exact(100 * high, 1)}${thin}%`;
  }
  const { value: shown, error } = measured(100 * value, 50 * (high - low));
  return `${shown} \u00b1 ${error}${thin}%`;
}

const superscripts = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

export function superscript(integer: number): string {
  const digits = [...String(Math.abs(integer))].map((digit) => superscripts[Number(digit)]);
  return (integer < 0 ? "\u207b" : "") + digits.join("");
}
