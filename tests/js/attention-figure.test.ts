/** The attention figure's numbers against the formula in plain doubles, and what keys, edits and layouts mean. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { load } from "sqrtdk";
import { cellAfterKey, editable, edited, untouched } from "../../web/figures/attention-cells.ts";
import { cellText } from "../../web/figures/attention-diagram.ts";
import { cellAt, headHeight, layout } from "../../web/figures/attention-layout.ts";
import {
  AttentionModel,
  type AttentionState,
  attentionPass,
  entry,
  Inputs,
  type Matrix,
  type Pass,
  slots,
  summarise,
} from "../../web/figures/attention-model.ts";
import { cellName, reading } from "../../web/figures/attention-reading.ts";
import { made, origins, stageOf, stages, stageThatMakes } from "../../web/figures/attention-stages.ts";
import { passTable, stageTable } from "../../web/figures/attention-tables.ts";
import { comparison, stageText } from "../../web/figures/attention-words.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";

const core = await load();
const defaultState = defaults(figureSchemas.attention);
const passOf = (some: Partial<AttentionState> = {}): Pass => {
  const state = { ...defaultState, ...some };
  return attentionPass(core, new Inputs(core, state.seed), state);
};

type Rows = number[][];
const rowsOf = ({ rows, columns, values }: Matrix): Rows =>
  Array.from({ length: rows }, (_, row) => [...values.subarray(row * columns, (row + 1) * columns)]);
const transposed = (m: Rows): Rows => (m[0] as number[]).map((_, j) => m.map((row) => row[j] as number));
const product = (a: Rows, b: Rows): Rows =>
  a.map((row) =>
    transposed(b).map((column) => row.reduce((sum, x, i) => sum + x * (column[i] as number), 0)),
  );

/** The formula of the paper and its derivative, as one writes it down. */
function reference({ forward, backward, source }: Pass) {
  const [q, k, v, dO] = [forward.query, forward.key, forward.value, backward.output].map(rowsOf) as [
    Rows,
    Rows,
    Rows,
    Rows,
  ];
  const c = source.scale === "rsqrt" ? 1 / Math.sqrt(source.dimension) : 1;
  const raw = product(q, transposed(k));
  const scaled = raw.map((row) => row.map((s) => c * s));
  const masked = scaled.map((row, i) =>
    row.map((s, j) => (source.causal && j > i ? Number.NEGATIVE_INFINITY : s + (source.bias[i]?.[j] ?? 0))),
  );
  const weights = masked.map((row) => {
    const largest = Math.max(...row);
    const powers = row.map((z) => Math.exp(z - largest));
    const total = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / total);
  });
  const dP = product(dO, transposed(v));
  const dZ = weights.map((row, i) => {
    const mean = row.reduce((sum, p, j) => sum + p * (dP[i]?.[j] as number), 0);
    return row.map((p, j) => p * ((dP[i]?.[j] as number) - mean));
  });
  const dS = dZ.map((row) => row.map((z) => c * z));
  return {
    forward: { query: q, key: k, value: v, raw, scaled, masked, weights, output: product(weights, v) },
    backward: {
      query: product(dS, k),
      key: product(transposed(dS), q),
      value: product(transposed(weights), dO),
      raw: dS,
      scaled: dZ,
      masked: dZ,
      weights: dP,
      output: dO,
    },
  };
}

test("every matrix, forward and backward, is that of the formula in doubles", () => {
  const bias = [
    [0, 1.5],
    [-2, 0],
  ];
  for (const some of [
    {},
    { dimension: 1, tokens: 2, bias },
    { dimension: 8, causal: true, tokens: 6 },
    { dimension: 512, scale: "none" },
    { dimension: 4096, scale: "rsqrt", causal: true, seed: 3 },
  ] as Partial<AttentionState>[]) {
    const pass = passOf(some);
    const right = reference(pass);
    for (const direction of ["forward", "backward"] as const)
      for (const slot of slots) {
        const ours = rowsOf(pass[direction][slot]).flat();
        const theirs = right[direction][slot].flat();
        assert.equal(ours.length, theirs.length);
        const size = Math.max(...theirs.filter(Number.isFinite).map(Math.abs));
        // float32 sums of up to 4096 products, and unscaled scores of size 70 in an exponent: 70 * 2^-24 * some.
        for (const [i, value] of ours.entries()) {
          const what = `${direction} ${slot}[${i}] at ${JSON.stringify(some)}: ${value}, not ${theirs[i]}`;
          if (theirs[i] === Number.NEGATIVE_INFINITY) assert.equal(value, theirs[i], what);
          else assert.ok(Math.abs(value - (theirs[i] as number)) <= 3e-5 * Math.max(size, 1e-6), what);
        }
      }
  }
});

test("what comes in is random to the hundredth, and longer queries begin with the shorter ones", () => {
  const [short, long] = [passOf({ dimension: 8 }), passOf({ dimension: 300, tokens: 6 })];
  for (const name of ["query", "key"] as const)
    for (let row = 0; row < 4; ++row)
      for (let column = 0; column < 8; ++column) {
        const value = entry(short.forward[name], row, column);
        assert.equal(value, entry(long.forward[name], row, column));
        assert.equal(value, Math.fround(Math.round(100 * value) / 100));
      }
  assert.notDeepEqual(short.forward.query.values, short.forward.key.values);
  assert.notDeepEqual(passOf({ seed: 1 }).forward.query.values, passOf({ seed: 2 }).forward.query.values);
});

test("variance and largest value leave masked scores out", () => {
  const values = Float32Array.of(3, -5, Number.NEGATIVE_INFINITY, 1);
  const { variance, largest } = summarise({ rows: 2, columns: 2, values });
  assert.equal(largest, -5);
  assert.ok(Math.abs(variance - ((3 + 1 / 3) ** 2 + (-5 + 1 / 3) ** 2 + (1 + 1 / 3) ** 2) / 2) < 1e-12);
});

test("an edit changes its cell, keeps what is shown beside it, and survives a link", () => {
  const pass = passOf();
  const cell = { slot: "query", row: 2, column: 5 } as const;
  const patch = edited(cell, 7.25, stageOf("output"), pass);
  const next = passOf(patch);
  assert.equal(entry(next.forward.query, 2, 5), 7.25);
  for (let at = 0; at < next.forward.query.values.length; ++at)
    if (at !== 2 * 64 + 5)
      assert.equal(next.forward.query.values[at], pass.forward.query.values[at], `Q[${at}] was not touched`);
  assert.equal(patch.query?.length, 4);
  assert.equal(patch.query?.[0]?.length, 8);
  assert.deepEqual(passOf({ ...patch, ...untouched }).forward, pass.forward);
});

test("an edited score is what the mask adds to it; masked and computed numbers cannot be changed", () => {
  const pass = passOf({ causal: true });
  const stage = stageOf("softmax");
  const cell = { slot: "masked", row: 3, column: 1 } as const;
  assert.ok(editable(cell, stage, pass));
  const next = passOf({ causal: true, ...edited(cell, 2.5, stage, pass) });
  assert.ok(Math.abs(entry(next.forward.masked, 3, 1) - 2.5) < 1e-6);
  assert.equal(entry(next.forward.masked, 3, 0), entry(pass.forward.masked, 3, 0));
  assert.ok(!editable({ ...cell, row: 0 }, stage, pass), "key 2 is hidden from query 1");
  assert.ok(!editable({ slot: "weights", row: 0, column: 0 }, stage, pass));
  assert.ok(!editable({ slot: "query", row: 0, column: 0 }, stageOf("grad-inputs"), pass));
  assert.ok(editable({ slot: "output", row: 0, column: 0 }, stageOf("grad-output"), pass));
  assert.deepEqual(edited({ slot: "weights", row: 0, column: 0 }, 1, stage, pass), {});
  assert.deepEqual(edited(cell, Number.NaN, stage, pass), {});
});

test("stages fill every place once in each direction, and origins lie in what was made before", () => {
  for (const direction of ["forward", "backward"] as const) {
    const filled = stages.filter((stage) => stage.direction === direction).flatMap((stage) => stage.makes);
    assert.deepEqual([...filled].sort(), [...slots].sort());
    for (const slot of slots) {
      const ready = made(stageThatMakes(slot, direction));
      assert.ok(ready.has(slot));
      for (const origin of origins({ slot, row: 0, column: 0 }, direction)) assert.ok(ready.has(origin.slot));
    }
  }
});

test("no two matrices overlap, none leaves the drawing, and every cell is found where it is drawn", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 250, max: 1100 }),
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 1, max: 4096 }),
      (width, tokens, dimension) => {
        const plan = layout({ width, tokens, dimension, columns: 8 });
        const boxes = slots.map((slot) => {
          const { x, y, rows, columns } = plan.places[slot];
          const [right, bottom] = [x + columns * plan.cell.width, y + headHeight + rows * plan.cell.height];
          assert.ok(x >= 0 && right <= width && bottom <= plan.height, `${slot} at ${width}`);
          assert.ok(columns >= 1 && rows === tokens);
          const middle = (row: number, column: number) =>
            cellAt(
              plan,
              x + (column + 0.5) * plan.cell.width,
              y + headHeight + (row + 0.5) * plan.cell.height,
            );
          for (const [row, column] of [
            [0, 0],
            [rows - 1, columns - 1],
          ] as const)
            assert.deepEqual(middle(row, column), { slot, row, column });
          assert.equal(cellAt(plan, x + 1, y + 1), null, "a name is no cell");
          return { x, y, right, bottom };
        });
        for (const [i, a] of boxes.entries())
          for (const b of boxes.slice(i + 1))
            assert.ok(a.right <= b.x || b.right <= a.x || a.bottom <= b.y || b.bottom <= a.y);
        for (const block of plan.blocks)
          for (const a of boxes)
            assert.ok(
              block.x + block.width <= a.x ||
                a.right <= block.x ||
                block.y + block.height <= a.y ||
                a.bottom <= block.y,
              `${block.operation} lies on a matrix`,
            );
      },
    ),
  );
});

test("keys walk through a matrix, stop at its edges, and go on to the other matrices that are made", () => {
  const plan = layout({ width: 1000, tokens: 4, dimension: 64, columns: 8 });
  const stage = stageOf("scores");
  const go = (key: string, from: Parameters<typeof cellAfterKey>[1]) => cellAfterKey(key, from, stage, plan);
  assert.deepEqual(go("ArrowRight", null), { slot: "raw", row: 0, column: 1 });
  assert.deepEqual(go("ArrowLeft", { slot: "query", row: 1, column: 0 }), {
    slot: "query",
    row: 1,
    column: 0,
  });
  assert.deepEqual(go("End", { slot: "query", row: 1, column: 0 }), { slot: "query", row: 1, column: 7 });
  assert.deepEqual(go("PageDown", { slot: "query", row: 1, column: 7 }), { slot: "key", row: 1, column: 7 });
  assert.deepEqual(go("PageUp", { slot: "query", row: 1, column: 7 }), { slot: "raw", row: 1, column: 3 });
  assert.equal(go("a", null), null);
  // The output is not made yet: the walk begins where the stage works.
  assert.deepEqual(go("ArrowDown", { slot: "output", row: 0, column: 0 }), {
    slot: "raw",
    row: 1,
    column: 0,
  });
});

test("a number takes at most six characters, five where it matters", () => {
  for (const [value, text] of [
    [0, "0"],
    [-1.234, "\u22121.23"],
    [9.996, "10.0"],
    [-22.63, "\u221222.6"],
    [99.97, "100"],
    [-1234.2, "\u22121234"],
    [0.0049, "5e\u22123"],
    [-3.2e-7, "\u22123e\u22127"],
    [2e-12, "\u22480"],
    [Number.NaN, "\u2212\u221e"],
  ] as const)
    assert.equal(cellText(value), text);
});

test("the arithmetic beside a number gives that number", () => {
  const pass = passOf({
    dimension: 2,
    tokens: 2,
    query: [
      [1, 2],
      [0.5, -1],
    ],
    key: [
      [3, -1],
      [2, 2],
    ],
  });
  const read = (slot: (typeof slots)[number], direction: "forward" | "backward" = "forward") =>
    reading({ slot, row: 0, column: 1 }, direction, pass, true);
  assert.equal(cellName({ slot: "raw", row: 0, column: 1 }, "forward"), "S, query 1, key 2");
  assert.deepEqual(read("raw"), {
    name: "S, query 1, key 2",
    value: "6",
    steps: "q1\u00b7k2 = 1\u00b72 + 2\u00b72",
  });
  assert.equal(read("scaled").steps, "6 / \u221a2 = 6 / 1.414");
  assert.match(read("query").steps, /typed/);
  for (const direction of ["forward", "backward"] as const)
    for (const slot of slots)
      assert.doesNotMatch(JSON.stringify(read(slot, direction)), /NaN|undefined|null/);
});

test("words and tables hold the pass's own numbers, at every stage and setting", () => {
  for (const scale of ["none", "rsqrt"] as const)
    for (const causal of [false, true])
      for (const dimension of [1, 512]) {
        const pass = passOf({ scale, causal, dimension });
        const other = passOf({ scale: scale === "none" ? "rsqrt" : "none", causal, dimension });
        for (const stage of stages) {
          const said = stageText(stage, pass) + JSON.stringify(comparison(stage, pass, other) ?? "");
          assert.doesNotMatch(said, /NaN|undefined|Infinity/);
          const { rows, header } = stageTable(stage, pass);
          for (const row of rows) assert.equal(row.length, header.length);
        }
      }
  const pass = passOf({ dimension: 512 });
  const { rows } = passTable(pass);
  const sizes = (["forward", "backward"] as const).flatMap((way) =>
    slots.map((slot) => pass[way][slot].values.length),
  );
  assert.equal(
    rows.length,
    sizes.reduce((a, b) => a + b),
  );
  assert.deepEqual(
    rows.find(([name, row, column]) => name === "dK" && row === 3 && column === 500),
    ["dK", 3, 500, entry(pass.backward.key, 2, 499)],
  );
  const raw = comparison(stageOf("softmax"), pass, passOf({ dimension: 512, scale: "none" }));
  assert.ok(Number(raw?.raw) > Number(raw?.scaled));
});

test("the model holds the state its numbers belong to, and draws its inputs once a seed", async () => {
  let [arrivals, draws] = [0, 0];
  const model = new AttentionModel(() => ++arrivals);
  const counting = {
    ...core,
    randomNormal: (...args: Parameters<typeof core.randomNormal>) => {
      ++draws;
      return core.randomNormal(...args);
    },
  };
  for (const dimension of [4, 64, 128])
    await model.job({ ...defaultState, dimension }, async () => counting).coarse();
  assert.equal(arrivals, 3);
  assert.equal(draws, 4);
  assert.equal(model.pass?.source.dimension, 128);
  assert.equal(model.pass?.source.scale, "rsqrt");
  assert.equal(model.other?.source.scale, "none");
  await model.job({ ...defaultState, seed: 9 }, async () => counting).coarse();
  assert.equal(draws, 8);
});
