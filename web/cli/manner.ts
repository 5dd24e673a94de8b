/** Options that many commands have: they say how, and change no byte of the result. */
import { availableParallelism } from "node:os";
import { type Options, whole } from "./arguments.ts";

export const out: Options = {
  out: { value: "FILE", about: "write to a file instead of standard output" },
};

const most = 64;

export const workers: Options = {
  workers: { value: "N", about: `threads, 1 to ${most} (default: one a processor)` },
};

export function poolSize(typed: string | undefined): { size: number } {
  const size =
    typed === undefined ? Math.min(availableParallelism(), most) : whole("workers", typed, 1, most);
  return { size };
}
