/** State from outside: typed, never throwing, never markup; and links that give the same picture again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { frameCode, frameUrl, linkTo } from "../../web/state/address.ts";
import { figureNames, figureSchemas } from "../../web/state/fields.ts";
import { mentions, readFigure, readHash, writeHash } from "../../web/state/hash.ts";
import {
  attributeName,
  defaults,
  parseField,
  parseState,
  type Schema,
  serialiseState,
  serialiseValue,
  settled,
} from "../../web/state/schema.ts";

const { variance, gradient } = figureSchemas;

test("what is not given is the default, without a note", () => {
  const { state, notes } = parseState(variance, () => undefined);
  assert.deepEqual(notes, []);
  assert.equal(state.dimension, 512);
  assert.deepEqual(state.show, ["3", "100", "1000", "chosen"]);
});

test("seeds reach over [0, 2^53), and not beyond", () => {
  for (const good of ["0", "9007199254740991", "17", 17]) {
    assert.deepEqual(parseField("seed", variance.seed, good), { value: Number(good) });
  }
  for (const bad of ["-1", "9007199254740992", "1.5", "1e3", "0x10", "", "NaN", "seven", {}, []]) {
    const { value, note } = parseField("seed", variance.seed, bad);
    assert.equal(value, 2017);
    assert.match(
      note ?? "",
      /^seed = “.*” is not a whole number from 0 to 9007199254740991; 2017 is shown instead\.$/,
    );
  }
});

test("invalid values fall back one by one, each with its note", () => {
  const given: Record<string, string> = {
    dimension: "0",
    components: "cauchy",
    show: "3,5",
    limit: "maybe",
    seed: "7",
  };
  const { state, notes } = parseState(variance, (name) => given[name]);
  assert.equal(state.seed, 7);
  assert.equal(state.dimension, 512);
  assert.equal(state.components, "normal");
  assert.equal(notes.length, 4);
});

test("notes are short and hold no control characters", () => {
  const { note } = parseField("seed", variance.seed, `<img src=x>\u0000\n${"a".repeat(500)}`);
  assert.ok(note && note.length < 200);
  assert.doesNotMatch(note, /\p{Cc}/u);
});

test("notes are read in the direction they are written in, and hold no half characters", () => {
  const { note } = parseField("seed", variance.seed, `\u202e\u2066\u2028${"\u{1f642}".repeat(19)}a\u{1f642}`);
  assert.doesNotMatch(note ?? "", /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
});

test("lists far longer than any field takes are refused without being looked through", () => {
  // A message of a few bytes can bring a list of any length: without a limit these would take hours or all memory.
  const sparse: unknown[] = [];
  sparse.length = 2 ** 32 - 1;
  const wide = new Array(1000).fill(new Array(1001).fill(1));
  const rows = figureSchemas.softmax.scores;
  for (const bad of [sparse, wide, [sparse]]) {
    const { value, note } = parseField("scores", rows, bad);
    assert.deepEqual(value, rows.default);
    assert.match(note ?? "", /^scores = \u201ca list\u201d is not /);
  }
});

test("sets keep the schema's order and know the empty set", () => {
  assert.deepEqual(parseField("show", variance.show, "chosen, 3,3").value, ["3", "chosen"]);
  assert.deepEqual(parseField("show", variance.show, "-").value, []);
  assert.deepEqual(parseField("show", variance.show, ["100"]).value, ["100"]);
});

test("flags: an attribute without a value means yes", () => {
  assert.equal(parseField("limit", variance.limit, "").value, true);
  assert.equal(parseField("limit", variance.limit, false).value, false);
});

const real = { min: -20, max: 20, decimals: 2, about: "" };
const number = { ...real, kind: "number", default: 1 } as const;
const numbers = { ...real, kind: "numbers", default: [1, 2], length: [0, 3] } as const;
const matrix = { ...real, kind: "matrix", default: [[1]], rows: [1, 2], columns: [2, 2] } as const;

test("real numbers are read in every usual spelling and kept to their decimals", () => {
  for (const [text, value] of [
    ["1.005", 1],
    ["-.5", -0.5],
    ["\u22123", -3],
    ["+2e-1", 0.2],
    ["-0.001", 0],
    [2.34567, 2.35],
  ] as const) {
    const parsed = parseField("x", number, text);
    assert.deepEqual(parsed, { value });
    assert.ok(!Object.is(parsed.value, -0));
  }
  for (const bad of ["", "1,5", "0x1", "1e999", "20.1", "Infinity", "NaN", "1 2", Number.NaN, [1, 2]]) {
    const { value, note } = parseField("x", number, bad);
    assert.equal(value, 1);
    assert.match(note ?? "", /is not a number from -20 to 20; 1 is shown instead/);
  }
});

test("lists and matrices keep their shape, as text and from a message", () => {
  assert.deepEqual(parseField("x", numbers, "1, 2.345,-3").value, [1, 2.35, -3]);
  assert.deepEqual(parseField("x", numbers, [4, 5]).value, [4, 5]);
  assert.deepEqual(parseField("x", numbers, "-").value, []);
  assert.deepEqual(parseField("x", matrix, "1,2; 3,4").value, [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual(parseField("x", matrix, [[5, 6]]).value, [[5, 6]]);
  const hostile = { toString: () => assert.fail("what was sent is not called") };
  for (const bad of ["1,2,3,4", "1,,2", "1;2", [[1], [2]], [hostile], "99", hostile]) {
    assert.match(parseField("x", numbers, bad).note ?? "", /0 to 3 numbers from -20 to 20.*1,2 is shown/);
  }
  for (const bad of ["1,2;3", "1", "1,2;3,4;5,6", [[1, 2], 3], [[[1, 2]]], "", "-"]) {
    assert.match(parseField("x", matrix, bad).note ?? "", /1 to 2 rows of 2 numbers/);
  }
});

test("single cells are read in any order, each once, and only where there are any", () => {
  const cells = { ...real, kind: "cells", default: [], rows: 2, columns: 3 } as const;
  for (const raw of [
    " 2,1,0.125; 1,3,-4",
    [
      [2, 1, 0.125],
      [1, 3, -4],
    ],
  ])
    assert.deepEqual(parseField("x", cells, raw).value, [
      [1, 3, -4],
      [2, 1, 0.13],
    ]);
  assert.deepEqual(parseField("x", cells, "-"), { value: [] });
  assert.deepEqual(parseField("x", cells, []), { value: [] });
  for (const bad of [
    "3,1,0",
    "0,1,0",
    "1,4,0",
    "1,1,21",
    "1,1",
    "1,1,1,1",
    "1.5,1,0",
    "1,1,1;1,1,2",
    "1,1,x",
    "1,1,1;",
  ]) {
    const { value, note } = parseField("x", cells, bad);
    assert.deepEqual(value, []);
    assert.match(note ?? "", /is not a list of row,column,value with rows to 2, columns to 3.*- is shown/);
  }
  assert.deepEqual(
    settled(cells, [
      [2, 3, 99],
      [1, 1, -0.001],
    ]),
    [
      [1, 1, 0],
      [2, 3, 20],
    ],
  );
});

test("what a hand makes is brought to what a link can keep", () => {
  const reals = fc.double({ noNaN: true });
  fc.assert(
    fc.property(reals, fc.array(reals, { maxLength: 3 }), reals, (one, list, other) => {
      const kept = [settled(number, one), settled(numbers, list), settled(matrix, [[one, other]])] as const;
      assert.deepEqual(parseField("x", number, serialiseValue(kept[0])), { value: kept[0] });
      assert.deepEqual(parseField("x", numbers, serialiseValue(kept[1])), { value: kept[1] });
      assert.deepEqual(parseField("x", matrix, serialiseValue(kept[2])), { value: kept[2] });
    }),
  );
});

test("private fields stay out of links", () => {
  const schema = { ...gradient, secret: { ...gradient.keys, public: false } } satisfies Schema;
  const names = serialiseState(schema, defaults(schema)).map(([name]) => name);
  assert.deepEqual(names, ["seed", "dimension", "keys", "show", "row", "hide"]);
});

test("the parser survives anything", () => {
  fc.assert(
    fc.property(fc.constantFrom(...figureNames), fc.anything(), (figure, junk) => {
      const schema: Schema = figureSchemas[figure];
      const { state } = parseState(schema, () => junk);
      assert.deepEqual(Object.keys(state), Object.keys(schema));
    }),
  );
  fc.assert(fc.property(fc.string(), (hash) => void readFigure(readHash(hash), "variance")));
});

test("a link holds every public value, defaults too, and gives the same state again", () => {
  const fields = fc.record({
    seed: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    dimension: fc.integer({ min: 1, max: 4096 }),
    components: fc.constantFrom(...variance.components.values),
    scale: fc.constantFrom(...variance.scale.values),
    show: fc.subarray([...variance.show.values]),
    limit: fc.boolean(),
    degreesOfFreedom: fc.integer({ min: 21, max: 1000 }).map((tenths) => tenths / 10),
    mean: fc.integer({ min: -200, max: 200 }).map((hundredths) => hundredths / 100),
    correlation: fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
    hide: fc.subarray([...variance.hide.values]),
  });
  fc.assert(
    fc.property(fields, (state) => {
      const hash = writeHash({ variance: state, gradient: defaults(gradient) });
      assert.ok(hash.startsWith("#v=1&variance.seed="));
      assert.deepEqual(readFigure(readHash(hash), "variance"), { state: { ...state }, notes: [] });
      assert.deepEqual(readFigure(readHash(hash), "gradient"), { state: defaults(gradient), notes: [] });
    }),
  );
});

test("names without a prefix reach every figure, prefixed ones win", () => {
  const reader = readHash("#seed=5&gradient.seed=6");
  assert.equal(readFigure(reader, "variance").state.seed, 5);
  assert.equal(readFigure(reader, "gradient").state.seed, 6);
  assert.ok(mentions(reader, "variance"));
  assert.ok(!mentions(readHash("#gradient.keys=3"), "variance"));
});

test("a plain anchor is a place, not a state; another version is noted", () => {
  assert.equal(readHash("#growth").at, "growth");
  assert.equal(readHash("#v=1&at=growth").at, "growth");
  assert.equal(readHash('#v=1&at="><script>').at, null);
  assert.deepEqual(readHash("#v=1").notes, []);
  assert.equal(readHash("#v=2").notes.length, 1);
});

test("a figure's link leaves the rest of the page's state alone", () => {
  const link = linkTo(
    "https://x.test/?a=1#v=1&gradient.keys=99&variance.seed=1",
    "variance",
    { ...defaults(variance), seed: 3 },
    "variance",
  );
  const reader = readHash(new URL(link).hash);
  assert.equal(readFigure(reader, "gradient").state.keys, 99);
  assert.equal(readFigure(reader, "variance").state.seed, 3);
  assert.equal(reader.at, "variance");
});

test("a frame's address names its figure and restores it, from the hash or from the query", () => {
  const state = { ...defaults(variance), seed: 9, show: ["3", "chosen"] as const };
  const url = new URL(frameUrl("https://x.test/a/embed.html?old=1#old=2", "variance", state));
  assert.equal(url.pathname + url.search, "/a/embed.html");
  assert.ok(url.hash.startsWith("#figure=variance&v=1&seed=9&"), url.hash);
  for (const reader of [readHash(url.hash), readHash("", `?${url.hash.slice(1)}`)]) {
    assert.equal(reader.figure, "variance");
    assert.deepEqual(readFigure(reader, "variance"), { state, notes: [] });
  }
  assert.equal(readFigure(readHash("#seed=5", "?seed=6&dimension=7"), "variance").state.seed, 5);
});

test("the code for a page holds the address and the title as text, whatever is in them", () => {
  const code = frameCode("https://x.test/embed.html#figure=variance&seed=1", 'A "title" <b>', 640.2);
  assert.match(
    code,
    /^<iframe src="https:\/\/x\.test\/embed\.html#figure=variance&amp;seed=1" title="A &quot;/,
  );
  assert.match(code, /height="641".*sandbox="allow-scripts allow-downloads"/);
  assert.equal(code.split("<").length, 3);
});

test("attribute names are kebab-case", () => {
  assert.equal(attributeName("queryStd"), "query-std");
});
