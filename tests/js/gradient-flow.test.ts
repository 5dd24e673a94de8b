/** The gradient sweep's rules, errors and rows, and what is refused. (Bits: determinism.test.ts.) */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  type AttentionRowOptions,
  type GradientSweepOptions,
  load,
  type ScaleRule,
  SqrtdkError,
} from "sqrtdk";
import { createPool } from "sqrtdk/worker";

const core = await load();
const pool = createPool({ size: 2 });
after(() => pool.close());

const sweep = { dimensions: [64], keys: 16, trials: 400, seed: 5 } as const;
const rules: ScaleRule[] = [
  "none",
  0.25,
  { rule: "temperature", temperature: 3 },
  { rule: "softcap", softcap: 5, scale: "none" },
  { rule: "qk-norm" },
  { rule: "qk-norm", gain: 2 },
  { rule: "log-n", factor: 0.5 },
];
const only = (scale: ScaleRule, more: Partial<GradientSweepOptions> = {}) => {
  const [row] = core.gradientSweep({ ...sweep, scale, ...more });
  assert.ok(row);
  return row;
};

test("rules that mean the same give the same bits", () => {
  const bits = ({ scale, ...rest }: ReturnType<typeof only>) => rest;
  const none = bits(only("none"));
  assert.deepEqual(bits(only({ rule: "temperature", temperature: 1 })), none);
  assert.deepEqual(bits(only({ rule: "temperature", temperature: 8 })), bits(only("rsqrt")));
  assert.deepEqual(bits(only({ rule: "qk-norm", gain: 8 })), bits(only({ rule: "qk-norm" })));
  assert.deepEqual(bits(only({ rule: "log-n" })), bits(only({ rule: "log-n", factor: 1, scale: 0.5 })));
  // ln 16, whose last bit Math.log may see differently.
  const log = only({ rule: "log-n", scale: "none" }).entropy.mean;
  assert.ok(
    Math.abs(log - only({ rule: "temperature", temperature: 1 / Math.log(16) }).entropy.mean) < 1e-12,
  );
});

test("a high softcap is none, a low one bounds the scores; QK-norm bounds them by its gain", () => {
  const none = only("none");
  const high = only({ rule: "softcap", softcap: 1e5, scale: "none" });
  // x - x^3 / (3 cap^2) with |x| below 50.
  assert.ok(Math.abs(high.entropy.mean - none.entropy.mean) < 1e-4);
  assert.ok(Math.abs(high.gradQueryNorm.mean / none.gradQueryNorm.mean - 1) < 1e-4);
  const row = (scale: ScaleRule) => core.sampleAttentionRow({ dimension: 64, keys: 64, seed: 1, scale });
  const largest = (scale: ScaleRule) => Math.max(...row(scale).scores.map(Math.abs));
  assert.ok(largest("none") > 16);
  assert.ok(largest({ rule: "softcap", softcap: 5, scale: "none" }) <= 5);
  assert.ok(largest({ rule: "softcap", softcap: 5, scale: "none" }) > 4.9);
  assert.ok(largest({ rule: "qk-norm", gain: 2 }) <= 2);
});

test("a row says what it is of, with the defaults of its rule", () => {
  const [softcap, log, norm] = core.gradientSweep({
    ...sweep,
    scale: [{ rule: "softcap", softcap: 50 }, { rule: "log-n" }, { rule: "qk-norm" }],
  });
  assert.deepEqual(softcap?.scale, { rule: "softcap", softcap: 50, scale: "rsqrt" });
  assert.deepEqual(log?.scale, { rule: "log-n", factor: 1, scale: "rsqrt" });
  assert.deepEqual(norm?.scale, { rule: "qk-norm" });
  for (const row of [softcap, norm]) assert.deepEqual([row?.theory, row?.theoryRms], [null, null]);
  assert.ok(log?.theory && log.theoryRms);
});

test("exact means and root mean squares are within five standard errors, for every rule that has them", () => {
  const scale = rules.filter((rule) => typeof rule !== "object" || !("gain" in rule));
  const rows = core.gradientSweep({ ...sweep, dimensions: [1, 8, 64], trials: 3000, scale });
  const known = rows.filter((row) => row.theory);
  assert.equal(known.length, 3 * 4);
  for (const row of known) {
    const { theory, theoryRms } = row;
    assert.ok(theory && theoryRms);
    for (const name of ["entropy", "maxProbability", "sumSquares", "jacobianTrace"] as const)
      assert.ok(Math.abs(row[name].mean - theory[name]) < 5 * row[name].standardError, name);
    for (const name of ["jacobianFrobenius", "gradQueryNorm", "gradKeyNorm", "gradValueNorm"] as const)
      assert.ok(Math.abs(row[name].rms - theoryRms[name]) < 5 * row[name].rmsStandardError, name);
  }
});

test("quantiles are in the order asked for, between the extremes, and NaN errors where trials are too few", () => {
  const { gradQueryNorm } = only("none", { quantiles: [0.9, 0.5, 0.001, 0.9] });
  const [high, middle, low, again] = gradQueryNorm.quantiles;
  assert.ok(high && middle && low);
  assert.deepEqual(high, again);
  assert.equal(middle.value, gradQueryNorm.median);
  assert.equal(middle.standardError, gradQueryNorm.medianStandardError);
  assert.ok(low.value < middle.value && middle.value < high.value);
  assert.ok(high.low < high.value && high.value < high.high && high.standardError > 0);
  assert.ok(Number.isNaN(low.low) && Number.isNaN(low.standardError)); // 400 trials know nothing of one in 1000
  assert.deepEqual(only("none", { quantiles: [] }).entropy.quantiles, []);
  assert.deepEqual(
    only("none").entropy.quantiles.map(({ probability }) => probability),
    [0.01, 0.25, 0.5, 0.75, 0.99],
  );
});

test("the threshold of dead rows changes their share and nothing else", () => {
  const { deadRows: few, ...rest } = only("none", { deadThreshold: 1e-6 });
  const { deadRows: many, ...same } = only("none", { deadThreshold: 0.05 });
  assert.deepEqual(rest, same);
  assert.ok(few.mean < many.mean);
  assert.equal(only("none", { deadThreshold: 0 }).deadRows.mean, 0);
});

test("a sampled row is a trial of the sweep: their mean is the sweep's, to the last bits", () => {
  for (const scale of rules) {
    const { entropy, gradKeyNorm, printsOne } = only(scale, { trials: 3, dimensions: [64] });
    const rows = [0, 1, 2].map((trial) =>
      core.sampleAttentionRow({ dimension: 64, keys: 16, seed: 5, trial, scale }),
    );
    const sum = (pick: (row: (typeof rows)[0]) => number) => rows.reduce((s, row) => s + pick(row), 0);
    const near = (a: number, b: number) => assert.ok(Math.abs(a - b) <= 1e-15 * Math.abs(b), `${a}, ${b}`);
    near(sum((row) => row.entropy) / 3, entropy.mean);
    near(sum((row) => row.gradKeyNorm) / 3, gradKeyNorm.mean);
    near(sum((row) => row.printsOne) / 3, printsOne.mean);
    for (const { probabilities, scores, maxProbability } of rows) {
      assert.equal(probabilities.length, 16);
      assert.ok(Math.abs(Math.max(...probabilities) - maxProbability) < 1e-14);
      assert.equal(scores.indexOf(Math.max(...scores)), probabilities.indexOf(Math.max(...probabilities)));
    }
  }
});

test("workers give the core's bits for every rule, and for a row", async () => {
  const all = { ...sweep, dimensions: [3, 20], trials: 50, scale: rules };
  assert.deepEqual(await pool.gradientSweep(all), core.gradientSweep(all));
  const row = { dimension: 20, keys: 9, seed: 2, trial: 7, scale: { rule: "softcap", softcap: 2 } } as const;
  assert.deepEqual(await pool.sampleAttentionRow(row), core.sampleAttentionRow(row));
});

const refused = (name: string, code: string, run: () => unknown, message: RegExp) =>
  test(`refused: ${name}`, () => {
    assert.throws(run, (error: SqrtdkError) => {
      assert.ok(error instanceof SqrtdkError);
      assert.match(error.message, message);
      assert.equal(error.code, code);
      return true;
    });
  });
const rule = (scale: unknown) => () => core.gradientSweep({ ...sweep, scale } as GradientSweepOptions);
const given = (more: object) => () => core.gradientSweep({ ...sweep, ...more } as GradientSweepOptions);
const row = (more: object) => () =>
  core.sampleAttentionRow({ dimension: 4, keys: 4, seed: 1, ...more } as AttentionRowOptions);

for (const temperature of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e7])
  refused(
    `temperature ${temperature}`,
    "ERR_RANGE",
    rule({ rule: "temperature", temperature }),
    /gradientSweep: scale.temperature must be .* from 0.000001 to 1000000, got/,
  );
refused("no temperature", "ERR_TYPE", rule({ rule: "temperature" }), /scale.temperature .* got undefined/);
refused("softcap 0", "ERR_RANGE", rule({ rule: "softcap", softcap: 0 }), /scale.softcap must be .* got 0/);
refused("softcap -5", "ERR_RANGE", rule(["none", { rule: "softcap", softcap: -5 }]), /scale\[1\].softcap/);
refused("gain 0", "ERR_RANGE", rule({ rule: "qk-norm", gain: 0 }), /scale.gain must be/);
refused("gain as text", "ERR_TYPE", rule({ rule: "qk-norm", gain: "2" }), /scale.gain .* got "2"/);
refused("factor -1", "ERR_RANGE", rule({ rule: "log-n", factor: -1 }), /scale.factor must be/);
refused(
  "a rule inside a rule",
  "ERR_TYPE",
  rule({ rule: "log-n", scale: { rule: "qk-norm" } }),
  /scale.scale/,
);
refused(
  "another rule's setting",
  "ERR_OPTION",
  rule({ rule: "softcap", softcap: 5, gain: 1 }),
  /"softcap" has no "gain"/,
);
refused("a misspelt setting", "ERR_OPTION", rule({ rule: "softcap", softCap: 5 }), /did you mean "softcap"/);
refused("an unknown rule", "ERR_RANGE", rule({ rule: "tanh" }), /scale.rule must be one of "temperature"/);
refused("no rule", "ERR_TYPE", rule({}), /scale.rule must be one of/);
refused("a flag as scale", "ERR_TYPE", rule(true), /"none", "rsqrt", "reciprocal", an exponent or an object/);
for (const p of [0, 1, -0.1, 1.5, Number.NaN])
  refused(
    `quantile ${p}`,
    "ERR_RANGE",
    given({ quantiles: [0.5, p] }),
    /quantiles\[1\] must be .* from 0.000001/,
  );
refused("a quantile as text", "ERR_TYPE", given({ quantiles: ["0.5"] }), /quantiles\[0\]/);
refused("quantiles as a number", "ERR_TYPE", given({ quantiles: 0.5 }), /quantiles must be an array/);
refused("too many quantiles", "ERR_RANGE", given({ quantiles: Array(33).fill(0.5) }), /at most 32/);
for (const deadThreshold of [-1e-9, 1.1, Number.NaN])
  refused(
    `threshold ${deadThreshold}`,
    "ERR_RANGE",
    given({ deadThreshold }),
    /deadThreshold must be .* from 0 to 1/,
  );
refused("trials 0", "ERR_RANGE", given({ trials: 0 }), /trials must be an integer from 1 to 1000000/);
refused("keys 65537", "ERR_RANGE", given({ keys: 65537 }), /keys must be an integer from 1 to 65536/);
refused(
  "trial -1",
  "ERR_RANGE",
  row({ trial: -1 }),
  /sampleAttentionRow: trial must be an integer from 0 to 999999/,
);
refused(
  "several scales for a row",
  "ERR_TYPE",
  row({ scale: ["none"] }),
  /sampleAttentionRow: scale must be/,
);
refused("a row too long", "ERR_OUT_OF_MEMORY", row({ dimension: 65536, keys: 65536 }), /needs .* MB/);
