/**
 * Small grey pictures of the page, to be compared with those in references/. They are as sharp as an eye that sees where
 * things are but cannot read: a letter drawn a little differently by another machine changes nothing, a label at another
 * place does.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";

/** A picture has one grey level for so many CSS pixels across and down. */
export const cellPx = 8;
/** Levels are kept in steps of this, which makes the files small. */
const stepLevels = 4;

export interface Picture {
  columns: number;
  rows: number;
  /** 0 black to 255 white, row by row. */
  levels: number[];
}

export interface Difference {
  /** Where in the screenshot, in CSS pixels. */
  x: number;
  y: number;
  level: number;
  wanted: number;
  tolerance: number;
}

const folder = fileURLToPath(new URL("references/", import.meta.url));
const pathOf = (name: string) => `${folder}${name}.png`;

/** The grey levels of a PNG file, which the browser reads: each is a mean that counts what is near its middle most. */
export function pictureOf(lab: Page, png: Buffer, cell = cellPx): Promise<Picture> {
  return lab.evaluate(
    async ([base64, size]) => {
      const response = await fetch(`data:image/png;base64,${base64}`);
      const bitmap = await createImageBitmap(await response.blob());
      const { width, height } = bitmap;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      if (!context) throw new Error("no canvas");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      const [columns, rows] = [Math.ceil(width / size), Math.ceil(height / size)];
      // A tent over each cell and half of its neighbours: what moves by a pixel changes little. First along the
      // lines, then down; with a cell more at either end, which is left out in the result.
      const across = columns + 2;
      const sums = new Float64Array(across * (rows + 2));
      const weights = new Float64Array(across * (rows + 2));
      for (let y = 0; y < height; ++y) {
        const line = new Float64Array(across);
        const weight = new Float64Array(across);
        for (let x = 0; x < width; ++x) {
          const at = 4 * (y * width + x);
          const grey =
            0.2126 * (data[at] as number) +
            0.7152 * (data[at + 1] as number) +
            0.0722 * (data[at + 2] as number);
          const column = (x + 0.5) / size + 0.5;
          const j = Math.floor(column);
          const share = column - j;
          line[j] = (line[j] as number) + (1 - share) * grey;
          weight[j] = (weight[j] as number) + 1 - share;
          line[j + 1] = (line[j + 1] as number) + share * grey;
          weight[j + 1] = (weight[j + 1] as number) + share;
        }
        const row = (y + 0.5) / size + 0.5;
        const i = Math.floor(row);
        for (const [to, share] of [
          [i, 1 - row + i],
          [i + 1, row - i],
        ] as const) {
          for (let j = 0; j < across; ++j) {
            const at = to * across + j;
            sums[at] = (sums[at] as number) + share * (line[j] as number);
            weights[at] = (weights[at] as number) + share * (weight[j] as number);
          }
        }
      }
      const levels: number[] = [];
      for (let i = 1; i <= rows; ++i) {
        for (let j = 1; j <= columns; ++j) {
          levels.push((sums[i * across + j] as number) / (weights[i * across + j] as number));
        }
      }
      return { columns, rows, levels };
    },
    [png.toString("base64"), cell] as const,
  );
}

/** A grey PNG file: each chunk with its length before and its checksum behind; no line is filtered. */
function greyPng({ columns, rows, levels }: Picture): Buffer {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header[8] = 8; // bits a level; what follows is 0: grey, deflated, not interlaced
  const lines = Array.from({ length: rows }, (_, row) => [
    0,
    ...levels
      .slice(row * columns, (row + 1) * columns)
      .map((level) => Math.min(255, stepLevels * Math.round(level / stepLevels))),
  ]);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const data = deflateSync(Uint8Array.from(lines.flat()), { level: 9 });
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Whether this machine has the fonts that the references were drawn with; elsewhere letters have other places. */
export function hasFonts(lab: Page): Promise<boolean> {
  return lab.evaluate(() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d") as OffscreenCanvasRenderingContext2D;
    return ["DejaVu Sans", "DejaVu Serif", "DejaVu Math TeX Gyre"].every((font) => {
      const [one, other] = ["monospace", "serif"].map((otherwise) => {
        context.font = `100px "${font}", ${otherwise}`;
        return context.measureText("mill").width;
      });
      return one === other;
    });
  });
}

export async function writeReference(name: string, picture: Picture): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(pathOf(name), greyPng(picture));
}

export async function readReference(lab: Page, name: string): Promise<Picture> {
  return pictureOf(lab, await readFile(pathOf(name)), 1);
}

/** Levels that machines differ by where nothing moves: half a step of the file, and the edges of letters. */
const steady = 6;
/** The share of the contrast around a cell that is lost or won when a hairline moves by one pixel, of the tent's eight, and back. */
const unsteady = 0.25;

/** What is seen in one and not in the other. A height that differs by more than a cell is a difference too. */
export function differences(wanted: Picture, picture: Picture): Difference[] {
  const found: Difference[] = [];
  const columns = Math.min(wanted.columns, picture.columns);
  const rows = Math.min(wanted.rows, picture.rows);
  for (let y = 0; y < rows; ++y) {
    for (let x = 0; x < columns; ++x) {
      const around = neighbours(wanted, x, y);
      const level = at(picture, x, y);
      const tolerance = steady + unsteady * (Math.max(...around) - Math.min(...around));
      if (Math.abs(level - at(wanted, x, y)) > tolerance) {
        found.push({ x: x * cellPx, y: y * cellPx, level, wanted: at(wanted, x, y), tolerance });
      }
    }
  }
  return found;
}

const at = ({ columns, levels }: Picture, x: number, y: number) => levels[y * columns + x] as number;

function neighbours(picture: Picture, x: number, y: number): number[] {
  const near: number[] = [];
  for (let row = Math.max(0, y - 1); row <= Math.min(picture.rows - 1, y + 1); ++row) {
    for (let column = Math.max(0, x - 1); column <= Math.min(picture.columns - 1, x + 1); ++column) {
      near.push(at(picture, column, row));
    }
  }
  return near;
}

/** The differences in words; none for pictures that are alike. */
export function inWords(wanted: Picture, picture: Picture): string[] {
  const across = (picture.columns - wanted.columns) * cellPx;
  const down = (picture.rows - wanted.rows) * cellPx;
  if (Math.abs(across) > cellPx) return [`about ${across} px wider than its reference`];
  if (Math.abs(down) > cellPx) return [`about ${down} px higher than its reference`];
  const all = differences(wanted, picture);
  const worst = all.sort(
    (a, b) => Math.abs(b.level - b.wanted) - b.tolerance - (Math.abs(a.level - a.wanted) - a.tolerance),
  )[0];
  if (!worst) return [];
  const { x, y, level, tolerance } = worst;
  return [
    `${all.length} places differ from its reference, most at ${x}, ${y} px: grey ${level.toFixed(0)}, not ${worst.wanted} ± ${tolerance.toFixed(0)}`,
  ];
}
