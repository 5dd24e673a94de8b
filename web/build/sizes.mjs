/** What a visitor downloads: the sizes of dist/, as gzip packs them. Printed at every build; tests hold the budgets. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));

/** Bytes of a file of dist/, by name: as it is, and packed. */
export function sizes() {
  const files = readdirSync(dist).filter((name) => /\.(js|wasm)$/.test(name));
  return Object.fromEntries(
    files.map((name) => {
      const bytes = readFileSync(dist + name);
      return [name, { plain: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length }];
    }),
  );
}

export function printSizes() {
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1).padStart(7);
  for (const [name, { plain, gzip }] of Object.entries(sizes()))
    console.log(`dist/${name.padEnd(20)} ${kilobytes(plain)} kB ${kilobytes(gzip)} kB gzip`);
}
