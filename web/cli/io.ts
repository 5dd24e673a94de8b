/** Standard output, standard error and files, as other programs expect them to be used. */
import { writeFile } from "node:fs/promises";

export interface Progress {
  /** A share from 0 to 1. */
  report(share: number): void;
  end(): void;
}

/** On a terminal one line that changes; elsewhere, where it was asked for, a line every tenth. */
export function progress(what: string, asked: boolean): Progress {
  const { stderr } = process;
  if (!stderr.isTTY && !asked) return { report() {}, end() {} };
  let shown = -1;
  return {
    report(share) {
      const percent = stderr.isTTY ? Math.floor(100 * share) : 10 * Math.floor(10 * share);
      if (percent <= shown) return;
      shown = percent;
      stderr.write(stderr.isTTY ? `\r${what}: ${percent} %` : `${what}: ${percent} %\n`);
    },
    end() {
      if (stderr.isTTY && shown >= 0) stderr.write("\r\x1b[K");
    },
  };
}

/** To a file where one is named. A reader that has seen enough (`| head`) is no failure. */
export async function write(text: string, file?: string): Promise<void> {
  if (file !== undefined) return writeFile(file, text);
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}
