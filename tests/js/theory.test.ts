/** Theory through the package's public interface: what C++ tests cannot see, and right values once more. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type ComponentLaw, load } from "sqrtdk";

const { theory } = await load();
// biome-ignore lint/suspicious/noExplicitAny: the files are described by their "how"
const read = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));

const relative = (actual: number | null, expected: number) =>
  actual === expected ? 0 : Math.abs((actual as number) - expected) / Math.abs(expected);

test("moments of every law of the table", () => {
  for (const c of read("variance_gamma").component_laws) {
    if ((c.mu_q ?? 0) !== (c.mu_k ?? 0)) continue; // the public call has one mean for both
    const [, t] = /^student t(\d+)/.exec(c.law) ?? [];
    const word = c.law.replace("equicorrelated ", "").replace(/\W.*/, "");
    const components: ComponentLaw = t ? "student-t" : word;
    const options = { dimension: c.d, components, correlation: c.rho ?? 0 };
    const moments = theory.dotProductMoments(t ? { ...options, degreesOfFreedom: Number(t) } : options);
    assert.ok(relative(moments.variance, c.var_S) < 1e-14, c.law);
    if (c.excess_kurtosis_S !== undefined)
      assert.ok(Math.abs((moments.excessKurtosis as number) - c.excess_kurtosis_S) < 1e-14, c.law);
    assert.equal(moments.reasons, undefined);
  }
});

test("a moment that does not exist is null, and says why", () => {
  const heavy = { dimension: 8, components: "student-t", degreesOfFreedom: 4 } as const;
  const moments = theory.dotProductMoments(heavy);
  assert.equal(moments.variance, 8);
  assert.equal(moments.excessKurtosis, null);
  assert.match(moments.reasons?.excessKurtosis ?? "", /no fourth moment.* at most 4/);
  assert.equal(theory.varianceStandardError({ ...heavy, samples: 100 }), null);

  const constant = { dimension: 8, mean: 2, queryStd: 0, keyStd: 0 };
  const { excessKurtosis, reasons, ...rest } = theory.dotProductMoments(constant);
  assert.deepEqual(rest, { mean: 32, variance: 0 });
  assert.equal(excessKurtosis, null);
  assert.match(reasons?.excessKurtosis ?? "", /constant/);
  assert.equal(theory.varianceStandardError({ ...constant, samples: 100 }), 0);
});

test("the lowest correlation is accepted for every dimension, as -1 / (dimension - 1)", () => {
  for (const dimension of [2, 3, 4, 8, 50, 511, 65536]) {
    const correlation = -1 / (dimension - 1);
    const { variance } = theory.dotProductMoments({ dimension, correlation });
    assert.ok(relative(variance, dimension * (1 - correlation)) < 1e-14, String(dimension));
  }
});

test("a matrix of scores tells less than as many independent ones", () => {
  for (const { T, n, d, rel_var } of read("variance_gamma").variance_estimator.cases) {
    if (T === 1) continue; // about the variance within one row
    const error = theory.scoreMatrixVarianceError({ queries: T, keys: n, dimension: d });
    assert.ok(relative(error, Math.sqrt(rel_var)) < 1e-14);
    assert.ok(error > Math.sqrt(2 / (T * n)));
  }
});
