/** `sqrtdk figure`: the page's own drawings, without a browser. A bundle of its own, for it is the larger part. */
import { render } from "@lit-labs/ssr";
import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
import { tidy } from "../charts/download.ts";
import { darkTheme, lightTheme } from "../charts/theme.ts";
import { exportWidth } from "../figures/actions.ts";
import { figureClasses } from "../figures/define.ts";
import { type FigureName, figureNames, figureSchemas } from "../state/fields.ts";
import { attributeName, type Field, parseField, type Schema, serialiseValue } from "../state/schema.ts";
import { createPool } from "../worker/client.ts";
import { type Arguments, type Options, readArguments, UsageError, whole, wordOf } from "./arguments.ts";
import { optionList } from "./help.ts";
import { write } from "./io.ts";
import { out, poolSize, workers } from "./manner.ts";

const themes = { light: lightTheme, dark: darkTheme };
/** Titles are one line. */
const narrowest = 640;
const widest = 4000;

const manner: Options = {
  width: { value: "PIXELS", about: `${narrowest} to ${widest} (default ${exportWidth})` },
  theme: { value: "THEME", about: "light or dark (default light)" },
  draft: { about: "from the first few samples, in a moment" },
  ...out,
  ...workers,
};

/** Parts of the page that a drawing does not have. */
const fieldsOf = (name: FigureName): [string, Field][] =>
  Object.entries(figureSchemas[name] as Schema).filter(([field]) => field !== "hide");

const placeholders: Record<Field["kind"], string> = {
  integer: "N",
  number: "X",
  numbers: "X,X",
  matrix: "X,X;X,X",
  cells: "ROW,COLUMN,VALUE;...",
  choice: "WORD",
  set: "WORDS",
  flag: "",
};

function fieldOptions(name: FigureName): Options {
  const entries = fieldsOf(name).map(([field, { kind, about, ...rest }]) => {
    const words = "values" in rest ? ` ${rest.values.join(", ")}` : "";
    const usual = kind === "flag" ? "" : ` (default ${serialiseValue(rest.default)})`;
    const value = placeholders[kind];
    return [attributeName(field), { ...(value && { value }), about: `${about}${words}${usual}` }];
  });
  return Object.fromEntries(entries);
}

/** The page shows its default and says so; a command that was misunderstood must not draw something else. */
function readState(name: FigureName, args: Arguments): Record<string, unknown> {
  const typed = fieldsOf(name).flatMap(([field, schema]): [string, unknown][] => {
    const option = attributeName(field);
    if (schema.kind === "flag") return args.flag(option) ? [[field, true]] : [];
    const text = args.text(option);
    if (text === undefined) return [];
    const { note } = parseField(`--${option}`, schema, text);
    if (note) throw new UsageError(note.slice(0, note.lastIndexOf("; ")));
    return [[field, text]];
  });
  return Object.fromEntries(typed);
}

export async function figure(args: readonly string[], signal: AbortSignal): Promise<void> {
  const [word = "", ...rest] = args;
  if (word === "--help") return write(help());
  const name = wordOf("figure", word, figureNames);
  const read = readArguments(rest, { ...fieldOptions(name), ...manner });
  if (read.flag("help")) return write(help(name));
  const state = readState(name, read);
  const width = whole("width", read.text("width") ?? String(exportWidth), narrowest, widest);
  const theme = themes[wordOf("--theme", read.text("theme") ?? "light", ["light", "dark"])];
  const pool = createPool(poolSize(read.text("workers")));
  try {
    const element = new figureClasses[name]();
    element.adopt(state);
    const drawing = await element.printed(pool, { width, theme, signal, draft: read.flag("draft") });
    await write(`${tidy(await collectResult(render(drawing)))}\n`, read.text("out"));
  } finally {
    pool.close();
  }
}

function help(name?: FigureName): string {
  if (!name)
    return `Usage: sqrtdk figure NAME [OPTIONS]

An SVG file that stands alone, drawn by the page's own code from numbers as fine as the page's.
Figures: ${figureNames.join(", ")}

sqrtdk figure NAME --help lists the options.
`;
  return `Usage: sqrtdk figure ${name} [OPTIONS]\n\n${optionList({ ...fieldOptions(name), ...manner })}\n`;
}
