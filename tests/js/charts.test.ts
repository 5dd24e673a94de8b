/** Charts are functions of data: the code that draws in the page also writes .svg files where there is no browser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { scaleLinear, scaleLog } from "d3-scale";
import type { TemplateResult } from "lit";
import { bottomAxis, leftAxis, powerOfTwoTicks } from "../../web/charts/axis.ts";
import { csvText } from "../../web/charts/csv.ts";
import { cursor } from "../../web/charts/cursor.ts";
import { tidy } from "../../web/charts/download.ts";
import { drawing, label } from "../../web/charts/drawing.ts";
import { histogram } from "../../web/charts/histogram.ts";
import { lineWithBand } from "../../web/charts/line.ts";
import { contrast, darkTheme, lightTheme, pageTheme, type Theme } from "../../web/charts/theme.ts";

async function svgOf(template: TemplateResult): Promise<string> {
  return tidy(await collectResult(render(template)));
}

const box = { left: 40, right: 300, top: 20, bottom: 160 };

function lineChart(theme: Theme): TemplateResult {
  const x = scaleLog([1, 4096], [box.left, box.right]);
  const y = scaleLog([1, 4096], [box.bottom, box.top]);
  const points = [1, 64, 4096].map((d) => ({ x: d, y: d, low: d * 0.9, high: d * 1.1 }));
  return drawing(
    { width: 320, height: 200, theme, title: "Growth <&>", description: "a line", opaque: true },
    [
      bottomAxis({ scale: x, box, ticks: powerOfTwoTicks(1, 4096, 4), theme, title: "d_k" }),
      leftAxis({ scale: y, box, ticks: [{ at: 1, label: "1" }], theme }),
      lineWithBand({ points, x, y, paint: theme.raw, theme, mark: "hollow", dash: "6 4" }),
      cursor({ x: 100, top: 20, bottom: 160, left: 40, right: 300, text: "d_k = 9", theme }),
    ],
  );
}

test("a chart drawn without a browser is one well-formed, self-contained svg", async () => {
  const markup = await svgOf(lineChart(lightTheme));
  assert.match(markup, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>/);
  assert.match(markup, /<\/svg>$/);
  assert.doesNotMatch(markup, /<!--|var\(|class=|style=|href=|<style|<script/);
  assert.doesNotMatch(markup, /NaN|undefined|Infinity/);
  const opened = [...markup.matchAll(/<([a-z]+)[\s>]/g)].length;
  const closed = [...markup.matchAll(/<\/([a-z]+)>/g)].length;
  assert.equal(opened, closed, "every element is closed");
});

test("the literal theme puts its colours into the file, the page theme refers to the page's", async () => {
  assert.ok((await svgOf(lineChart(darkTheme))).includes(darkTheme.raw));
  assert.ok((await svgOf(lineChart(pageTheme))).includes('stroke="var(--sqrtdk-raw)"'));
});

test("texts are escaped and indices are set low", async () => {
  const markup = await svgOf(lineChart(lightTheme));
  assert.ok(markup.includes("<title>Growth &lt;&amp;&gt;</title>"));
  const text = await svgOf(
    drawing({ width: 9, height: 9, theme: lightTheme }, label("d_k^2", { x: 0, y: 0, fill: "red" })),
  );
  const plain = text.replace(/<[^>]+>/g, "");
  assert.equal(plain, "dk2");
  assert.match(text, /<tspan dy="3" font-size="0\.78em">k<\/tspan>/);
});

test("a histogram's outline starts and ends on the base line and stays within its domain", async () => {
  const x = scaleLinear([-2, 2], [0, 100]);
  const y = scaleLinear([0, 1], [50, 0]);
  const bins = { low: -4, high: 4, heights: [9, 9, 0.25, 0.5, 0.5, 0.25, 9, 9] };
  const markup = await svgOf(
    drawing(
      { width: 100, height: 50, theme: lightTheme },
      histogram({ bins, x, y, domain: [-2, 2], paint: "red", theme: lightTheme }),
    ),
  );
  const path = /d="(M[^"]+)"/.exec(markup)?.[1];
  assert.equal(path, "M0.00 50.00V37.50H25.00V25.00H50.00V25.00H75.00V37.50H100.00V50.00");
});

test("curves leave out infinite values instead of breaking the path", async () => {
  const x = scaleLinear([-1, 1], [0, 100]);
  const y = scaleLinear([0, 1], [50, 0]);
  const exact = { x: [-1, 0, 1], y: [0.5, Number.POSITIVE_INFINITY, 0.5] };
  const bins = { low: -1, high: 1, heights: [0.5, 0.5] };
  const markup = await svgOf(
    drawing(
      { width: 100, height: 50, theme: lightTheme },
      histogram({ bins, x, y, domain: [-1, 1], paint: "red", theme: lightTheme, exact }),
    ),
  );
  assert.match(markup, /M0,25L100,25/);
});

test("both arms and all text stand out from the paper and the panel, in light and in dark", () => {
  for (const theme of [lightTheme, darkTheme]) {
    for (const ground of [theme.paper, theme.panel]) {
      // Inline marks are text too, so the arms meet the bound for text and not only the 3:1 for graphics.
      for (const role of [
        "raw",
        "scaled",
        "muted",
        "ink",
        "theory",
        "limit",
        "weight",
        "rise",
        "fall",
      ] as const) {
        assert.ok(
          contrast(theme[role], ground) >= 4.5,
          `${role} on ${ground}: ${contrast(theme[role], ground).toFixed(2)}`,
        );
      }
    }
  }
});

/** Viénot, Brettel and Mollon's linear simulation, on linear sRGB. */
const deficiencies: Record<string, [number, number, number][]> = {
  protan: [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
  ],
  deutan: [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
  ],
};

test("the two arms stay apart for red-green colour-blind readers", () => {
  const linear = (hex: string) =>
    [1, 3, 5].map((at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255) ** 2.2) as [
      number,
      number,
      number,
    ];
  for (const theme of [lightTheme, darkTheme]) {
    for (const [name, m] of Object.entries(deficiencies)) {
      const seen = (hex: string) => {
        const [r, g, b] = linear(hex);
        return m.map(
          ([fromRed, fromGreen, fromBlue]) =>
            Math.max(0, fromRed * r + fromGreen * g + fromBlue * b) ** (1 / 2.2),
        );
      };
      const [one, other] = [seen(theme.raw), seen(theme.scaled)];
      const distance = Math.hypot(...one.map((value, i) => value - (other[i] ?? 0)));
      assert.ok(distance > 0.4, `${name}: ${distance.toFixed(2)}`);
    }
  }
});

test("the lesson's style sheet repeats the theme's colours exactly", () => {
  const css = readFileSync(new URL("../../web/lesson/style.css", import.meta.url), "utf8");
  const declared = [...css.matchAll(/--sqrtdk-(\w+): (#\w+);/g)].map(([, role, colour]) => [role, colour]);
  const half = declared.length / 2;
  assert.ok(half >= 7);
  for (const [i, [role, colour]] of declared.entries()) {
    assert.equal(
      colour,
      (i < half ? lightTheme : darkTheme)[role as keyof Theme],
      `${role}, declaration ${i}`,
    );
  }
});

test("a table becomes RFC 4180 text", () => {
  assert.equal(
    csvText(
      ["a", 'b "x"'],
      [
        [1, 2.5],
        ["one, two", -0],
      ],
    ),
    'a,"b ""x"""\r\n1,2.5\r\n"one, two",0\r\n',
  );
});
