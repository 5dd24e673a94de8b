/** Where the attention figure's matrices stand, in which stage they are filled, and how keys walk through them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cellAfterKey } from "../../web/figures/attention-cells.ts";
import { cellAt, headHeight, layout } from "../../web/figures/attention-layout.ts";
import { slots } from "../../web/figures/attention-model.ts";
import { made, origins, stageOf, stages, stageThatMakes } from "../../web/figures/attention-stages.ts";

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
