/** `sqrtdk figure`: drawings of the page's figures that stand alone. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { darkTheme, lightTheme } from "../../web/charts/theme.ts";
import { figureNames } from "../../web/state/fields.ts";

const bin = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const run = promisify(execFile);

async function drawn(line: string): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [bin, "figure", ...line.split(" ")], {
    maxBuffer: 1e8,
  });
  assert.equal(stderr, "");
  return stdout;
}

/** The names of all elements, of markup that is well-formed XML in every byte: no other markup gets through. */
function elements(markup: string): string[] {
  const reference = "&(?:amp|lt|gt|quot|apos|#\\d+|#x[\\da-fA-F]+);";
  const attribute = `\\s+([\\w:-]+)="(?:[^"<&]|${reference})*"`;
  const token = new RegExp(`<([a-z]+)((?:${attribute})*)\\s*(/?)>|</([a-z]+)>|(?:[^<&]|${reference})+`, "gy");
  const open: string[] = [];
  const names: string[] = [];
  while (token.lastIndex < markup.length) {
    const at = token.lastIndex;
    const found = token.exec(markup) ?? assert.fail(`not XML: ${markup.slice(at, at + 80)}`);
    const [text, name, attributes = "", , alone, closed] = found;
    if (closed) assert.equal(open.pop(), closed);
    else if (name) {
      const given = [...attributes.matchAll(/([\w:-]+)="/g)].map(([, each]) => each);
      assert.equal(new Set(given).size, given.length, text);
      names.push(name);
      if (!alone) open.push(name);
    } else assert.ok(open.length > 0 || text.trim() === "", "text outside");
  }
  assert.deepEqual(open, []);
  return names;
}

for (const name of figureNames) {
  test(`${name} is one well-formed picture that needs nothing else`, async () => {
    const markup = await drawn(`${name} --draft`);
    assert.match(markup, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 1040 \d+(\.\d+)?"/);
    const names = elements(markup);
    assert.deepEqual(names.slice(0, 4), ["svg", "title", "desc", "rect"]);
    assert.ok(names.length > 40, `${names.length} elements`);
    assert.ok(names.includes("text"));
    assert.doesNotMatch(markup, /var\(|class=|style=|href|url\(|NaN|undefined|Infinity|\[object/);
    assert.ok(markup.includes(`fill="${lightTheme.paper}"`));
  });
}

test("unless it is a draft, a picture rests on all there is", async () => {
  const walks = async (line: string) =>
    Number(/([\d\u202f,]+) walks/.exec(await drawn(line))?.[1]?.replace(/\D/g, ""));
  const [few, all] = [await walks("random-walk --draft"), await walks("random-walk")];
  assert.ok(few > 0 && few < all, `${few} and ${all} walks`);
});

test("what is asked for is what is drawn", async () => {
  const markup = await drawn("random-walk --dimension 100 --scale rsqrt --seed 5 --theme dark --width 640");
  assert.match(markup, /viewBox="0 0 640 /);
  assert.match(markup, /<title>A dot product is a random walk<\/title><desc>After d k = 100 steps/);
  assert.ok(markup.includes(`fill="${darkTheme.paper}"`));
  const text = markup.replace(/<[^>]+>/g, "");
  // Divided sums: their axis ends within four standard deviations of 1.
  assert.match(text, /divided by √dk/);
  assert.doesNotMatch(text, /\b[1-9]\d\.\d\b|exactly √100/);
  const row = await drawn("softmax --scores=-1,0.5,2 --spread 2");
  assert.match(row, /<desc>Scores (-|\u2212)1, 0\.5, 2/);
});

test("the number of workers changes no byte of a picture", async () => {
  const line = "variance --draft --dimension 64";
  assert.equal(await drawn(`${line} --workers 1`), await drawn(`${line} --workers 3`));
});
