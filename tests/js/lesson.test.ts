/** The lesson's text: every number in it is computed again here, every link in it leads somewhere. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
// The built package, as people import it.
import { type Core, load } from "sqrtdk";
import { lessonHtml } from "../../web/build/lesson.ts";
import { curveVerdict, drawnPower } from "../../web/lesson/predict/curve.ts";
import { figureNames } from "../../web/state/fields.ts";

const index = readFileSync(fileURLToPath(new URL("../../web/index.html", import.meta.url)), "utf8");
const html = lessonHtml(index);

let core: Core;
before(async () => {
  core = await load();
});

const softmax = (scores: number[]) => core.softmax(Float32Array.from(scores));
const slope = (p: number) => p * (1 - p);
const row = (keys: number, scale: "none" | "rsqrt") =>
  core.theory.expectedAttentionRow({ keys, dimension: 512, scale });

/** The farthest that the law of the divided dot product lies from the normal one, as distribution functions. */
function distanceFromNormal(dimension: number): number {
  const step = 0.01;
  let tail = 0.5;
  let farthest = 0;
  for (let z = 0; z < 6; z += step) {
    const exact = core.theory.dotProductTail(z * Math.sqrt(dimension), { dimension });
    farthest = Math.max(farthest, Math.abs(exact - tail));
    const density = (at: number) => Math.exp((-at * at) / 2) / Math.sqrt(2 * Math.PI);
    tail -= (step / 6) * (density(z) + 4 * density(z + step / 2) + density(z + step));
  }
  return farthest;
}

const list = (values: Iterable<number>, decimals: number) =>
  [...values].map((value) => value.toFixed(decimals)).join(", ");

/** What `data-fact` promises, by name. */
const facts: Record<string, () => string> = {
  "normal-distance-64": () => distanceFromNormal(64).toFixed(3),
  "exp-1": () => Math.exp(1).toFixed(1),
  "root-512": () => Math.sqrt(512).toFixed(1),
  "softmax-123": () => list(softmax([1, 2, 3]), 2),
  "softmax-1510": () => list(softmax([1, 5, 10]), 4),
  "softmax-1510-top": () => (softmax([1, 5, 10])[2] as number).toFixed(4),
  "softmax-1510-second": () => (softmax([1, 5, 10])[1] as number).toFixed(4),
  "slope-1510-top": () => slope(softmax([1, 5, 10])[2] as number).toFixed(3),
  "slope-1510-second": () => slope(softmax([1, 5, 10])[1] as number).toFixed(3),
  "largest-8-512-raw": () => row(8, "none").maxProbability.toFixed(3),
  "largest-8-512-scaled": () => row(8, "rsqrt").maxProbability.toFixed(3),
  "maximum-16": () => core.theory.expectedMaximum(16).toFixed(2),
  "freezing-16": () => (2 * Math.log(16)).toFixed(1),
  "freezing-1024": () => (2 * Math.log(1024)).toFixed(1),
};

const quoted = [...html.matchAll(/<(\w+)[^>]* data-fact="([^"]+)"[^>]*>([^<]*)<\/\1>/g)].map(
  ([whole, , name, text]) => ({ whole, name: name as string, text: text as string }),
);

test("numbers in the text are those the core computes", () => {
  assert.equal(quoted.length, html.match(/ data-fact=/g)?.length, "every fact is plain text in one element");
  for (const { name, text } of quoted) assert.equal(text, facts[name]?.(), name);
  const told = new Set(quoted.map(({ name }) => name));
  assert.deepEqual(
    Object.keys(facts).filter((name) => !told.has(name)),
    [],
    "facts the text does not tell",
  );
});

test("no number with decimals stands in the text unchecked", () => {
  // One eighth and one quarter need no core.
  const exactOnes = ["0.125", "0.250", "0.25"];
  let text = html;
  for (const { whole } of quoted) text = text.replace(whole, " ");
  text = text
    .replace(/<head>[\s\S]*<\/head>/, " ")
    .replace(/<(\w+)[^>]* data-live=[^>]*>[^<]*<\/\1>/g, " ")
    .replace(/<math[\s\S]*?<\/math>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/arXiv:[\d.]+\d/g, " ");
  const loose = (text.match(/\d+\.\d+/g) ?? []).filter((number) => !exactOnes.includes(number));
  assert.deepEqual(loose, ["3.2"], "only section 3.2.1 of a paper");
});

test("what the text claims of gradients is so", () => {
  const rows = core.gradientSweep({ dimensions: [512], keys: 16, trials: 2 ** 14, seed: 2017 });
  const [raw, scaled] = (["none", "rsqrt"] as const).map((scale) =>
    rows.find((each) => each.scale === scale),
  );
  assert.ok(raw && scaled);
  assert.ok(
    raw.gradQueryNorm.median < raw.gradQueryNorm.mean / 100,
    "half of the rows get less than a hundredth",
  );
  assert.ok(raw.gradQueryNorm.mean > 3 * scaled.gradQueryNorm.mean, "larger, several times");
  assert.ok(Math.exp(20) > 4.5e8 && Math.exp(20) < 5e8, "almost 500 million");
});

test("links within the page lead somewhere, names are given once, figures are figures", () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string);
  assert.deepEqual(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    [],
    "ids given twice",
  );
  const targets = [...html.matchAll(/href="#([^"]+)"|aria-labelledby="([^"]+)"/g)].map(([, a, b]) => a ?? b);
  assert.deepEqual(
    targets.filter((id) => !ids.includes(id as string)),
    [],
    "dead links",
  );
  const placed = [...html.matchAll(/<sqrtdk-([\w-]+)/g)].map(([, name]) => name as string);
  assert.deepEqual(
    placed.filter((name) => !(figureNames as string[]).includes(name)),
    [],
    "unknown figures",
  );
});

test("formulas became MathML without inline styles, which the page's policy forbids", () => {
  assert.ok((html.match(/<math/g)?.length ?? 0) > 50);
  assert.doesNotMatch(html, / style=|\\\(|\\\[|<script>/);
});

test("a drawn curve is judged by the power it follows", () => {
  const columns = [256, 384, 512, 640, 768, 896, 1024];
  for (const power of [0, 0.5, 1, 2]) {
    const values = columns.map((d) => 128 * (d / 128) ** power);
    assert.ok(Math.abs(drawnPower(values) - power) < 1e-12);
  }
  assert.match(curveVerdict(drawnPower(columns)), /very nearly right/);
  assert.ok(Number.isFinite(drawnPower(columns.map(() => 0))));
});
