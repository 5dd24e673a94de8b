/**
 * The one visual language: what each role looks like, in light, in dark, and as custom properties for the page.
 * Charts only ever name roles, so the same drawing follows the reader's theme in the page and carries literal
 * colours in a file that has no style sheet around it.
 */

export interface Theme {
  paper: string;
  /** A surface that lies a little above the paper: panels, pressed buttons. */
  panel: string;
  ink: string;
  /** Ticks, units, second-rank text; still readable (4.5:1). */
  muted: string;
  grid: string;
  /** The first of the two arms compared: warm, dashed. */
  raw: string;
  /** The second arm: cool, solid. */
  scaled: string;
  /** Exact curves: a thin line in ink. */
  theory: string;
  /** Approximations and limits: thinner still, dotted. */
  limit: string;
  /** Shares of a whole, such as attention weights: gold as it is read, and as the lamplight that fills a surface. */
  weight: string;
  glow: string;
  /** The two ends of a scale that parts at 0: above, and below. */
  rise: string;
  fall: string;
  font: string;
}

const font =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", "DejaVu Sans Condensed", "DejaVu Sans", sans-serif';

export const lightTheme: Theme = {
  paper: "#fdfcf9",
  panel: "#f4f1ea",
  ink: "#1c1e26",
  muted: "#5d6070",
  grid: "#e4e0d7",
  raw: "#c43d1b",
  scaled: "#1f63b8",
  theory: "#1c1e26",
  limit: "#5d6070",
  weight: "#8a5a00",
  glow: "#ffc73a",
  rise: "#0a6f5c",
  fall: "#8a24b8",
  font,
};

export const darkTheme: Theme = {
  paper: "#14161c",
  panel: "#1e212a",
  ink: "#eceae4",
  muted: "#a3a6b4",
  grid: "#2d313c",
  raw: "#ff8260",
  scaled: "#6cb0ff",
  theory: "#eceae4",
  limit: "#a3a6b4",
  weight: "#f2c14e",
  glow: "#f2c14e",
  rise: "#3dbb93",
  fall: "#b583f5",
  font,
};

const roles = Object.keys(lightTheme) as (keyof Theme)[];

/** Every role as a reference to its custom property: the theme of drawings that live in the page. */
export const pageTheme = Object.fromEntries(
  roles.map((role) => [role, `var(--sqrtdk-${role})`]),
) as unknown as Theme;

/** The declarations that give the custom properties their values, for a rule of a style sheet. */
export function themeDeclarations(theme: Theme): string {
  return roles.map((role) => `--sqrtdk-${role}: ${theme[role]};`).join("\n");
}

/** Dash pattern of the first arm, so that the two are told apart without colour. */
export const dashed = "6 4";
export const dotted = "1.5 3.5";

function luminance(hex: string): number {
  const channel = (start: number) => {
    const value = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

/** WCAG contrast ratio of two #rrggbb colours. */
export function contrast(one: string, other: string): number {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}
