/** Puts the lesson page together before it is served: chapters into place, TeX into MathML. Costs the reader nothing. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import temml from "temml";
import type { Plugin } from "vite";

const folder = fileURLToPath(new URL("../lesson/chapters/", import.meta.url));

/** Names of the field, and numbers that follow the figures: \live{dimension}{512}. */
const macros = {
  "\\Var": "\\operatorname{Var}",
  "\\E": "\\operatorname{E}",
  "\\tr": "\\operatorname{tr}",
  "\\diag": "\\operatorname{diag}",
  "\\softmax": "\\operatorname{softmax}",
  "\\Attention": "\\operatorname{Attention}",
  "\\rootdk": "\\class{cool}{\\sqrt{d_k}}",
  "\\live": "\\data{live=#1}{#2}",
};

const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

function mathML(tex: string, displayMode: boolean): string {
  const source = tex.replace(/&(amp|lt|gt);/g, (entity) => entities[entity] as string);
  const markup = temml.renderToString(source, {
    displayMode,
    throwOnError: true,
    trust: true,
    macros: { ...macros },
  });
  // The page's policy forbids inline styles, and its own sheet sets the formulas.
  return markup.replace(/ style="[^"]*"/g, "").replace(/ class="tml-[^"]*"/g, "");
}

export function typeset(html: string): string {
  return html
    .replace(/\\\[([\s\S]+?)\\\]/g, (_, tex: string) => mathML(tex, true))
    .replace(/\\\(([\s\S]+?)\\\)/g, (_, tex: string) => mathML(tex, false))
    .replace(/<\/math>(?=[.,;:?!)])/g, "</math>\u2060");
}

/** `<!-- chapter: growth -->` stands for the file growth.html. */
function assemble(html: string): string {
  return html.replace(/<!-- chapter: ([\w-]+) -->/g, (_, name: string) =>
    readFileSync(`${folder}${name}.html`, "utf8"),
  );
}

export function lessonHtml(index: string): string {
  return typeset(assemble(index)).replace(/<!-- (?!chapter:)[\s\S]*?-->\s*/g, "");
}

export function lessonPage(): Plugin {
  return {
    name: "lesson-page",
    configureServer({ watcher, ws }) {
      watcher.add(readdirSync(folder).map((file) => folder + file));
      watcher.on("change", (file) => {
        if (file.startsWith(folder)) ws.send({ type: "full-reload" });
      });
    },
    transformIndexHtml: { order: "pre", handler: lessonHtml },
  };
}
