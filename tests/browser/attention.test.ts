/** The attention figure in Chromium: its numbers against the formula, its keys and edits, its links and its files. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  assertAccessible,
  download,
  type FigurePage,
  numberOf,
  openFigure,
  settledWords,
  tableRows,
} from "./figure-page.ts";
import { type ServedPage, servePage } from "./served-page.ts";

let served: ServedPage;
before(async () => {
  served = await servePage();
});
after(() => served?.close());

type Rows = number[][];
const transposed = (m: Rows): Rows => (m[0] as number[]).map((_, j) => m.map((row) => row[j] as number));
const product = (a: Rows, b: Rows): Rows =>
  a.map((row) =>
    transposed(b).map((column) => row.reduce((sum, x, i) => sum + x * (column[i] as number), 0)),
  );

const [Q, K, V, dO] = [
  [
    [1, 0.5],
    [-1, 2],
  ],
  [
    [2, 1],
    [0.5, -1.5],
  ],
  [
    [1, 2, 0, -1],
    [0, 1, -1, 3],
  ],
  [
    [1, 0, 0, 1],
    [0, 2, -1, 0],
  ],
] as [Rows, Rows, Rows, Rows];
const text = (m: Rows) => m.map((row) => row.join(",")).join(";");
const given = `tokens=2&dimension=2&query=${text(Q)}&key=${text(K)}&value=${text(V)}&gradOutput=${text(dO)}`;

/** softmax(Q K^T / sqrt 2) V and its gradients, as one writes them down. */
function formula() {
  const S = product(Q, transposed(K));
  const Z = S.map((row) => row.map((s) => s / Math.SQRT2));
  const P = Z.map((row) =>
    row.map((z) => Math.exp(z) / row.reduce((sum, other) => sum + Math.exp(other), 0)),
  );
  const dP = product(dO, transposed(V));
  const dZ = P.map((row, i) => {
    const mean = row.reduce((sum, p, j) => sum + p * (dP[i]?.[j] as number), 0);
    return row.map((p, j) => p * ((dP[i]?.[j] as number) - mean));
  });
  const dS = dZ.map((row) => row.map((z) => z / Math.SQRT2));
  return {
    ...{ Q, K, V, S, "scaled S": Z, Z, P, O: product(P, V), dO, dP, dZ, dS, "dscaled S": dZ },
    ...{ dV: product(transposed(P), dO), dQ: product(dS, K), dK: product(transposed(dS), Q) },
  } as Record<string, Rows>;
}

async function stepTo(opened: FigurePage, step: number): Promise<void> {
  await opened.figure.locator("#stage").fill(String(step - 1));
  await opened.figure.locator("label", { hasText: `step ${step} of 11` }).waitFor();
}

test("every stage's table holds the numbers of the formula", async () => {
  const opened = await openFigure(served, "attention", given);
  await settledWords(opened.figure);
  const right = formula();
  const seen = new Set<string>();
  for (let step = 1; step <= 11; ++step) {
    await stepTo(opened, step);
    for (const [name = "", ...cells] of await tableRows(opened.figure)) {
      const [matrix = "", row] = name.split(", row ");
      const expected = right[matrix]?.[Number(row) - 1];
      assert.ok(expected, name);
      const values = cells.filter((cell) => cell !== "").map(numberOf);
      assert.equal(values.length, expected.length, name);
      for (const [i, value] of values.entries())
        assert.ok(
          Math.abs(value - (expected[i] as number)) <= 6e-4 * Math.max(1, Math.abs(value)),
          `${name}: ${values}`,
        );
      seen.add(matrix);
    }
  }
  assert.deepEqual([...seen].sort(), Object.keys(right).sort());
  assert.deepEqual(opened.trouble, []);
});

test("the file holds every matrix to the last digit float32 knows", async () => {
  const opened = await openFigure(served, "attention", given);
  await settledWords(opened.figure);
  const csv = await download(opened.figure, "CSV");
  assert.equal(csv.name, "sqrtdk-attention-dk2-scaled-edited-seed37.csv");
  const [header, ...lines] = csv.text.trim().split("\r\n");
  assert.equal(header, "matrix,row,column,value,set by hand");
  const right = formula();
  assert.equal(lines.length, Object.values(right).flat(2).length);
  for (const line of lines) {
    const [matrix = "", row, column, value] = line.split(",");
    const expected = right[matrix]?.[Number(row) - 1]?.[Number(column) - 1] as number;
    assert.ok(Math.abs(Number(value) - expected) < 1e-6, `${line}: ${expected}`);
  }
  const svg = await download(opened.figure, "SVG");
  assert.match(svg.text, /^<svg[^>]*><title>/);
  assert.doesNotMatch(svg.text, /var\(--|NaN|undefined|<script|style=/);
});

test("by keyboard: step, walk to a number, change it, and everything that depends on it follows", async () => {
  const opened = await openFigure(served, "attention", given);
  const { figure, page } = opened;
  await settledWords(opened.figure);
  await figure.locator("#stage").focus();
  for (let press = 0; press < 4; ++press) await page.keyboard.press("ArrowLeft");
  await figure.locator("label", { hasText: "step 2 of 11" }).waitFor();
  await figure.getByRole("button", { name: "Step on" }).press("Enter");
  await figure.locator("label", { hasText: "step 3 of 11" }).waitFor();

  await figure.locator(".diagram").focus();
  for (const key of ["PageUp", "PageUp", "PageUp", "PageUp", "ArrowDown", "ArrowRight"])
    await page.keyboard.press(key);
  const reading = figure.locator(".reading");
  await reading.locator("b", { hasText: "Q, token 2, component 2" }).waitFor();
  assert.match((await reading.textContent()) ?? "", /set by hand; drawn/);
  await page.keyboard.press("Enter");
  await page.keyboard.type("4");
  await page.keyboard.press("Enter");
  await figure.locator(".diagram").focus();
  for (const key of ["PageDown", "PageDown", "PageDown", "PageDown"]) await page.keyboard.press(key);
  // q2 = (-1, 4) and k2 = (0.5, -1.5): -6.5 over the root of 2.
  await reading.getByText("\u22126.5 / \u221a2").waitFor();
  // The spoken line follows once the hand rests.
  await figure
    .locator("[role=status]", { hasText: "scaled S, query 2, key 2 = \u22124.596" })
    .first()
    .waitFor();
  const state = await figure.evaluate(
    (element) => (element as unknown as { state: { query: Rows } }).state.query,
  );
  assert.deepEqual(state, [
    [1, 0.5],
    [-1, 4],
  ]);
  assert.deepEqual(opened.trouble, []);
});

test("by keyboard: a weight is set, the output follows, the link keeps it, Delete takes it back", async () => {
  const opened = await openFigure(served, "attention", given);
  const { figure, page } = opened;
  await settledWords(opened.figure);
  const { P } = formula() as { P: Rows };
  const diagram = figure.locator(".diagram");
  const reading = figure.locator(".reading");
  await diagram.focus();
  await page.keyboard.press("PageUp");
  await reading.locator("b", { hasText: "P, query 1, key 1" }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type("0.25");
  await page.keyboard.press("Enter");
  await reading.getByText("set by hand; computed").waitFor();
  const sum = 0.25 + (P[0]?.[1] as number);
  const said = await settledWords(opened.figure);
  assert.ok(said.includes(`Row 1 of P adds up to ${Number(sum.toFixed(4))}, not 1`), said);
  const output = product([[0.25, P[0]?.[1] as number]], V)[0] as number[];
  for (const [i, cell] of ((await tableRows(opened.figure))[0] as string[]).slice(1).entries())
    assert.ok(Math.abs(numberOf(cell) - (output[i] as number)) < 6e-4, `${cell}: ${output[i]}`);
  const state = () =>
    figure.evaluate((element) => (element as unknown as { state: { weights: Rows } }).state.weights);
  assert.deepEqual(await state(), [[1, 1, 0.25]]);

  const again = await openFigure(served, "attention", `${given}&weights=1,1,0.25`);
  assert.equal(await settledWords(again.figure), said);
  const bad = await openFigure(served, "attention", `${given}&weights=9,1,0.25`);
  await bad.figure.locator(".note", { hasText: "weights" }).waitFor();

  await diagram.focus();
  await page.keyboard.press("Delete");
  await reading.getByText("set by hand").waitFor({ state: "detached" });
  assert.deepEqual(await state(), []);
  await figure.getByRole("button", { name: "Undo all" }).click();
  await figure.getByRole("button", { name: "Undo all" }).waitFor({ state: "detached" });
  assert.ok(await diagram.evaluate((element) => element.matches(":focus")), "the keyboard keeps its place");
  assert.deepEqual([...opened.trouble, ...again.trouble], []);
});

test("an edited state comes back from its address; another seed draws everything anew; reset brings the start back", async () => {
  const opened = await openFigure(served, "attention", "dimension=16&causal=1&stage=softmax");
  const { figure, page } = opened;
  await settledWords(opened.figure);
  const state = () =>
    figure.evaluate((element) => (element as unknown as { state: Record<string, unknown> }).state);
  const box = await figure.locator(".diagram svg").boundingBox();
  assert.ok(box);
  // The first number of Q.
  await page.mouse.move(box.x + 20, box.y + 55);
  await figure.locator(".reading b", { hasText: "Q, token 1, component 1" }).waitFor();
  await figure.locator("#cell").fill("2.75");
  await figure.locator("#cell").press("Enter");
  await settledWords(opened.figure);
  const edited = await state();
  assert.equal((edited.query as Rows)[0]?.[0], 2.75);
  const words = Object.entries(edited)
    .filter(([name]) => name !== "hide")
    .map(([name, value]) => {
      const shown = Array.isArray(value)
        ? (value as Rows).map((row) => row.join(",")).join(";") || "-"
        : value;
      return `${name}=${typeof shown === "boolean" ? Number(shown) : shown}`;
    });
  const again = await openFigure(served, "attention", words.join("&"));
  assert.equal(await settledWords(again.figure), await settledWords(opened.figure));
  assert.deepEqual(await tableRows(again.figure), await tableRows(opened.figure));

  await figure.getByRole("button", { name: "Resample" }).click();
  await settledWords(opened.figure);
  assert.deepEqual((await state()).query, [[]]);
  await figure.getByRole("button", { name: "Reset" }).click();
  await settledWords(opened.figure);
  assert.equal((await state()).seed, 37);
  assert.deepEqual([...opened.trouble, ...again.trouble], []);
});

test("without the scale the weights freeze and the words say so; a causal mask hides what comes after", async () => {
  const opened = await openFigure(
    served,
    "attention",
    "dimension=512&stage=softmax&scale=none&causal=1&seed=3",
  );
  const said = await settledWords(opened.figure);
  const [raw, scaled] = [...said.matchAll(/(\d\.\d+)/g)].map(([value]) => Number(value));
  assert.ok((raw as number) > (scaled as number) && (raw as number) <= 1, said);
  await stepTo(opened, 4);
  const scores = await tableRows(opened.figure);
  const hidden = scores.map((row) => row.slice(1).map((cell) => /Infinity|\u221e/.test(cell)));
  assert.deepEqual(
    hidden,
    [0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => j > i)),
  );
});

test("a finger reads a number with a tap, on a phone", async () => {
  const opened = await openFigure(served, "attention", given, {
    viewport: { width: 360, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  await settledWords(opened.figure);
  await opened.figure.locator(".diagram svg").tap({ position: { x: 20, y: 52 } });
  await opened.figure.locator(".reading b", { hasText: "Q, token 1, component 1" }).waitFor();
});

test("nothing for axe to find, forward and half way back, at 320 pixels and at 1280", async () => {
  await assertAccessible(served, "attention");
  await assertAccessible(served, "attention", "stage=grad-softmax&scale=none&causal=1&dimension=512");
});
