/** The row behind the figures of a single softmax: against formulas written out here, in double precision. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Core, load } from "sqrtdk";
import { ClassroomModel, spreadOf } from "../../web/figures/classroom-model.ts";
import { SoftmaxModel, sigmoidReach } from "../../web/figures/softmax-model.ts";
import { lead, RandomRows, softmaxRow } from "../../web/figures/softmax-row.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";

let core: Core;
before(async () => {
  core = await load();
});

const softmax = defaults(figureSchemas.softmax);
const classroom = defaults(figureSchemas.classroom);
const { signal } = new AbortController();

/** exp and sum, with the largest taken off first. */
function weightsOf(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const parts = scores.map((score) => Math.exp(score - most));
  const sum = parts.reduce((a, b) => a + b);
  return parts.map((part) => part / sum);
}

function assertClose(actual: ArrayLike<number>, expected: readonly number[], tolerance: number): void {
  assert.equal(actual.length, expected.length);
  for (const [i, value] of expected.entries()) {
    const off = Math.abs((actual[i] as number) - value);
    assert.ok(off <= tolerance * Math.max(Math.abs(value), 1e-6), `${i}: ${actual[i]}, expected ${value}`);
  }
}

// float32 keeps 24 bits; four roundings and the exponential.
const single = 1e-6;

test("a row's weights, slopes and read-outs are those of the formulas", () => {
  for (const [scores, spread] of [
    [[1, 2, 3], 1],
    [[1, 5, 10], 1],
    [[1, 2, 3], 0.25],
    [[-3, 0.5, 0.5, 7, 2], 1.5],
    [[0, 0], 1],
  ] as const) {
    const row = softmaxRow(core, Float32Array.from(scores), spread);
    const p = weightsOf(scores.map((score) => score * spread));
    const sum = (of: (p: number) => number) => p.reduce((total, each) => total + of(each), 0);
    const squares = sum((each) => each ** 2);
    assertClose(row.weights, p, single);
    assertClose(
      row.slopes,
      p.map((each) => each * (1 - each)),
      single,
    );
    const matrix = p.flatMap((a, i) => p.map((b, j) => (i === j ? a * (1 - a) : -a * b)));
    assertClose(row.jacobian, matrix, single);
    assertClose(
      [row.entropy, row.effectiveKeys, row.trace, row.frobenius],
      [sum((each) => -each * Math.log(each)), 1 / squares, 1 - squares, Math.hypot(...matrix)],
      1e-12,
    );
    assert.ok(row.spectral <= 0.5 && row.spectral >= row.frobenius / Math.sqrt(p.length));
    assert.equal(row.largest.key, p.indexOf(Math.max(...p)));
    for (const [i, each] of p.entries())
      assert.ok(Math.abs(lead(row, i) - Math.log(each / (1 - each))) < 1e-5);
  }
});

test("a frozen row keeps the slope of its largest weight, which float32 shows as 1", () => {
  const row = softmaxRow(core, Float32Array.of(0, 30), 1);
  const rest = Math.exp(-30) / (1 + Math.exp(-30));
  assert.equal(row.weights[1], 1);
  assertClose(row.slopes, [rest, rest], single);
  assert.ok(Math.abs(lead(row, 1) - 30) < 1e-5);
  assert.ok(Math.abs(lead(row, 0) + 30) < 1e-5);
  const deeper = softmaxRow(core, Float32Array.of(0, 1000), 100);
  assert.ok(!Number.isNaN(lead(deeper, 0)) && !Number.isNaN(lead(deeper, 1)));
});

test("random scores are dot products of one query with several keys, and grow component by component", () => {
  const rows = new RandomRows();
  const scores = (dimension: number, keys = 3) => rows.scores(core, { seed: 5, keys, dimension });
  const query = core.randomNormal(4096, { seed: 5, stream: 0 });
  for (const dimension of [1, 2, 511, 4096]) {
    const expected = [1, 2, 3].map((stream) => {
      const key = core.randomNormal(4096, { seed: 5, stream });
      return query.slice(0, dimension).reduce((sum, value, i) => sum + value * (key[i] as number), 0);
    });
    assertClose(scores(dimension), expected, single);
  }
  assert.deepEqual(scores(64, 5).slice(0, 3), scores(64, 3), "more keys join those that are there");
  const other = new RandomRows().scores(core, { seed: 6, keys: 3, dimension: 64 });
  assert.notDeepEqual(scores(64), other);
  assert.deepEqual(
    rows.scores(core, { seed: 6, keys: 3, dimension: 64 }),
    other,
    "nothing is left of the old seed",
  );
});

test("the spread of random scores is the root of d_k", () => {
  const rows = new RandomRows();
  let squares = 0;
  for (let seed = 0; seed < 400; ++seed)
    for (const score of rows.scores(core, { seed, keys: 4, dimension: 64 })) squares += score ** 2;
  // Relative variance of the mean square of one row: (1 + 2/d)(1 + 2/n) - 1, theory of a shared query; 400 rows.
  const error = Math.sqrt(((1 + 2 / 64) * (1 + 2 / 4) - 1) / 400);
  assert.ok(Math.abs(squares / 1600 / 64 - 1) < 5 * error, `${squares / 1600}`);
});

test("the model says what its row belongs to, and knows the sigmoid", async () => {
  const model = new SoftmaxModel(
    async () => core,
    () =>
      assert.equal(
        model.row?.scores.length,
        model.source?.random ? model.source.keys : model.source?.scores.length,
      ),
  );
  await model.job({ ...softmax, spread: 2 }).coarse(signal);
  assert.deepEqual(Array.from(model.row?.scores ?? []), [1, 2, 3]);
  assert.equal(model.source?.spread, 2);
  for (const { x, y } of model.sigmoid) assert.ok(Math.abs(y - 1 / (1 + Math.exp(-x))) < 1e-6);
  assert.deepEqual([model.sigmoid[0]?.x, model.sigmoid.at(-1)?.x], [-sigmoidReach, sigmoidReach]);
  await model.job({ ...softmax, random: true, keys: 5 }).coarse(signal);
  assert.equal(model.row?.scores.length, 5);
  assert.equal(model.source?.random, true);
});

test("pupils keep their places while d_k spreads the class", async () => {
  const model = new ClassroomModel(
    async () => core,
    () => {},
  );
  const places: Float32Array[] = [];
  for (const [dimension, scale, spread] of [
    [512, "none", Math.sqrt(512)],
    [9, "none", 3],
    [512, "rsqrt", 1],
  ] as const) {
    await model.job({ ...classroom, dimension, scale }).coarse(signal);
    assert.equal(spreadOf({ dimension, scale }), spread);
    places.push(model.row?.scores as Float32Array);
    assertClose(
      model.row?.weights ?? [],
      weightsOf(Array.from(places[0] as Float32Array, (z) => z * spread)),
      2e-5,
    );
  }
  assert.deepEqual(places[1], places[0]);
  assert.equal(model.at(1), model.row);
  assert.equal(model.at(2)?.spread, 2);
});

test("the classroom opens on a class whose tallest learns nothing, and everybody something once divided", async () => {
  const model = new ClassroomModel(
    async () => core,
    () => {},
  );
  await model.job(classroom).coarse(signal);
  assert.ok(Math.max(...(model.row?.slopes ?? [1])) < 1e-3);
  await model.job({ ...classroom, scale: "rsqrt" }).coarse(signal);
  assert.ok(Math.min(...(model.row?.slopes ?? [0])) > 0.01);
});
