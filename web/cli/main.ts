#!/usr/bin/env node
/** The command `sqrtdk`: which command is meant, and what becomes of errors. */
import { availableParallelism } from "node:os";
import { SqrtdkError } from "../core/errors.ts";
import { load } from "../core/index.ts";
import { version } from "../core/version.ts";
import { figureNames } from "../state/fields.ts";
import { hint, readArguments, UsageError } from "./arguments.ts";
import { overall } from "./help.ts";
import { write } from "./io.ts";
import { merge, sweep } from "./sweep.ts";

type Command = (args: readonly string[], signal: AbortSignal) => Promise<void>;

const commands: Readonly<Record<string, Command>> = {
  sweep,
  merge,
  figure: async (args, signal) => (await import("./figure.ts")).figure(args, signal),
  info,
};

async function info(args: readonly string[]): Promise<void> {
  const read = readArguments(args, {});
  if (read.flag("help")) return write("Usage: sqrtdk info\n\nVersion, engine and threads, a line each.\n");
  const { variant } = (await load()).info();
  const facts = {
    sqrtdk: version,
    engine: variant,
    node: process.versions.node,
    threads: availableParallelism(),
  };
  await write(
    Object.entries(facts)
      .map(([name, value]) => `${name.padEnd(8)} ${value}\n`)
      .join(""),
  );
}

async function run([name = "", ...args]: readonly string[], signal: AbortSignal): Promise<void> {
  if (name === "--version") return write(`${version}\n`);
  if (name === "--help") return write(overall(figureNames));
  if (name === "") throw new UsageError("which command? sqrtdk --help lists them");
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw new UsageError(`there is no command ${JSON.stringify(name)}${hint(name, Object.keys(commands))}`);
  return command(args, signal);
}

/** What was asked cannot be computed, as opposed to: it could not be computed. */
const misused = ["ERR_TYPE", "ERR_RANGE", "ERR_SHAPE", "ERR_OPTION"];

function statusOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  return error instanceof SqrtdkError && misused.includes(error.code) ? 2 : 1;
}

const interruption = new AbortController();
process.once("SIGINT", () => {
  interruption.abort();
  process.exitCode = 130;
});
// What cannot be written is told to who writes it; without a listener it would end the process with a stack.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

try {
  await run(process.argv.slice(2), interruption.signal);
} catch (error) {
  if (!interruption.signal.aborted) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`sqrtdk: ${message.replaceAll("\n", " ")}\n`);
    process.exitCode = statusOf(error);
  }
}
