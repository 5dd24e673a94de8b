/** What a reader can take away from a figure: a link, the table, the drawing. */
import type { TemplateResult } from "lit";
import { csvText } from "../charts/csv.ts";
import { pngBlob, saveBlob, svgText } from "../charts/download.ts";
import type { Theme } from "../charts/theme.ts";

/** Of a saved drawing, in pixels. */
export const exportWidth = 1040;

export interface Table {
  caption: string;
  /** Units belong into the header. */
  header: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

/** How an exported drawing is titled and painted. */
export interface Paper {
  title: string;
  description: string;
  opaque: true;
}

/** Of a drawing that no page has asked for. */
export interface Print {
  width: number;
  theme: Theme;
  signal: AbortSignal;
  /** The first numbers are fine enough. */
  draft: boolean;
}

/** What was put on the clipboard, or is shown to be. */
export interface Copied {
  kind: "link" | "code";
  text: string;
}

/** The figure, as far as it can be taken away. */
export interface Exhibit {
  fileName(): string;
  table(): Table;
  drawing(): TemplateResult;
  link(): string;
  /** What puts the figure into another page. */
  code(): string;
  /** Tells the reader what became of it. */
  copied(copied: Copied, done: boolean): void;
  failed(error: unknown): void;
}

export interface Takeaways {
  link(): Promise<void>;
  code(): Promise<void>;
  csv(): void;
  svg(): void;
  png(): Promise<void>;
}

export function takeaways(exhibit: Exhibit): Takeaways {
  const copy = async (copied: Copied) => exhibit.copied(copied, await copyText(copied.text));
  return {
    link: () => copy({ kind: "link", text: exhibit.link() }),
    code: () => copy({ kind: "code", text: exhibit.code() }),
    csv: () => saveCsv(exhibit.table(), exhibit.fileName()),
    svg: () => saveSvg(exhibit.drawing(), exhibit.fileName()),
    png: () =>
      savePng(exhibit.drawing(), exhibit.fileName()).catch((error: unknown) => exhibit.failed(error)),
  };
}

function saveCsv(table: Table, name: string): void {
  saveBlob(new Blob([csvText(table.header, table.rows)], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
}

function saveSvg(template: TemplateResult, name: string): void {
  saveBlob(new Blob([svgText(template)], { type: "image/svg+xml" }), `${name}.svg`);
}

async function savePng(template: TemplateResult, name: string): Promise<void> {
  const markup = svgText(template);
  const size = (dimension: string) =>
    Number(new RegExp(`<svg[^>]* ${dimension}="([\\d.]+)"`).exec(markup)?.[1] ?? 800);
  saveBlob(await pngBlob(markup, size("width"), size("height")), `${name}.png`);
}

/** True where the browser let us. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
