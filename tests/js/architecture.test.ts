/** The rules of src/README.md and CONTRIBUTING.md that a machine can check: who may include whom, and how long files are. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const notOurs = ["node_modules", "build", "dist", "out"];
function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return notOurs.includes(entry.name) && path !== "web/build" ? [] : walk(path);
    return [path];
  });
}
const files = ["src", "web", "tests"].flatMap(walk);
const text = (path: string) => readFileSync(path, "utf8");
const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, "");
const of = (pattern: RegExp) => files.filter((path) => pattern.test(path));
const cpp = of(/^src\/.*\.(h|cpp)$/);
const scripts = of(/^web\/.*\.(ts|js)$/);

/** A room and the rooms whose headers it may include, besides its own. */
const mayInclude: Record<string, string[]> = {
  simd: [],
  random: ["simd"],
  stats: ["simd"],
  softmax: ["simd"],
  attention: ["softmax", "simd"],
  experiments: ["random", "stats", "softmax", "attention", "simd"],
  theory: [],
  training: ["attention", "softmax", "random", "simd"],
  bindings: ["simd", "random", "stats", "softmax", "attention", "experiments", "theory", "training"],
};

/** The same for the web side; "build" is what the build makes. */
const mayImport: Record<string, string[]> = {
  core: ["generated"],
  worker: ["core", "generated"],
  charts: [],
  state: [],
  figures: ["charts", "state", "worker", "core"],
  lesson: ["elements.ts", "figures", "state", "charts"],
  embed: ["elements.ts", "figures", "state"],
  cli: ["core", "worker", "charts", "state", "figures"],
};

/** Packages that a room may import, with all that begins with the same name. */
const mayUse: Record<string, string[]> = {
  core: ["sqrtdk-engine"],
  worker: [],
  charts: ["lit", "d3-"],
  state: [],
  figures: ["lit", "d3-"],
  lesson: ["lit"],
  cli: ["node:", "@lit-labs/ssr"],
};

const roomOf = (path: string) => path.split("/")[1] as string;
const inRooms = scripts.filter((path) => path.split("/").length > 2 && !path.startsWith("web/build/"));

/** Breaches as text; an empty list means the rule is kept, and the rule must have had something to look at. */
function breaches(paths: string[], find: (path: string) => string[]): string[] {
  assert.ok(paths.length > 0, "no files to check");
  return paths.flatMap((path) => find(path).map((what) => `${path}: ${what}`));
}

test("C++ rooms include only the rooms below them", () => {
  const found = breaches(cpp, (path) => {
    const room = roomOf(path);
    const allowed = mayInclude[room];
    if (!allowed) return [`unknown room ${room}`];
    return [...text(path).matchAll(/^#include "([^"]+)"/gm)]
      .map(([, header]) => header as string)
      .filter((header) => ![room, ...allowed].includes(header.split("/")[0] as string));
  });
  assert.deepEqual(found, []);
});

test("every included header exists, named from src/", () => {
  const found = breaches(cpp, (path) =>
    [...text(path).matchAll(/^#include "([^"]+)"/gm)]
      .map(([, header]) => header as string)
      .filter((header) => !existsSync(join("src", header))),
  );
  assert.deepEqual(found, []);
});

test("vector types, builtins and intrinsics stay in simd/", () => {
  const forbidden = /vector_size|__builtin_\w+|wasm_simd128\.h|\w+mmintrin\.h|immintrin\.h|arm_neon\.h/g;
  const outside = cpp.filter((path) => roomOf(path) !== "simd");
  assert.deepEqual(
    breaches(outside, (path) => withoutComments(text(path)).match(forbidden) ?? []),
    [],
  );
});

test("Emscripten is known in bindings/ only", () => {
  const outside = cpp.filter((path) => roomOf(path) !== "bindings");
  assert.deepEqual(
    breaches(outside, (path) => withoutComments(text(path)).match(/emscripten|EMSCRIPTEN/g) ?? []),
    [],
  );
});

test("theory/ includes the standard library only", () => {
  const theory = cpp.filter((path) => roomOf(path) === "theory");
  const found = breaches(theory, (path) =>
    [...text(path).matchAll(/^#include [<"]([^>"]+)[>"]/gm)]
      .map(([, header]) => header as string)
      .filter((header) => /[./]/.test(header.replace(/^theory\/\w+\.h$/, ""))),
  );
  assert.deepEqual(found, []);
});

test("the core neither prints, throws, allocates nor ends the process", () => {
  const forbidden = /\b(printf|std::cout|std::cerr|throw|abort|exit|new|malloc|std::vector|std::string)\b/g;
  const inner = cpp.filter((path) => roomOf(path) !== "bindings");
  assert.deepEqual(
    breaches(inner, (path) => withoutComments(text(path)).match(forbidden) ?? []),
    [],
  );
});

test("bindings hold no values of JavaScript's", () => {
  const bindings = cpp.filter((path) => roomOf(path) === "bindings");
  assert.deepEqual(
    breaches(bindings, (path) => text(path).match(/emscripten::val\b|\bval::/g) ?? []),
    [],
  );
});

/** Imports that leave something at run time; types cost nothing and bind nobody. */
const imports = (path: string) =>
  [
    ...text(path).matchAll(/(?:(?:^|\n)(?:import|export) (?!type)(?:[^"';]*? from )?|\bimport\()"([^"]+)"/g),
  ].map(([, name]) => name as string);

test("web rooms import only the rooms and packages they may", () => {
  const found = breaches(inRooms, (path) => {
    const room = roomOf(path);
    const allowed = mayImport[room];
    if (!allowed) return [`unknown room ${room}`];
    return imports(path).filter((name) => {
      if (!name.startsWith(".")) return !mayUse[room]?.some((start) => name.startsWith(start));
      const target = join(dirname(path), name).split("/")[1] as string;
      return ![room, ...allowed].includes(target);
    });
  });
  assert.deepEqual(found, []);
});

test("no figure imports another figure's element", () => {
  const elements = of(/^web\/figures\/.*\.ts$/).filter((path) => /extends FigureElement\b/.test(text(path)));
  const names = elements.map((path) => `./${path.split("/").at(-1)}`);
  assert.deepEqual(
    breaches(elements, (path) => imports(path).filter((name) => names.includes(name))),
    [],
  );
});

test("code is never made from strings", () => {
  const forbidden =
    /\beval\(|new Function\b|setTimeout\(["'`]|document\.write\b|\.innerHTML\b|insertAdjacentHTML/g;
  assert.deepEqual(
    breaches(scripts, (path) => withoutComments(text(path)).match(forbidden) ?? []),
    [],
  );
});

test("files stay short enough to be read in one sitting", () => {
  const sources = of(/^(src|web|tests)\/.*\.(h|cpp|ts|js|mjs)$/);
  const long = breaches(sources, (path) => {
    const lines = text(path).split("\n").length;
    return lines > (path.startsWith("tests/") ? 400 : 330) ? [`${lines} lines`] : []; // tables of cases are long
  });
  assert.deepEqual(long, []);
});
