/** The sentences made of what was measured: never more digits than the bands support, never a claim the numbers do not bear out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { load } from "sqrtdk";
import type { AttentionRow } from "../../web/core/types.ts";
import {
  deadText,
  inequalityText,
  meanText,
  medianText,
  spreadText,
  weightText,
  zerosText,
} from "../../web/figures/gradient-words.ts";
import {
  hasBand,
  type Law,
  lawOf,
  lawTag,
  lawText,
  varianceFormula,
} from "../../web/figures/variance-law.ts";
import { type MeasuredHill, varianceWords } from "../../web/figures/variance-words.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";
import { estimate, gradientRow } from "./gradient-rows.ts";

const variance = defaults(figureSchemas.variance);

test("nu is a part of the question only where it is read", () => {
  assert.deepEqual(lawOf(variance), { components: "normal", mean: 0, correlation: 0 });
  assert.equal(lawTag(lawOf(variance)), "");
  const law = lawOf({
    ...variance,
    components: "student-t",
    degreesOfFreedom: 3,
    correlation: 0.1,
    mean: -0.5,
  });
  assert.equal(lawText(law), "student-t with \u03bd = 3, correlated by 0.1, of mean \u22120.5");
  assert.equal(lawTag(law), "-student-t3-rho0.1-mu-0.5");
  assert.ok(!hasBand(law) && hasBand({ ...law, degreesOfFreedom: 4.1 }));
});

/** The formula that is shown, as the number it stands for. */
function evaluated(formula: string): number {
  const plain = formula.replaceAll("\u00b7", "*").replaceAll("\u2212", "-").replaceAll("\u00b2", "**2");
  assert.match(plain, /^[\d.()*+ -]+$/);
  return Number(new Function(`return ${plain}`)());
}

test("the formula that is shown gives the variance that theory gives", async () => {
  const { theory } = await load();
  for (const dimension of [2, 3, 512, 4096]) {
    for (const correlation of [0, 0.1, 0.35, 1]) {
      for (const mean of [0, 0.5, -2]) {
        if (correlation === 0 && mean === 0) continue;
        const law = { components: "laplace", correlation, mean } as const;
        const { variance: right } = theory.dotProductMoments({ dimension, ...law });
        const shown = evaluated(varianceFormula(law, dimension));
        assert.ok(
          Math.abs(shown / right - 1) < 1e-12,
          `${dimension} ${correlation} ${mean}: ${shown}, ${right}`,
        );
      }
    }
  }
});

async function said(now: Partial<MeasuredHill>, law: Partial<Law>): Promise<string> {
  const base = {
    dimension: 512,
    variance: 514.2,
    standardError: 2,
    exactMean: 0,
    exactVariance: 512,
    samples: 1,
  };
  const whole = { components: "normal", mean: 0, correlation: 0, ...law } as const;
  const markup = await collectResult(render(varianceWords({ ...base, ...now }, whole)));
  return markup.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");
}

test("words about the variance say which assumption is broken, and what follows", async () => {
  assert.match(
    await said({}, {}),
    /variance 514 \u00b1 4 \(exactly 512\).*1\.002 \u00b1 0\.004, as for every other/,
  );
  const correlated = await said({ variance: 3160, exactVariance: 3128.32 }, { correlation: 0.1 });
  assert.match(
    correlated,
    /correlated by 0\.1.*exactly 512 \u00b7 \(1 \+ \(512 \u2212 1\) \u00b7 0\.1\u00b2\) = 3128/,
  );
  assert.match(correlated, /2\.48\d* \u00b1 \S+, and that grows with dk.*is not enough/);
  assert.match(correlated, /grow like 0\.1\u00b2 dk\u00b2/);
  // The limit of variance / d_k^2 is rho^2 + 2 mu^2 rho: of both it is not said to be rho^2.
  assert.match(await said({}, { correlation: 0.1, mean: 1 }), /grow like dk\u00b2/);
  assert.match(await said({ dimension: 1 }, { correlation: 0.5 }), /nothing to be correlated with/);
  const moved = await said({ variance: 770, exactMean: 128, exactVariance: 768 }, { mean: 0.5 });
  // Given the query, d (1 + mu^2) = 640 of d (1 + 2 mu^2) = 768 is left.
  assert.match(moved, /for every dk, instead of 1\..*gather around dk \u03bc\u00b2 = 128.*it sees 640\./);
  const heavy = await said(
    { variance: 498.7, standardError: null },
    { components: "student-t", degreesOfFreedom: 3 },
  );
  assert.match(heavy, /variance 500 \(exactly 512\).*no standard error/);
  assert.doesNotMatch(heavy, /\u00b1|NaN/);
});

test("what is said of the gradient follows from mean and median", () => {
  const norm = (mean: number, median: number, trials = 8000) =>
    gradientRow({ trials, gradQueryNorm: estimate(mean, 0.05, median) });
  const scaled = norm(1.13, 1.04);
  const cases: [number, number, RegExp][] = [
    [5.55, 3.09, /longer one.*half of the 8000 unscaled rows got less than 60\u202f% of that mean/],
    [5.12, 0.0219, /less than a hundredth of that mean; the other half/],
    [6.95, 0.186, /less than a tenth of that mean/],
    [5.7, 0.00148, /less than a thousandth/],
    [2.01, 1.69, /longer one\. Its mean and its median lie close together/],
  ];
  for (const [mean, median, said] of cases) assert.match(spreadText(norm(mean, median), scaled), said);
  assert.doesNotMatch(spreadText(norm(1.15, 1.1), scaled), /longer/, "within the bands nothing is compared");
  assert.equal(spreadText(norm(5, 0.001, 29), scaled), "");
});

test("that most rows get nothing is said only where the rows bear it out", () => {
  const quantile = (value: number) => ({
    probability: 0.99,
    value,
    low: value - 1,
    high: value + 1,
    standardError: 0.5,
  });
  const row = (median: number, top: number) =>
    gradientRow({ gradQueryNorm: { ...estimate(5, 0.1, median), quantiles: [quantile(top)] } });
  assert.match(
    inequalityText(row(0.01, 60)),
    /^Most rows get next to nothing.*more than 60, over 11 times the mean/,
  );
  assert.equal(inequalityText(row(0.06, 60)), "");
  assert.equal(inequalityText(row(0.01, 15.9)), "");
  assert.equal(inequalityText(gradientRow({ gradQueryNorm: estimate(5, 0.1, 0.01) })), "");
});

test("the weight of a single row is said as float32 has it", async () => {
  const row = (maxProbability: number, printsOne = 0) => ({ maxProbability, printsOne }) as AttentionRow;
  assert.equal(weightText(row(0.8371)), "0.837");
  assert.equal(weightText(row(1 - 2.5e-6)), "1 \u2212 2.5\u00b710\u207b\u2076");
  assert.equal(weightText(row(1 - 1e-9, 1)), "1 in float32");
});

test("digits without a band are few, and few rows give no band", () => {
  assert.equal(meanText(estimate(0.9466, 0.001), 16384), "0.947 ± 0.002");
  assert.equal(meanText(estimate(0.9466, 0.001), 4), "about 0.9");
  assert.equal(medianText(estimate(5.55, 0.1, 3.09), 4), "about 3");
  assert.equal(medianText(estimate(5.55, 0.1, 3.09), 1000), "3.1 \u00b1 0.2");
  assert.equal(medianText(estimate(5, 0.1, 2.7e-8), 1000), "less than a thousandth of that");
  const zeros = (mean: number, error: number) =>
    gradientRow({ trials: 8000, exactZeros: estimate(mean, error) });
  assert.equal(zerosText(zeros(0, 0), 16), "none of 128\u202f000");
  assert.equal(zerosText(zeros(0.0214, 0.0005), 16), "2.14 \u00b1 0.10\u202f%");
  assert.equal(zerosText(zeros(1e-6, 1e-6), 16), "less than 0.0003\u202f%");
  assert.equal(deadText(gradientRow({ trials: 4, deadRows: estimate(1) })), "all of 4");
});
