/** Right values from independent high-precision computation, through the package's public interface. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type AttentionOptions, load } from "sqrtdk";

const core = await load();
// biome-ignore lint/suspicious/noExplicitAny: the files are described by their "how"
const read = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));

/** Infinities stand in the files as text. */
const number = (value: unknown) => Number(String(value).replace("inf", "Infinity"));
const f32 = (values: unknown[]) => Float32Array.from(values.flat(2), number);

/** Largest difference relative to the largest value: what float32 sums can promise. */
function assertNear(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, what: string) {
  assert.equal(actual.length, expected.length, what);
  const size = Math.max(1e-30, ...Array.from(expected).filter(Number.isFinite).map(Math.abs));
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i] as number, expected[i] as number];
    const good = a === e || Math.abs(a - e) <= tolerance * size;
    assert.ok(good, `${what}[${i}]: ${a}, expected ${e}`);
  }
}

const relative = (actual: number, expected: number) =>
  actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected);

for (const c of read("softmax").cases) {
  if (f32(c.z).some((z, i) => z !== number(c.z[i]))) continue; // scores that float32 does not hold
  test(`softmax: ${c.name}`, () => {
    const z = f32(c.z);
    const p = core.softmax(z);
    assertNear(p, c.p, 4e-7, "softmax");
    assertNear(core.logSoftmax(z), c.logp.map(number), 4e-7, "logSoftmax");
    assertNear(core.logSumExp(z), [c.lse], 3e-7, "logSumExp");
    const slope = Math.max(...c.g.map(Math.abs)) * (c.norm_inf_J + 1e-6);
    const gradient = core.softmaxBackward(f32(c.g), p);
    c.Jg.forEach((e: number, i: number) => {
      assert.ok(Math.abs((gradient[i] as number) - e) <= 2e-6 * slope + 1e-30);
    });
    const d = core.softmaxDiagnostics(z);
    assert.ok(
      Math.abs((d.entropy[0] as number) - c.entropy) <= 1e-11 * Math.max(c.entropy, 1e-290),
      "entropy",
    );
    const near = (a: number | undefined, e: number) => Math.abs((a as number) - e) <= 1e-10 * e + 1e-300;
    assert.ok(near(d.jacobianTrace[0], c.trace_J), "trace");
    assert.ok(near(d.jacobianFrobenius[0], c.fro_J), "frobenius");
  });
}

for (const c of read("attention").cases) {
  test(`attention: ${c.name}`, () => {
    const shape = { queryLength: c.T, keyLength: c.n, headDim: c.d_k, valueDim: c.d_v };
    const options: AttentionOptions = { shape, scale: c.scale_value };
    if (c.softcap) options.softcap = c.softcap;
    if (c.mask) options.attnMask = Uint8Array.from(c.mask.flat(), Number);
    if (c.causal) {
      options.isCausal = true;
      options.causalOffset = /bottom/.test(c.causal) ? "bottom-right" : 0;
    }
    const [q, k, v, g] = [f32(c.Q), f32(c.K), f32(c.V), f32(c.dO)];
    const r = core.scaledDotProductAttention(q, k, v, { ...options, returnWeights: "probabilities" });
    const largestScore = Math.max(1, ...c.scores.flat().map(Math.abs));
    const tolerance = 4e-6 + largestScore * 2 ** -23;
    assertNear(r.output, c.O.flat(), tolerance, "output");
    assertNear(r.logSumExp, c.lse.map(number), 1e-6, "logSumExp");
    assertNear(r.weights as Float32Array, c.P.flat(), tolerance, "weights");
    const d = core.scaledDotProductAttentionBackward(g, q, k, v, r.output, r.logSumExp, options);
    // Gradients vanish in saturated rows: what counts there is the size of what cancelled.
    const near = (actual: Float32Array, expected: number[][], what: string) => {
      const norm = Math.max(...expected.flat().map(Math.abs), 1e-3);
      actual.forEach((a, i) => {
        assert.ok(Math.abs(a - (expected.flat()[i] as number)) <= 8 * tolerance * norm, `${what}[${i}]`);
      });
    };
    near(d.gradQuery, c.dQ, "gradQuery");
    near(d.gradKey, c.dK, "gradKey");
    near(d.gradValue, c.dV, "gradValue");
  });
}

test("the law of one score: density, tail and quantile", () => {
  const { points, quantiles } = read("variance_gamma");
  for (const { d, x, pdf, sf } of points) {
    assert.ok(
      relative(core.theory.dotProductDensity(x, { dimension: d }), number(pdf)) < 1e-12,
      `f_${d}(${x})`,
    );
    assert.ok(
      relative(core.theory.dotProductTail(x, { dimension: d }), number(sf)) < 1e-12,
      `tail ${d} ${x}`,
    );
  }
  for (const { d, p, x } of quantiles) {
    const q = core.theory.dotProductQuantile(Number(p), { dimension: d });
    // 1 - p is rounded in a double, and near the centre x itself is.
    const tolerance = 1e-9 * Math.abs(Number(x)) + 1e-13 * Math.sqrt(d);
    assert.ok(Math.abs(q - Number(x)) <= tolerance, `quantile ${d} ${p}: ${q}, ${x}`);
  }
});

test("the law scales with both standard deviations, at one point as at many", () => {
  const options = { dimension: 7, queryStd: 2, keyStd: 0.25 };
  const x = Float64Array.of(-3, -0.5, 0, 0.5, 3, 20);
  const [density, tail] = [core.theory.dotProductDensity(x, options), core.theory.dotProductTail(x, options)];
  x.forEach((value, i) => {
    assert.equal(density[i], core.theory.dotProductDensity(value, options));
    assert.equal(tail[i], core.theory.dotProductTail(value, options));
  });
  assert.ok(relative(density[4] as number, core.theory.dotProductDensity(6, { dimension: 7 }) * 2) < 1e-13);
});

test("expected softmax of independent scores, and of a row of attention", () => {
  const ensemble = read("ensemble");
  for (const { n, sigma, exact } of ensemble.iid) {
    const e = core.theory.expectedSoftmax({ keys: n, scoreStd: sigma });
    assert.ok(relative(e.sumSquares, Number(exact.S2)) < 1e-9, `sum p^2 ${n} ${sigma}`);
    assert.ok(relative(e.entropy, Number(exact.H)) < 1e-8, `entropy ${n} ${sigma}`);
  }
  const scales = { none: "none", sqrt: "rsqrt", d: "reciprocal" } as const;
  for (const { n, d, scale, exact } of ensemble.qk) {
    const known = scales[scale as keyof typeof scales];
    if (!known) continue;
    const e = core.theory.expectedAttentionRow({ keys: n, dimension: d, scale: known });
    assert.ok(relative(e.sumSquares, Number(exact.S2)) < 1e-7, `row ${n} ${d} ${scale}`);
  }
  for (const { n, E_max } of ensemble.m_n)
    assert.ok(relative(core.theory.expectedMaximum(n), E_max) < 1e-12, `m_${n}`);
});

test("two keys: mean and median of p (1 - p), entropy and largest weight", () => {
  for (const { tau2, E_p1mp, median_p1mp, E_entropy, E_pmax } of read("softmax").two_key) {
    const t = core.theory.twoKeys({ differenceStd: Math.sqrt(Number(tau2)) });
    assert.ok(relative(t.product, Number(E_p1mp)) < 1e-12);
    assert.ok(relative(t.medianProduct, Number(median_p1mp)) < 1e-12);
    assert.ok(relative(t.entropy, Number(E_entropy)) < 1e-12);
    assert.ok(relative(t.maxProbability, Number(E_pmax)) < 1e-12);
  }
});

test("two keys: the dead share is that of rows with |J|_F < 1e-3", () => {
  const rows = 50_000;
  const z = core.randomNormal(rows, { seed: 12 });
  for (const differenceStd of [2, 5, 20, 1000]) {
    const scores = Float32Array.from(
      { length: 2 * rows },
      (_, i) => (i % 2) * differenceStd * (z[i >> 1] as number),
    );
    const { jacobianFrobenius } = core.softmaxDiagnostics(scores, { columns: 2 });
    const dead = jacobianFrobenius.filter((norm) => norm < 1e-3).length / rows;
    const { deadShare } = core.theory.twoKeys({ differenceStd });
    const standardError = Math.sqrt((deadShare * (1 - deadShare)) / rows);
    assert.ok(Math.abs(dead - deadShare) < 4 * standardError, `${differenceStd}: ${dead}, ${deadShare}`);
  }
});
