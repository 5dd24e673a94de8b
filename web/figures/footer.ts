/** The foot of a figure: what the numbers rest on, what can be done with them, and the numbers themselves. */
import { html, nothing, type TemplateResult } from "lit";
import { count } from "../charts/numbers.ts";
import type { Table, Takeaways } from "./actions.ts";

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
  status: Status;
  /** Null while it is folded. */
  table: Table | null;
  onUnfold: (open: boolean) => void;
  seed: number;
  paused: boolean;
  /** The link last copied, or null where links lead nowhere. */
  link: string | null;
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
  return Number.isInteger(cell) ? count(cell) : String(Number(cell.toPrecision(4)));
}

export function footer({
  status,
  table,
  seed,
  paused,
  link,
  onUnfold,
  actions,
}: FooterOptions): TemplateResult {
  const share = status.goal > 0 ? Math.min(1, status.done / status.goal) : 0;
  // Not bound live, for the reason given at logSlider.
  const typed = (event: Event) => {
    const field = event.target as HTMLInputElement;
    field.value = String(actions.seed(field.value));
  };
  return html`<footer>
    <div class="meta">
      <span class="progress" aria-hidden="true"><svg width="72" height="4"><rect width=${72 * share} height="4" fill="var(--sqrtdk-muted)"></rect></svg></span>
      <span>${status.done > 0 ? html`<i>n</i> = ${count(status.done)} ${status.unit}` : "no samples yet"}</span>
      <span>${status.band}</span>
      ${paused ? html`<span>paused</span>` : nothing}
    </div>
    <div class="actions">
      <label>seed <input class="seed" type="number" min="0" step="1" inputmode="numeric" .value=${String(seed)} @change=${typed}></label>
      <button type="button" @click=${actions.resample}>Resample</button>
      <button type="button" @click=${actions.pause}>${paused ? "Resume" : "Pause"}</button>
      <button type="button" @click=${actions.reset}>Reset</button>
      <span class="gap"></span>
      ${link === null ? nothing : html`<button type="button" class="quiet" @click=${actions.link}>Copy link</button>`}
      <button type="button" class="quiet" @click=${actions.csv}>CSV</button>
      <button type="button" class="quiet" @click=${actions.svg}>SVG</button>
      <button type="button" class="quiet" @click=${actions.png}>PNG</button>
    </div>
    ${link ? html`<input class="link" readonly aria-label="Link to this picture" .value=${link} @focus=${(event: Event) => (event.target as HTMLInputElement).select()}>` : nothing}
    ${tableView(table, onUnfold)}
  </footer>`;
}
