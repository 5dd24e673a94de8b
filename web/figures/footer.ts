/** The foot of a figure: what the numbers rest on, what can be done with them, and the numbers themselves. */
import { html, nothing, type TemplateResult } from "lit";
import { count, exact } from "../charts/numbers.ts";
import type { Copied, Table, Takeaways } from "./actions.ts";

export interface Status {
  /** How many samples the newest result rests on, and how many there will be. */
  done: number;
  goal: number;
  unit: string;
  /** How wide the 95 % band is, in words. */
  band: string;
}

export interface FooterActions extends Takeaways {
  resample(): void;
  /** Takes what was typed, or the default where it is no seed, and says which it was. */
  seed(text: unknown): number;
  pause(): void;
  reset(): void;
}

export interface FooterOptions {
  /** Parts the reader is not shown. */
  hide: readonly string[];
  /** Null where nothing is sampled. */
  status: Status | null;
  /** Null while it is folded. */
  table: Table | null;
  onUnfold: (open: boolean) => void;
  /** Undefined where nothing is random. */
  seed: number | undefined;
  paused: boolean;
  /** Whether links lead anywhere here. */
  linkable: boolean;
  copied: Copied | null;
  actions: FooterActions;
}

function tableView(table: Table | null, onUnfold: (open: boolean) => void): TemplateResult {
  return html`<details @toggle=${(event: Event) => onUnfold((event.target as HTMLDetailsElement).open)}>
    <summary>Data table</summary>
    ${table ? tableContent(table) : nothing}
  </details>`;
}

function tableContent({ caption, header, rows }: Table): TemplateResult {
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0">
      <table>
        <caption>${caption}</caption>
        <thead><tr>${header.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
        <tbody>${rows.map(([name = "", ...cells]) => html`<tr><th scope="row">${shown(name)}</th>${cells.map((cell) => html`<td>${shown(cell)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`;
}

// The table on the page is for reading; the CSV file keeps every digit.
function shown(cell: string | number): string {
  if (typeof cell === "string") return cell;
  if (Number.isInteger(cell)) return count(cell);
  const short = Number(cell.toPrecision(4));
  return Math.abs(short) < 1e-5 || !Number.isFinite(short)
    ? exact(cell, 4)
    : String(short).replace("-", "\u2212");
}

function statusLine(status: Status, paused: boolean): TemplateResult {
  const { done, goal, unit, band } = status;
  const share = goal > 0 ? Math.min(1, done / goal) : 0;
  return html`<div class="meta">
    <span class="progress" aria-hidden="true"><svg width="72" height="4"><rect width=${72 * share} height="4" fill="var(--sqrtdk-muted)"></rect></svg></span>
    <span>${done > 0 ? html`<i>n</i> = ${count(done)} ${unit}` : "no samples yet"}</span>
    <span>${band}</span>
    ${paused ? html`<span>paused</span>` : nothing}
  </div>`;
}

function seedField(seed: number, actions: FooterActions): TemplateResult {
  // Not bound live, for the reason given at logSlider.
  const typed = (event: Event) => {
    const field = event.target as HTMLInputElement;
    field.value = String(actions.seed(field.value));
  };
  return html`<label>seed <input class="seed" type="number" min="0" step="1" inputmode="numeric" .value=${String(seed)} @change=${typed}></label>
    <button type="button" @click=${actions.resample}>Resample</button>`;
}

function buttons({ status, seed, paused, linkable, copied, actions }: FooterOptions): TemplateResult {
  const quiet = (text: string, action: () => unknown) =>
    html`<button type="button" class="quiet" @click=${action}>${text}</button>`;
  return html`<div class="actions">
      ${seed === undefined ? nothing : seedField(seed, actions)}
      ${status ? html`<button type="button" @click=${actions.pause}>${paused ? "Resume" : "Pause"}</button>` : nothing}
      <button type="button" @click=${actions.reset}>Reset</button>
      <span class="gap"></span>
      ${linkable ? [quiet("Copy link", actions.link), quiet("Embed", actions.code)] : nothing}
      ${[quiet("CSV", actions.csv), quiet("SVG", actions.svg), quiet("PNG", actions.png)]}
    </div>
    ${copied ? copiedField(copied) : nothing}`;
}

/** Shown in any case: some browsers keep the clipboard from a page, and all from most frames. */
function copiedField({ kind, text }: Copied): TemplateResult {
  const name = kind === "link" ? "Link to this picture" : "Code that puts this figure into a page";
  return html`<label class="copied"><span>${name}</span>
    <input class="link" readonly .value=${text} @focus=${(event: Event) => (event.target as HTMLInputElement).select()}></label>`;
}

export function footer(options: FooterOptions): TemplateResult | typeof nothing {
  const { hide, status, paused, table, onUnfold } = options;
  const shows = (part: string) => !hide.includes(part);
  if (!["status", "actions", "table"].some(shows)) return nothing;
  return html`<footer>
    ${status && shows("status") ? statusLine(status, paused) : nothing}
    ${shows("actions") ? buttons(options) : nothing}
    ${shows("table") ? tableView(table, onUnfold) : nothing}
  </footer>`;
}
