/** The attention figure's numbers against the formula in plain doubles, and what is said about them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText } from "../../web/figures/attention-diagram.ts";
import {
  AttentionModel,
  type AttentionState,
  entry,
  slots,
  summarise,
} from "../../web/figures/attention-model.ts";
import { cellName, reading } from "../../web/figures/attention-reading.ts";
import { stageOf, stages } from "../../web/figures/attention-stages.ts";
import { passTable, stageTable } from "../../web/figures/attention-tables.ts";
import { comparison, stageText } from "../../web/figures/attention-words.ts";
import { assertRight, core, defaultState, passOf } from "./attention-passes.ts";

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
  ] as Partial<AttentionState>[])
    assertRight(passOf(some), JSON.stringify(some));
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
    reading({ slot, row: 0, column: 1 }, direction, pass);
  assert.equal(cellName({ slot: "raw", row: 0, column: 1 }, "forward"), "S, query 1, key 2");
  assert.deepEqual(read("raw"), {
    name: "S, query 1, key 2",
    value: "6",
    steps: "q1\u00b7k2 = 1\u00b72 + 2\u00b72",
    byHand: false,
  });
  assert.equal(read("scaled").steps, "6 / \u221a2 = 6 / 1.414");
  assert.match(read("query").steps, /^set by hand; drawn: /);
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
    ["dK", 3, 500, entry(pass.backward.key, 2, 499), 0],
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
