/** What queries and keys are made of, and what follows from it in closed form. */
import type { FigureState } from "../state/hash.ts";

export type VarianceState = FigureState<"variance">;

/** As the core takes it. `degreesOfFreedom` is there only where it means something. */
export interface Law extends Pick<VarianceState, "components" | "mean" | "correlation"> {
  degreesOfFreedom?: number;
}

export function lawOf({ components, mean, correlation, degreesOfFreedom }: Law): Law {
  const law = { components, mean, correlation };
  return components === "student-t" && degreesOfFreedom !== undefined ? { ...law, degreesOfFreedom } : law;
}

export const lawNames: Record<Law["components"], string> = {
  normal: "normal",
  uniform: "uniform",
  rademacher: "\u00b11, a coin each (Rademacher)",
  laplace: "Laplace (heavy tails)",
  "student-t": "Student\u2019s t (heavier tails)",
};

/** Independent components of mean 0: then the variance is d_k, whatever else their law. */
export const assumptionsHold = ({ mean, correlation }: Law) => mean === 0 && correlation === 0;

/** The law whose density is known: variance-gamma. */
export const hasDensity = (law: Law) => law.components === "normal" && assumptionsHold(law);

/** Without a fourth moment an estimate of the variance has no standard error. */
export const hasBand = (law: Law) => law.components !== "student-t" || (law.degreesOfFreedom ?? 5) > 4;

/** Equally correlated components add up to a sum that does not become normal, however many they are. */
export const becomesNormal = (law: Law) => law.correlation === 0;

/** The variance as a formula with its numbers, and nothing where it is just d_k. */
export function varianceFormula({ mean, correlation }: Law, dimension: number): string {
  const others = `${dimension} \u2212 1`;
  const squared = (value: number) => `${Math.abs(value)}\u00b2`;
  if (mean === 0) return `${dimension} \u00b7 (1 + (${others}) \u00b7 ${squared(correlation)})`;
  if (correlation === 0) return `${dimension} \u00b7 (1 + 2 \u00b7 ${squared(mean)})`;
  return `${dimension} \u00b7 (1 + (${others}) \u00b7 ${squared(correlation)} + 2 \u00b7 ${squared(mean)} \u00b7 (1 + (${others}) \u00b7 ${correlation}))`;
}

/** "Student-t with nu = 5, correlated by 0.1, of mean 0.5". */
export function lawText(law: Law): string {
  const { components, mean, correlation, degreesOfFreedom } = law;
  return [
    components === "student-t" ? `student-t with \u03bd = ${degreesOfFreedom}` : components,
    correlation === 0 ? "" : `correlated by ${correlation}`,
    mean === 0 ? "" : `of mean ${String(mean).replace("-", "\u2212")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** For file names: "student-t3-rho0.1-mu0.5", and nothing for the default. */
export function lawTag({ components, mean, correlation, degreesOfFreedom }: Law): string {
  const parts = [
    components === "normal" ? "" : `-${components}${degreesOfFreedom ?? ""}`,
    correlation === 0 ? "" : `-rho${correlation}`,
    mean === 0 ? "" : `-mu${mean}`,
  ];
  return parts.join("");
}
