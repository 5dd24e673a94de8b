/**
 * A sweep as text. A shard holds every n-th dimension; rows depend on nothing but their dimension and the options, so
 * shards put together are, byte for byte, what one run gives.
 */
import { csvText } from "../charts/csv.ts";
import { version } from "../core/version.ts";
import { scaleText } from "./arguments.ts";
import { type Row, rowsEach, type SweepName, type SweepValues, sweepNames } from "./sweeps.ts";

/** The `index`-th of `count` parts, from 1. */
export interface Shard {
  index: number;
  count: number;
}

const mostShards = 65536;

export interface SweepDocument {
  sweep: SweepName;
  /** Those of the whole sweep, in every shard. */
  options: SweepValues;
  shard?: Shard;
  rows: Row[];
}

export const formats = ["csv", "json"] as const;
export type Format = (typeof formats)[number];

/** Large d_k cost most and mostly stand last: dealt out in turn, every shard gets its share of them. */
export function inShard<Item>(items: readonly Item[], { index, count }: Shard): Item[] {
  return items.filter((_, i) => i % count === index - 1);
}

/** One row a line, so that files can be compared and searched. */
function json({ sweep, options, shard, rows }: SweepDocument): string {
  const head = JSON.stringify({ sqrtdk: version, sweep, options, ...(shard && { shard }) });
  const lines = rows.map((row) => JSON.stringify(row)).join(",\n");
  return `${head.slice(0, -1)},"rows":[\n${lines}\n]}\n`;
}

type Cells = Record<string, string | number>;

/** `entropy.mean`, and of quantiles `entropy.q0.25.value`. */
function flattened(value: unknown, name: string, cells: Cells): void {
  if (name === "scale") cells[name] = scaleText(value);
  else if (Array.isArray(value)) {
    for (const { probability, ...quantile } of value as { probability: number }[])
      flattened(quantile, `${name.replace(/quantiles$/, "q")}${probability}`, cells);
  } else if (typeof value === "object" && value !== null) {
    for (const [part, inner] of Object.entries(value))
      flattened(inner, name ? `${name}.${part}` : part, cells);
  } else cells[name] = (value ?? "") as string | number;
}

function csv(rows: readonly Row[]): string {
  const table = rows.map((row) => {
    const cells: Cells = {};
    flattened(row, "", cells);
    return cells;
  });
  const named = [...new Set(table.flatMap(Object.keys))];
  // What is an object in one row and missing in another has its columns already.
  const header = named.filter((name) => !named.some((other) => other.startsWith(`${name}.`)));
  const lines = table.map((cells) => header.map((name) => cells[name] ?? ""));
  return csvText(header, lines, "\n");
}

export const text = (document: SweepDocument, format: Format) =>
  format === "json" ? json(document) : csv(document.rows);

export const isShard = (shard: Partial<Shard> | undefined): shard is Shard => {
  const { index = 0, count = 0 } = shard ?? {};
  return (
    Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count && count <= mostShards
  );
};

/** The file of a shard; an error says what is wrong with it. */
export function readShard(content: string): SweepDocument & { shard: Shard } {
  let read: Partial<SweepDocument> & { sqrtdk?: unknown };
  try {
    read = JSON.parse(content);
  } catch {
    throw new Error("is not JSON, or was cut off");
  }
  const { sqrtdk, sweep, options, shard, rows } = read ?? {};
  const whole =
    sweepNames.includes(sweep as SweepName) && Array.isArray(options?.dimensions) && Array.isArray(rows);
  if (typeof sqrtdk !== "string" || !whole || !options || !isShard(shard))
    throw new Error("was not written by sqrtdk sweep with --shard");
  if (sqrtdk !== version) throw new Error(`was written by sqrtdk ${sqrtdk}, and this is ${version}`);
  const promised = inShard(options.dimensions, shard).flatMap((dimension) =>
    Array<number>(rowsEach(options)).fill(dimension),
  );
  if (JSON.stringify(rows.map((row) => row?.dimension)) !== JSON.stringify(promised))
    throw new Error("does not hold the rows that its options promise");
  return { sweep: sweep as SweepName, options, shard, rows };
}

/** Named documents in any order, as one; each shard has to be there once. */
export function merged(shards: ReadonlyMap<string, SweepDocument & { shard: Shard }>): SweepDocument {
  const entries = [...shards];
  const [firstName, first] = entries[0] as (typeof entries)[0];
  const { sweep, options } = first;
  const { count } = first.shard;
  const byIndex = new Map<number, [name: string, document: SweepDocument]>();
  for (const [name, document] of entries) {
    if (document.sweep !== sweep) throw new Error(`${name} is a sweep of another kind than ${firstName}`);
    if (JSON.stringify(document.options) !== JSON.stringify(options))
      throw new Error(`${name} has other options than ${firstName}`);
    if (document.shard.count !== count)
      throw new Error(`${name} is one of ${document.shard.count} shards, ${firstName} one of ${count}`);
    const { index } = document.shard;
    const twin = byIndex.get(index);
    if (twin) throw new Error(`${name} is shard ${index}/${count}, and so is ${twin[0]}`);
    byIndex.set(index, [name, document]);
  }
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((index) => !byIndex.has(index));
  if (missing.length > 0)
    throw new Error(`missing: shard ${missing.map((index) => `${index}/${count}`).join(", ")}`);
  // Of every shard the rows of its next dimension, in turn.
  const each = rowsEach(options);
  const rows = options.dimensions.flatMap((_, i) => {
    const [, { rows: own }] = byIndex.get((i % count) + 1) as [string, SweepDocument];
    const start = Math.floor(i / count) * each;
    return own.slice(start, start + each);
  });
  return { sweep, options, rows };
}
