/** Drawings, drags, keys and sentences of the figures of a single row: with little room, odd rows and rough hands. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { type Core, load } from "sqrtdk";
import { drawing } from "../../web/charts/drawing.ts";
import { lightTheme as theme } from "../../web/charts/theme.ts";
import { heightsOf, scene } from "../../web/figures/classroom-scene.ts";
import { learningText, lightText, percentText } from "../../web/figures/classroom-words.ts";
import { panels as jacobianPanels } from "../../web/figures/jacobian-panels.ts";
import { entryText, nudgeText, returnText } from "../../web/figures/jacobian-words.ts";
import { withRandom } from "../../web/figures/softmax-controls.ts";
import { afterKey, Drag, rounded, roundStep } from "../../web/figures/softmax-drag.ts";
import { domainOf, panels as softmaxPanels } from "../../web/figures/softmax-panels.ts";
import { type SoftmaxRow, softmaxRow } from "../../web/figures/softmax-row.ts";
import {
  rowText,
  saturationText,
  shareText,
  slopeText,
  weightText,
} from "../../web/figures/softmax-words.ts";
import { figureSchemas } from "../../web/state/fields.ts";
import { defaults } from "../../web/state/schema.ts";

let core: Core;
before(async () => {
  core = await load();
});

const row = (scores: readonly number[], spread = 1): SoftmaxRow =>
  softmaxRow(core, Float32Array.from(scores), spread);

async function markup(content: unknown): Promise<string> {
  return collectResult(render(drawing({ width: 700, height: 500, theme }, content)));
}

const sixteen = Array.from({ length: 16 }, (_, i) => 40 * Math.sin(7 * i));
const oddRows: readonly (readonly [readonly number[], number])[] = [
  [[0, 0], 1],
  [[1, 2, 3], 0],
  [[-1000, 1000], 100],
  [[-5, -5, -5, -4], 2],
  [sixteen, 1],
];
const broken = /NaN|undefined|Infinity|\b(width|height|r)="-/;

test("all three draw odd rows at any width", async () => {
  for (const [scores, spread] of oddRows) {
    const one = row(scores, spread);
    const n = scores.length;
    for (const width of [250, 320, 600, 1200]) {
      const common = { row: one, theme, left: 0, width, top: 40, grabs: true };
      const domain = domainOf(scores, spread);
      const plain = softmaxPanels({ ...common, sigmoid: [{ x: 0, y: 0.5 }], key: n - 1, domain });
      const product = core.softmaxBackward(new Float32Array(n).fill(1), one.weights);
      const cell = { row: 0, column: n - 1 };
      const matrix = jacobianPanels({
        ...common,
        vector: [1],
        product,
        cell,
        magnify: width > 300,
        reach: 1,
      });
      const room = scene({ ...common, widestSpread: 32 });
      for (const each of [plain, matrix, room]) {
        assert.doesNotMatch(await markup(each.drawing), broken, `${scores}, ${width} px`);
        assert.ok(each.height > 100);
      }
      assert.doesNotMatch(await markup(plain.drawing), /grab[^>]*style/);
    }
  }
  const none = softmaxPanels({
    row: null,
    sigmoid: [],
    key: 0,
    domain: [-1, 4],
    grabs: false,
    theme,
    left: 0,
    width: 300,
    top: 0,
  });
  assert.doesNotMatch(await markup(none.drawing), broken);
  assert.equal(none.keyAt(100, 100), null);
});

test("panels know what lies under a point", () => {
  const plain = softmaxPanels({
    row: row([1, 2, 3]),
    sigmoid: [],
    key: 0,
    domain: [-1, 4],
    grabs: false,
    theme,
    left: 0,
    width: 300,
    top: 40,
  });
  assert.deepEqual(
    [50, 170, 290].map((x) => plain.keyAt(x, 100)),
    [0, 1, 2],
  );
  assert.equal(plain.keyAt(10, 100), null, "the axis");
  assert.equal(plain.keyAt(100, 40 + 180 + 40), null, "between the panels");
  const cell = { row: 0, column: 0 };
  const matrix = jacobianPanels({
    row: row([1, 2, 3]),
    vector: [1, 0, 0],
    product: [0, 0, 0],
    cell,
    magnify: false,
    reach: 1,
    grabs: false,
    theme,
    left: 0,
    width: 1000,
    top: 40,
  });
  assert.deepEqual(matrix.cellAt(35, 45), { row: 0, column: 0 });
  assert.equal(matrix.cellAt(600, 45), null);
  assert.equal(matrix.componentAt(600, 45), null, "that is the panel of the row");
});

test("the scores' axis holds them with room to spare, and seldom changes", () => {
  assert.deepEqual(domainOf([1, 2, 3], 1), [-1, 4]);
  assert.deepEqual(domainOf([1, 2, 3], 1.1), [-1, 4]);
  assert.deepEqual(domainOf([-20, 5], 1), [-30, 6]);
  for (const spread of [0, 0.01, 1, 7, 100]) {
    const [low, high] = domainOf([-900, 1000], spread);
    assert.ok(low < Math.min(0, -900 * spread) && high > 1000 * spread, `${spread}: ${low} ${high}`);
  }
});

const key = (name: string, shiftKey = false) => ({ key: name, shiftKey }) as KeyboardEvent;

test("keys choose a bar and move it; nothing leaves the row, and nothing else is taken", () => {
  const from = { index: 1, value: 2 };
  const to = (name: string, shift = false) => afterKey(key(name, shift), 3, from, 0.1);
  assert.deepEqual(to("ArrowRight"), { index: 2 });
  assert.deepEqual(afterKey(key("ArrowRight"), 3, { index: 2, value: 2 }, 0.1), { index: 2 });
  assert.deepEqual([to("Home"), to("End")], [{ index: 0 }, { index: 2 }]);
  assert.deepEqual(
    [to("ArrowUp"), to("ArrowDown", true), to("PageUp")],
    [{ value: 2.1 }, { value: 1.99 }, { value: 3 }],
  );
  assert.equal(to("a"), null);
  assert.equal(afterKey({ key: "ArrowUp", ctrlKey: true } as KeyboardEvent, 3, from, 0.1), null);
});

test("steps of a drag are powers of ten, at least a pixel", () => {
  for (const [unit, step] of [
    [0.025, 0.1],
    [0.1, 0.1],
    [0.11, 1],
    [3, 10],
  ] as const)
    assert.equal(roundStep(unit), step);
  assert.equal(rounded(0.30000000000000004, 0.1), 0.3);
});

function pointer(type: string, y: number, more: object = {}): PointerEvent {
  const currentTarget = { getBoundingClientRect: () => ({ left: 0, top: 0 }), setPointerCapture() {} };
  const target = { classList: { contains: () => false } };
  const shape = {
    type,
    clientX: 5,
    clientY: y,
    buttons: 1,
    pointerId: 1,
    pointerType: "mouse",
    currentTarget,
    target,
  };
  return { ...shape, ...more } as unknown as PointerEvent;
}

test("a drag moves by what the pointer moved, one pointer at a time, and ends when it is let go", () => {
  const drag = new Drag();
  const options = { at: () => ({ index: 0, value: 2 }), unitsPerPixel: 0.05 };
  assert.deepEqual(drag.follow(pointer("pointerdown", 100), options), { index: 0, value: 2 }, "no jump");
  assert.equal(drag.follow(pointer("pointermove", 100), options), null);
  assert.deepEqual(drag.follow(pointer("pointermove", 80), options), { index: 0, value: 3 });
  assert.equal(drag.follow(pointer("pointermove", 10, { pointerId: 2 }), options), null);
  assert.equal(drag.follow(pointer("pointermove", 60, { buttons: 0 }), options), null);
  assert.equal(drag.active, false);
  assert.equal(drag.follow(pointer("pointermove", 40), options), null);
});

test("a finger beside a grip chooses and lets the page scroll; on a grip it drags", () => {
  const drag = new Drag();
  const options = { at: () => ({ index: 1, value: 2 }), unitsPerPixel: 0.05 };
  assert.equal(drag.follow(pointer("pointerdown", 100, { pointerType: "touch" }), options)?.index, 1);
  assert.equal(drag.active, false);
  const target = { classList: { contains: (name: string) => name === "grab" } };
  drag.follow(pointer("pointerdown", 100, { pointerType: "touch", target }), options);
  assert.equal(drag.active, true);
});

test("shares near one are told by what is missing, small ones by their size", () => {
  assert.equal(shareText(0.6652, 0.3348), "0.6652");
  assert.equal(shareText(1, 2.1e-9), "1 \u2212 2\u00b710\u207b\u2079");
  assert.equal(shareText(0.00012, 1), "0.0001");
  assert.equal(shareText(3.2e-11, 1), "3.2\u00b710\u207b\u00b9\u00b9");
  assert.equal(slopeText(0.2229), "0.223");
  assert.equal(slopeText(4e-11), "4\u00b710\u207b\u00b9\u00b9");
  assert.equal(
    weightText(row([0, 300]), 0),
    "5.1\u00b710\u207b\u00b9\u00b3\u00b9",
    "e^-300, where float32 has 0",
  );
  assert.equal(percentText(0.381), "38.1\u202f%");
  assert.equal(percentText(0.99999953, 4.7e-7), "99.999953\u202f%");
  assert.equal(percentText(1, 0), "100.0\u202f%");
});

test("sentences claim no more than the row shows", () => {
  assert.match(saturationText(row([1, 2, 3])), /weights follow/);
  assert.match(saturationText(row([0, 0.1, 0.2])), /close to equal/);
  assert.match(saturationText(row([0, 4])), /Nearly all is decided/);
  assert.match(saturationText(row([0, 20])), /dead/);
  assert.match(lightText(row([0, 0, 0])), /^Everybody/);
  assert.match(lightText(row([0, 0, 20])), /^One pupil/);
  assert.match(lightText(row([0, 20, 20])), /^2 of 3 pupils/);
  assert.match(learningText(row([0, 20])), /^Nobody learns/);
  assert.match(learningText(row([0, 0])), /up to 0\.250/);
});

test("words of the Jacobian: signs, sizes, and the vector that comes back as nothing", () => {
  const one = row([1, 2, 3]);
  assert.equal(entryText(-0.1628), "\u22120.163");
  assert.equal(entryText(-2e-7), "\u22122\u00b710\u207b\u2077");
  assert.equal(entryText(0), "0.000");
  assert.match(nudgeText(one, 2, 2), /p_3\/\u2202s_3 = 0\.223.*rises$/);
  assert.match(nudgeText(one, 0, 1), /\u22120\.022.*falls$/);
  const back = (vector: number[]) =>
    returnText(vector, core.softmaxBackward(Float32Array.from(vector), one.weights));
  assert.match(back([1, 1, 1]), /does not see what all scores have in common/);
  assert.match(back([0, 0, 0]), /Nothing is sent/);
  assert.match(back([1, 0, -1]), /1\.41, a length of 0\.346 comes back: 24\u202f%/);
});

test("heights are linear in the score and fill the room at the widest spread", () => {
  const scores = Float32Array.of(-1, 0, 1);
  assert.deepEqual(heightsOf({ scores, spread: 32 }, 32, 50, 250), [50, 150, 250]);
  assert.deepEqual(heightsOf({ scores, spread: 16 }, 32, 50, 250), [100, 150, 200]);
  assert.ok(heightsOf({ scores: new Float32Array(2), spread: 1 }, 32, 50, 250).every(Number.isFinite));
});

test("a row is named as it was typed, and a new seed asks for random scores", () => {
  const state = defaults(figureSchemas.softmax);
  assert.equal(rowText({ ...state, scores: [0.5, -1] }), "scores 0.5, \u22121");
  assert.equal(
    rowText({ ...state, random: true, spread: 0.0442 }),
    "8 random keys at d_k = 512, seed 2017, times 0.0442",
  );
  assert.deepEqual(withRandom({ seed: 1 }), { seed: 1, random: true });
  assert.deepEqual(withRandom({ seed: 1, random: false }), { seed: 1, random: false });
  assert.deepEqual(withRandom({ key: 1 }), { key: 1 });
  assert.deepEqual(withRandom({ scores: [1] }), { scores: [1], random: false });
  assert.deepEqual(withRandom({ scores: [1], random: true }), { scores: [1], random: true });
});
