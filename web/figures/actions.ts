/** What a reader can take away from a figure: a link, the table, the drawing. */
import type { TemplateResult } from "lit";
import { csvText, pngBlob, saveBlob, svgText } from "../charts/download.ts";

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

/** The figure, as far as it can be taken away. */
export interface Exhibit {
  fileName(): string;
  table(): Table;
  drawing(): TemplateResult;
  link(): string;
  /** Tells the reader what became of the link. */
  linked(link: string, copied: boolean): void;
  failed(error: unknown): void;
}

export interface Takeaways {
  link(): Promise<void>;
  csv(): void;
  svg(): void;
  png(): Promise<void>;
}

export function takeaways(exhibit: Exhibit): Takeaways {
  return {
    link: async () => {
      const link = exhibit.link();
      exhibit.linked(link, await copyText(link));
    },
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

/** True where the browser let us; elsewhere the link is shown to be copied by hand. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
