/** `sqrtdk sweep` and `sqrtdk merge`. */
import { readFile } from "node:fs/promises";
import { createPool } from "../worker/client.ts";
import { type Options, readArguments, UsageError, wordOf } from "./arguments.ts";
import { type Format, formats, inShard, isShard, merged, readShard, type Shard, text } from "./document.ts";
import { optionList } from "./help.ts";
import { progress, write } from "./io.ts";
import { out, poolSize, workers } from "./manner.ts";
import {
  commandLineOptions,
  type Row,
  readValues,
  rowsEach,
  type SweepName,
  sweepNames,
  sweeps,
} from "./sweeps.ts";

const output: Options = {
  format: { value: "FORMAT", about: "csv or json (default csv; a shard is always json)" },
  ...out,
};

const manner: Options = {
  shard: { value: "I/N", about: "only the I-th of N parts, as JSON for sqrtdk merge" },
  ...workers,
  progress: { about: "report progress on standard error where that is no terminal" },
};

function readPart(typed: string | undefined): Shard | undefined {
  if (typed === undefined) return undefined;
  const [, index = 0, count = 0] = (/^(\d{1,5})\/(\d{1,5})$/.exec(typed) ?? []).map(Number);
  const shard = { index, count };
  if (isShard(shard)) return shard;
  throw new UsageError(`--shard must be I/N with I from 1 to N, got ${JSON.stringify(typed)}`);
}

const formatOf = (typed: string | undefined, usual: Format) =>
  typed === undefined ? usual : wordOf("--format", typed, formats);

export async function sweep(args: readonly string[], signal: AbortSignal): Promise<void> {
  const [word = "", ...rest] = args;
  if (word === "--help") return write(sweepHelp());
  const name = wordOf("sweep", word, sweepNames);
  const kind = sweeps[name];
  const read = readArguments(rest, { ...commandLineOptions(kind), ...output, ...manner });
  if (read.flag("help")) return write(sweepHelp(name));
  const values = readValues(kind, read);
  const shard = readPart(read.text("shard"));
  const format = formatOf(read.text("format"), shard ? "json" : "csv");
  if (shard && format !== "json") throw new UsageError("a shard is JSON: csv comes from sqrtdk merge");
  const size = poolSize(read.text("workers"));

  const dimensions = shard ? inShard(values.dimensions, shard) : values.dimensions;
  let rows: Row[] = [];
  if (dimensions.length > 0) {
    const { report, end } = progress(`sweep ${name}`, read.flag("progress"));
    const work = (done: readonly Row[]) =>
      done.reduce((sum, row) => sum + row.dimension * (row[kind.counted] as number), 0);
    const components = dimensions.reduce((a, b) => a + b, 0);
    const goal = rowsEach(values) * components * (values[kind.counted] as number);
    const pool = createPool(size);
    try {
      const onProgress = (soFar: readonly object[]) => report(work(soFar as Row[]) / goal);
      rows = await kind.run(pool, { ...values, dimensions }, { signal, onProgress });
    } finally {
      end();
      pool.close();
    }
  }
  const document = { sweep: name, options: values, ...(shard && { shard }), rows };
  await write(text(document, format), read.text("out"));
}

export async function merge(args: readonly string[]): Promise<void> {
  const read = readArguments(args, output, true);
  if (read.flag("help")) return write(mergeHelp());
  if (read.words.length === 0) throw new UsageError("merge needs the files of the shards");
  const format = formatOf(read.text("format"), "csv");
  const shards = new Map<string, ReturnType<typeof readShard>>();
  for (const file of read.words) {
    if (shards.has(file)) throw new UsageError(`${file} is named twice`);
    const content = await readFile(file, "utf8");
    try {
      shards.set(file, readShard(content));
    } catch (error) {
      throw new Error(`${file} ${(error as Error).message}`);
    }
  }
  await write(text(merged(shards), format), read.text("out"));
}

function sweepHelp(name?: SweepName): string {
  if (!name)
    return `Usage: sqrtdk sweep NAME [OPTIONS]\n\n${sweepNames.map((each) => `  ${each.padEnd(10)} ${sweeps[each].about}`).join("\n")}\n\nsqrtdk sweep NAME --help lists the options.\n`;
  const kind = sweeps[name];
  return `Usage: sqrtdk sweep ${name} [OPTIONS]

${kind.about}, a row a d_k${name === "gradient" ? " and scale" : ""}.
Options are those of ${name}Sweep() in the package; a cell is empty where there is no number.

${optionList({ ...commandLineOptions(kind), ...output, ...manner })}
`;
}

const mergeHelp = () => `Usage: sqrtdk merge FILE... [OPTIONS]

Puts the shards of a sweep together, in any order: byte for byte what one run would have printed.

  sqrtdk sweep gradient --trials 100000 --shard 1/2 --out a.json      # on one machine
  sqrtdk sweep gradient --trials 100000 --shard 2/2 --out b.json      # on another
  sqrtdk merge a.json b.json > sweep.csv

${optionList(output)}
`;
