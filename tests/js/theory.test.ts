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

test("the law holds for scaled scores, and for the largest dimension", () => {
  for (const dimension of [1, 2, 3, 64, 65536]) {
    const x = 0.7;
    const scaled = { dimension, queryStd: 2, keyStd: 0.5, scale: "rsqrt" } as const;
    const wide = x * Math.sqrt(dimension);
    assert.ok(relative(theory.dotProductTail(x, scaled), theory.dotProductTail(wide, { dimension })) < 1e-12);
    const density = theory.dotProductDensity(wide, { dimension }) * Math.sqrt(dimension);
    assert.ok(relative(theory.dotProductDensity(x, scaled), density) < 1e-12);
    const quantile = theory.dotProductQuantile(theory.dotProductTail(-x, scaled), scaled);
    assert.ok(Math.abs(quantile - x) < 1e-12);
  }
});

test("far tails are tiny and not 0 where e^-x underflows; ends and NaN are what they must be", () => {
  const options = { dimension: 4096 };
  assert.ok(relative(theory.dotProductTail(2000, options), 4.305464846274799e-195) < 1e-12);
  assert.equal(theory.dotProductTail(3000, options), 0); // 4e-400
  const x = Float64Array.of(Number.NaN, Infinity, -Infinity, 0);
  assert.deepEqual([...theory.dotProductTail(x, options)].slice(0, 3), [Number.NaN, 0, 1]);
  assert.deepEqual([...theory.normalTail(x, options)], [Number.NaN, 0, 1, 0.5]);
  assert.equal(theory.dotProductDensity(0, { dimension: 1 }), Infinity);
  assert.equal(theory.dotProductQuantile(0, options), -Infinity);
  assert.equal(theory.dotProductQuantile(1, options), Infinity);
});

test("the normal limit and how far a score is from it", () => {
  for (const { d, D, at_z } of read("variance_gamma").ks_to_normal) {
    const { distance, at } = theory.normalDistance({ dimension: d });
    assert.ok(Math.abs(distance - Number(D)) < 2e-12, String(d));
    assert.ok(Math.abs(at - Number(at_z)) < 1e-6);
    const x = at * Math.sqrt(d);
    const off = theory.normalTail(x, { dimension: d }) - theory.dotProductTail(x, { dimension: d });
    assert.ok(Math.abs(Math.abs(off) - distance) < 1e-14);
  }
  const options = { dimension: 16, queryStd: 0.5, scale: "rsqrt" } as const;
  assert.ok(relative(theory.normalDensity(0, options), 0.7978845608028654) < 1e-14);
  assert.equal(theory.normalDensity(Float64Array.of(0.3), options)[0], theory.normalDensity(0.3, options));
});

test("rows: 65536 keys, the frozen phase and the least entropy", () => {
  const row = theory.expectedSoftmax({ keys: 65536, scoreStd: 22.5 });
  const a = theory.expectedMaximum(65536) / 22.5;
  assert.ok(relative(row.jacobianTrace, a) < 0.002);
  const frozen = theory.poissonDirichlet(a);
  assert.ok(relative(frozen.maxProbability, row.maxProbability) < 0.01);
  assert.ok(relative(frozen.entropy, row.entropy) < 0.1);
  assert.ok(row.sumCubes < row.sumSquares && relative(frozen.sumCubes, row.sumCubes) < 0.01);
  assert.ok(relative(theory.freezingStd(64) ** 2, theory.freezingDimension(64)) < 1e-15);
  assert.ok(
    relative(theory.expectedAttentionRow({ keys: 65536, dimension: 512 }).entropy, row.entropy) < 0.02,
  );
  // Of two keys the floor is their entropy at the largest difference.
  const p = 1 / (1 + Math.exp(-3 * Math.SQRT2));
  const entropy = -p * Math.log(p) - (1 - p) * Math.log1p(-p);
  assert.ok(relative(theory.entropyFloor({ keys: 2, scoreNorm: 3 }), entropy) < 1e-13);
});
