/** The licences of the libraries whose code went into a bundle: they ask to travel with it. */
import { readdirSync, readFileSync } from "node:fs";

/** Folder of the package that an input of a bundle belongs to, if it comes from one. */
const packageOf = (input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0];

/** Text for people, of everything that the metafiles say went into their outputs. Throws where a licence is missing. */
export function noticesOf(metafiles) {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const folders = [...new Set(inputs.map(packageOf))].filter((folder) => folder !== undefined).sort();
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (!file && !license) throw new Error(`${name} ${version} goes into dist/ and names no licence`);
      const text = file ? readFileSync(`${folder}/${file}`, "utf8").trim() : `License: ${license}`;
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
