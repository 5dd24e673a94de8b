/** Sampled scores of every law, correlated or not: against theory, as raw values, and refused where they must be. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type DotProductOptions, load, SqrtdkError } from "sqrtdk";
import { createPool } from "sqrtdk/worker";

const core = await load();
const pool = createPool({ size: 2 });
after(() => pool.close());

const seed = 1;
const laws = ["normal", "uniform", "rademacher", "laplace", "student-t"] as const;

const refused = (options: object, code: string, says: RegExp, call = core.sampleDotProducts) =>
  assert.throws(
    () => call({ dimension: 4, samples: 10, seed, ...options } as DotProductOptions),
    (error) => error instanceof SqrtdkError && error.code === code && says.test(error.message),
  );

test("variance and mean of every law are those of theory, within five standard errors", () => {
  const samples = 30_000;
  for (const components of laws) {
    for (const correlation of [0, 0.2, 1, -1 / 23]) {
      for (const mean of [0, 0.5]) {
        const law = { dimension: 24, components, degreesOfFreedom: 6, correlation, mean, queryStd: 2 };
        const { moments } = core.sampleDotProducts({ ...law, samples, seed });
        const exact = core.theory.dotProductMoments(law);
        const standardError = core.theory.varianceStandardError({ ...law, samples }) as number;
        const what = `${components} ${correlation} ${mean}`;
        assert.ok(Math.abs(moments.variance - exact.variance) < 5 * standardError, what);
        assert.ok(Math.abs(moments.mean - exact.mean) < 5 * Math.sqrt(exact.variance / samples), what);
      }
    }
  }
});

test("sweeps take law and correlation, and have theory's exact variance", () => {
  const law = { components: "student-t", degreesOfFreedom: 5, correlation: 0.25 } as const;
  for (const row of core.varianceSweep({ ...law, dimensions: [1, 5, 100], samples: 20_000, seed })) {
    assert.equal(row.exact, core.theory.dotProductMoments({ ...law, dimension: row.dimension }).variance);
    assert.ok(Math.abs(row.variance - row.exact) < 5 * (row.standardError as number), String(row.dimension));
    assert.ok(!("reason" in row));
  }
});

test("where components have no fourth moment the standard error is null, with a reason", () => {
  const law = { components: "student-t", degreesOfFreedom: 4, seed, samples: 1000 } as const;
  const { moments } = core.sampleDotProducts({ ...law, dimension: 8 });
  assert.equal(moments.varianceStandardError, null);
  assert.match(moments.reason as string, /fourth moment/);
  assert.ok(Number.isFinite(moments.variance));
  const [row] = core.varianceSweep({ ...law, dimensions: [8] });
  assert.equal(row?.standardError, null);
  assert.match(row?.reason as string, /fourth moment/);
  assert.equal(row?.exact, 8);
});

test("the default range follows the exact variance, correlation included", () => {
  const law = { dimension: 50, correlation: 0.5 };
  const { histogram, moments } = core.sampleDotProducts({ ...law, samples: 2000, seed });
  const reach = 5 * Math.sqrt(core.theory.dotProductMoments(law).variance);
  assert.deepEqual([histogram.low, histogram.high], [-reach, reach]);
  assert.ok(moments.minimum < -Math.sqrt(50) * 5, "wider than without correlation");
});

test("values are those that moments and histogram are of", () => {
  const options = { dimension: 3, samples: 700_000, seed, bins: 32, range: [-4, 4] } as const;
  const plain = core.sampleDotProducts({ ...options, range: [...options.range] });
  const { values, ...rest } = core.sampleDotProducts({
    ...options,
    range: [...options.range],
    returnValues: true,
  });
  assert.deepEqual(rest, plain);
  assert.ok(values instanceof Float64Array);
  assert.equal(values.length, options.samples);
  const counts = new Float64Array(32);
  let [underflow, overflow, sum] = [0, 0, 0];
  for (const value of values) {
    sum += value;
    const bin = Math.floor((value + 4) * 4);
    if (bin < 0) underflow++;
    else if (bin >= 32) overflow++;
    else counts[bin] = (counts[bin] as number) + 1;
  }
  assert.deepEqual(plain.histogram, { low: -4, high: 4, counts, underflow, overflow });
  assert.ok(Math.abs(sum / values.length - plain.moments.mean) < 1e-12);
  const { minimum, maximum } = plain.moments;
  assert.deepEqual(
    [minimum, maximum],
    [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))],
  );
  assert.ok(!("values" in plain));
});

test("values come with the final result only, in steps and from workers", async () => {
  const options = { dimension: 200, samples: 40_000, seed, returnValues: true };
  const steps = core.steps.sampleDotProducts(options);
  let step = steps.next();
  assert.ok(!step.done && !("values" in step.value()));
  while (!step.done) step = steps.next();
  const { values } = step.value;
  assert.deepEqual((await pool.sampleDotProducts(options)).values, values);
  // A shorter run is the beginning of a longer one.
  const shorter = core.sampleDotProducts({ ...options, samples: 1001 }).values;
  assert.deepEqual(shorter, values?.subarray(0, 1001));
});

test("a correlation of 0 and degrees of freedom of another law change no bit", () => {
  const options = { dimension: 65, samples: 5000, seed, mean: 0.5, components: "laplace" } as const;
  const plain = core.sampleDotProducts(options);
  assert.deepEqual(core.sampleDotProducts({ ...options, correlation: 0, degreesOfFreedom: 3 }), plain);
});

test("what cannot be drawn is refused, and the message names the limit", () => {
  refused({ components: "cauchy" }, "ERR_RANGE", /components must be one of .*"student-t", got "cauchy"/);
  const t = { components: "student-t" };
  for (const degreesOfFreedom of [2, 1, 0, -5, Number.NaN, Number.POSITIVE_INFINITY, 1e7])
    refused({ ...t, degreesOfFreedom }, "ERR_RANGE", /degreesOfFreedom must be more than 2.*variance exists/);
  refused({ ...t, degreesOfFreedom: "5" }, "ERR_TYPE", /degreesOfFreedom/);
  for (const correlation of [-0.34, 1.001, Number.NaN])
    refused(
      { correlation },
      "ERR_RANGE",
      /correlation must be a number from -1\/\(dimension - 1\) = -0\.333/,
    );
  refused({ dimension: 1, correlation: -1.5 }, "ERR_RANGE", /correlation must be a number from -1 to 1/);
  refused({ correlation: "0" }, "ERR_TYPE", /correlation/);
  refused({ returnValues: 1 }, "ERR_TYPE", /returnValues must be true or false/);
  refused({ returnValues: true, samples: 2 ** 26 + 1 }, "ERR_RANGE", /at most 67108864 with returnValues/);
  for (const samples of [0, -1, 1.5, 2 ** 32])
    refused({ samples }, "ERR_RANGE", /samples must be an integer/);
  for (const dimension of [0, -1, 2.5, 65537]) refused({ dimension }, "ERR_RANGE", /dimension must be/);
  for (const bad of [-1, 0.5, 2 ** 53, Number.NaN]) refused({ seed: bad }, "ERR_RANGE", /seed must be/);
});

test("a sweep's correlation must suit its longest vectors", () => {
  const sweep = { dimensions: [2, 11], samples: 10, seed };
  assert.equal(core.varianceSweep({ ...sweep, correlation: -0.1 }).length, 2);
  assert.throws(
    () => core.varianceSweep({ ...sweep, correlation: -0.11 }),
    /correlation must be a number from -1\/\(dimension - 1\) = -0\.1 to 1, got -0\.11/,
  );
});

test("workers give the core's bits for every law, correlated", async () => {
  for (const components of laws) {
    const options = {
      dimension: 33,
      components,
      degreesOfFreedom: 3,
      correlation: -0.02,
      samples: 3000,
      seed,
    };
    assert.deepEqual(await pool.sampleDotProducts(options), core.sampleDotProducts(options));
    const { dimension, ...rest } = options;
    const sweep = { ...rest, dimensions: [1, dimension] };
    assert.deepEqual(await pool.varianceSweep(sweep), core.varianceSweep(sweep));
  }
});
