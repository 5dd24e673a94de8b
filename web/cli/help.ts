/** What --help prints. */
import type { Options } from "./arguments.ts";

const width = 100;

/** Words in lines, each with the same indent. */
function wrapped(text: string, indent: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) as string;
    if (line && line.length + 1 + word.length > width - indent) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}

export function optionList(options: Options): string {
  const named = Object.entries(options).map(([name, { value, about }]) => ({
    left: `  --${name}${value ? ` ${value}` : ""}`,
    about,
  }));
  const indent = Math.max(...named.map(({ left }) => left.length)) + 2;
  return named.map(({ left, about }) => left.padEnd(indent) + wrapped(about, indent)).join("\n");
}

export const overall = (
  figures: readonly string[],
) => `Why attention divides by sqrt(d_k): measured, exact, drawn.

Usage: sqrtdk COMMAND [OPTIONS]

  sweep variance    variance of q.k against d_k, as CSV or JSON
  sweep gradient    what softmax leaves of the gradient against d_k
  merge FILE...     the shards of a sweep put together
  figure NAME       ${wrapped(`a figure as SVG: ${figures.join(", ")}`, 20)}
  info              what runs here

  --help            of any command as well
  --version

Exit status: 0 done, 1 failed, 2 not understood, 130 interrupted.
The same seed gives the same numbers on every machine.
`;
