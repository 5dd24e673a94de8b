/** Numbers of the attention figure that are set by hand: what follows from them, and how they are told and undone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { editable, edited, handMade, undone, untouched } from "../../web/figures/attention-cells.ts";
import { type AttentionState, entry, slots } from "../../web/figures/attention-model.ts";
import { reading } from "../../web/figures/attention-reading.ts";
import { stageOf } from "../../web/figures/attention-stages.ts";
import { passTable, stageTable } from "../../web/figures/attention-tables.ts";
import { comparison, handText } from "../../web/figures/attention-words.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { type CellValue, parseField, serialiseValue, settled } from "../../web/state/schema.ts";
import { assertRight, passOf, rowsOf } from "./attention-passes.ts";

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

test("numbers set by hand in any stage are what the next stages work on, forward and back", () => {
  const some: Partial<AttentionState>[] = [
    { scores: [[2, 3, 40]] },
    { scaledScores: [[1, 1, -3.5]], scale: "none", dimension: 8 },
    { maskedScores: [[4, 2, 2.25]], causal: true },
    { weights: [[2, 1, 0.9]] },
    { output: [[3, 4, -7.5]] },
    {
      scores: [[1, 2, 5]],
      scaledScores: [[1, 3, 0.5]],
      maskedScores: [[2, 1, 1]],
      weights: [[1, 1, 0.25]],
      output: [[1, 1, 2]],
      bias: [[0, 1]],
    },
  ];
  for (const edits of some) assertRight(passOf(edits), JSON.stringify(edits));
});

test("what comes before a number set by hand stays as it was, to the bit", () => {
  const [plain, byHand] = [passOf(), passOf({ weights: [[2, 1, 0.9]] })];
  for (const slot of ["query", "key", "value", "raw", "scaled", "masked"] as const)
    assert.deepEqual(byHand.forward[slot], plain.forward[slot], slot);
  for (const slot of ["weights", "output"] as const) {
    const [old, now] = [plain.forward[slot], byHand.forward[slot]];
    assert.notEqual(entry(old, 1, 0), entry(now, 1, 0));
    for (const row of [0, 2, 3])
      for (let column = 0; column < 4; ++column)
        assert.equal(entry(old, row, column), entry(now, row, column));
  }
});

test("no gradient depends on the output itself, and the words say what does", () => {
  const [plain, byHand] = [passOf(), passOf({ output: [[1, 2, 3]] })];
  assert.deepEqual(byHand.backward, plain.backward);
  const said = handText(stageOf("output"), byHand);
  const loss = rowsOf(byHand.forward.output)
    .flat()
    .reduce((sum, o, i) => sum + o * (byHand.backward.output.values[i] as number), 0);
  const told = Number(/would be (\S+) instead/.exec(said)?.[1]?.replace("\u2212", "-"));
  assert.ok(Math.abs(told - loss) <= 0.006 * Math.abs(loss), `${said} ${loss}`);
});

test("rows of weights that no longer add up to 1 are named with their sum, others are not", () => {
  const pass = passOf({ weights: [[2, 1, 0.9]] });
  const sum = rowsOf(pass.forward.weights)[1]?.reduce((a, b) => a + b) as number;
  const said = handText(stageOf("softmax"), pass);
  assert.ok(said.includes(`Row 2 of P adds up to ${Number(sum.toFixed(4))}, not 1`), said);
  assert.doesNotMatch(said, /Row [134]/);
  assert.match(said, /^Set by hand: 1 number of P\./);
  const whole: CellValue[] = [0.7, 0.1, 0.1, 0.1].map((weight, i) => [1, i + 1, weight]);
  assert.doesNotMatch(handText(stageOf("softmax"), passOf({ weights: whole })), /Row/);
  assert.equal(handText(stageOf("softmax"), passOf()), "");
  assert.equal(comparison(stageOf("softmax"), pass, pass), null, "set weights are the same with and without");
});

test("every number of the way forward can be set; what is hidden by the mask, and gradients but dO, cannot", () => {
  const pass = passOf({ causal: true });
  const stage = stageOf("output");
  for (const slot of slots) {
    assert.ok(editable({ slot, row: 3, column: 1 }, stage, pass), slot);
    const hidden = slot === "masked" || slot === "weights";
    assert.equal(editable({ slot, row: 0, column: 1 }, stage, pass), !hidden, slot);
    const backward = editable({ slot, row: 3, column: 1 }, stageOf("grad-inputs"), pass);
    assert.equal(backward, slot === "output", slot);
  }
  const forced = passOf({ causal: true, weights: [[1, 2, 0.5]], maskedScores: [[1, 2, 3]] });
  assert.deepEqual(forced.forward, pass.forward);
  assert.deepEqual(handMade(forced), []);
  assert.deepEqual(edited({ slot: "weights", row: 0, column: 0 }, Number.NaN, stage, pass), {});
});

test("every edit shows as it was set, is marked, survives a link and is undone, alone or with all", () => {
  for (const slot of slots) {
    const plain = passOf();
    const [cell, stage] = [{ slot, row: 1, column: 2 }, stageOf("output")];
    const patch = edited(cell, 0.75, stage, plain);
    const kept: Partial<AttentionState> = {};
    for (const [name, value] of Object.entries(patch)) {
      const field = figureSchemas.attention[name as "weights"];
      const { value: back, note } = parseField(name, field, serialiseValue(settled(field, value as never)));
      assert.equal(note, undefined);
      Object.assign(kept, { [name]: back });
    }
    const byHand = passOf(kept);
    assert.equal(entry(byHand.forward[slot], 1, 2), 0.75);
    assert.deepEqual(handMade(byHand), [{ ...cell, direction: "forward" }]);
    assert.ok(reading(cell, "forward", byHand).steps.startsWith("set by hand; "));
    const again = passOf({ ...kept, ...undone(cell, stage, byHand) });
    assert.deepEqual(again.forward, plain.forward, slot);
    assert.deepEqual(passOf({ ...kept, ...untouched }).backward, plain.backward);
    const marked = passTable(byHand).rows.filter((row) => row[4] === 1);
    assert.deepEqual(
      marked.map((row) => row.slice(1, 4)),
      [[2, 3, 0.75]],
    );
    assert.match(stageTable(stage, byHand).caption, /Set by hand: 1 number of/);
  }
});

test("setting a cell twice keeps the second number; undoing one keeps the others", () => {
  const stage = stageOf("output");
  const first = passOf({ weights: [[1, 1, 0.5]] });
  const cell = { slot: "weights", row: 1, column: 1 } as const;
  const second = passOf(edited(cell, 0.2, stage, first));
  const third = edited(cell, 0.3, stage, second);
  assert.deepEqual(third.weights, [
    [1, 1, 0.5],
    [2, 2, 0.3],
  ]);
  assert.deepEqual(undone(cell, stage, passOf(third)), { weights: [[1, 1, 0.5]] });
});
