/** Builds embed.html, the page for frames, with its one classic script; vite itself builds modules only. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Plugin } from "vite";
import { alias } from "./aliases.mjs";

const path = (name: string) => fileURLToPath(new URL(`../embed/${name}`, import.meta.url));

async function script(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path("main.ts")],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    write: false,
    alias,
    legalComments: "none",
    logLevel: "warning",
    // A classic script has no address of its own; workers are made from the bytes it carries.
    define: { "import.meta.url": "undefined" },
  });
  return outputFiles[0]?.text ?? "";
}

export function classicFrame(policy: string): Plugin {
  return {
    name: "classic-frame",
    configureServer({ middlewares }) {
      middlewares.use(async (request, response, next) => {
        const { pathname } = new URL(request.url ?? "", "http://localhost");
        if (pathname === "/embed.html") {
          response.setHeader("Content-Type", "text/html");
          response.end(readFileSync(path("embed.html")));
        } else if (pathname === "/embed.js") {
          response.setHeader("Content-Type", "text/javascript");
          response.end(await script());
        } else next();
      });
    },
    async generateBundle() {
      const name = this.emitFile({ type: "asset", name: "embed.js", source: await script() });
      const source = readFileSync(path("embed.html"), "utf8")
        .replace("./embed.js", `./${this.getFileName(name)}`)
        .replace("<head>", `<head>\n  <meta http-equiv="Content-Security-Policy" content="${policy}">`);
      this.emitFile({ type: "asset", fileName: "embed.html", source });
    },
  };
}
