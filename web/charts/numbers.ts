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
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  if (exponent < -5) {
    const mantissa = fixed(value / 10 ** exponent, significant - 1);
    return `${mantissa}\u00b710${superscript(exponent)}`;
  }
  return fixed(value, Math.max(0, significant - 1 - exponent));
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

/** A share in [0, 1] as a percentage; "none" and "all" are said only of the sample, so the caller words them. */
export function percent(share: number, halfWidth: number): string {
  if (!(halfWidth > 0)) return `${exact(100 * share, 2)}${thin}%`;
  const { value, error } = measured(100 * share, 100 * halfWidth);
  return `${value} \u00b1 ${error}${thin}%`;
}

const superscripts = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

export function superscript(integer: number): string {
  const digits = [...String(Math.abs(integer))].map((digit) => superscripts[Number(digit)]);
  return (integer < 0 ? "\u207b" : "") + digits.join("");
}
