/** How every figure looks. Constructed style sheets only, so a strict content security policy needs no exception. */
import { css, unsafeCSS } from "lit";
import { darkTheme, lightTheme, themeDeclarations } from "../charts/theme.ts";

export const figureStyle = css`
  :host {
    ${unsafeCSS(themeDeclarations(lightTheme))}
    display: block;
    container-type: inline-size;
    color: var(--sqrtdk-ink);
    font-family: var(--sqrtdk-font);
    font-size: 0.9375rem;
    line-height: 1.5;
    text-align: start;
  }
  :host([hidden]) { display: none; }
  @media (prefers-color-scheme: dark) {
    :host { ${unsafeCSS(themeDeclarations(darkTheme))} }
  }
  * { box-sizing: border-box; }
  .figure {
    margin: 0;
    background: var(--sqrtdk-paper);
    border: 1px solid var(--sqrtdk-grid);
    border-radius: 14px;
    padding: clamp(1rem, 3cqi, 1.75rem);
    box-shadow: 0 1px 2px rgb(28 30 38 / 5%), 0 12px 32px -18px rgb(28 30 38 / 18%);
  }
  h3 { margin: 0; font-size: 1.125rem; line-height: 1.3; letter-spacing: -0.005em; }
  .lede { margin: 0.25rem 0 0; color: var(--sqrtdk-muted); max-width: 46rem; }
  sub { font-size: 0.75em; line-height: 0; }

  .controls {
    display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; align-items: end;
    margin: 1.1rem 0 1rem; padding: 0.85rem 1rem; border-radius: 10px; background: var(--sqrtdk-panel);
  }
  .control { display: grid; gap: 0.3rem; min-width: 0; border: 0; margin: 0; padding: 0; }
  .control > label, .control > legend, .control > .name {
    padding: 0; font-size: 0.8125rem; color: var(--sqrtdk-muted);
  }
  .control > legend { padding-bottom: 0.3rem; }
  .control.wide { flex: 1 1 17rem; }
  .row { display: flex; gap: 0.75rem; align-items: center; flex-wrap: wrap; }
  .control.wide .row { flex-wrap: nowrap; }
  input[type="range"] {
    flex: 1; min-width: 6rem; width: 100%; height: 2rem; margin: 0; background: none; appearance: none; cursor: pointer;
  }
  input[type="range"]::-webkit-slider-runnable-track { height: 4px; border-radius: 2px; background: var(--sqrtdk-muted); }
  input[type="range"]::-moz-range-track { height: 4px; border-radius: 2px; background: var(--sqrtdk-muted); }
  input[type="range"]::-webkit-slider-thumb {
    appearance: none; width: 20px; height: 20px; margin-top: -8px; border-radius: 50%;
    background: var(--sqrtdk-ink); border: 3px solid var(--sqrtdk-panel); box-shadow: 0 0 0 1.5px var(--sqrtdk-ink);
  }
  input[type="range"]::-moz-range-thumb {
    width: 15px; height: 15px; border-radius: 50%; background: var(--sqrtdk-ink);
    border: 3px solid var(--sqrtdk-panel); box-shadow: 0 0 0 1.5px var(--sqrtdk-ink);
  }
  input[type="number"], select, button {
    font: inherit; color: inherit; background: var(--sqrtdk-paper); border: 1px solid var(--sqrtdk-muted);
    border-radius: 8px; min-height: 2.125rem; padding: 0.2rem 0.6rem;
  }
  input[type="number"] { width: 5.5rem; font-variant-numeric: tabular-nums; appearance: textfield; }
  input[type="number"]::-webkit-inner-spin-button { appearance: none; }
  input.seed { width: 7.5rem; }
  button { cursor: pointer; }
  button:hover { border-color: var(--sqrtdk-ink); }
  :focus-visible { outline: 3px solid var(--sqrtdk-scaled); outline-offset: 2px; }

  .segments { display: inline-flex; border: 1px solid var(--sqrtdk-muted); border-radius: 8px; overflow: clip; background: var(--sqrtdk-paper); }
  .segments label, .chip { position: relative; display: inline-flex; align-items: center; gap: 0.45rem; min-height: 2.125rem; padding: 0.2rem 0.8rem; cursor: pointer; white-space: nowrap; }
  .segments label { min-height: calc(2.125rem - 2px); }
  .segments label + label { border-inline-start: 1px solid var(--sqrtdk-muted); }
  .segments input, .chip input { position: absolute; opacity: 0; inset: 0; width: 100%; height: 100%; margin: 0; cursor: pointer; }
  .segments label:has(:checked) { background: var(--sqrtdk-ink); color: var(--sqrtdk-paper); }
  .segments label:has(:focus-visible), .chip:has(:focus-visible) { outline: 3px solid var(--sqrtdk-scaled); outline-offset: 2px; }
  .segments svg { display: block; }
  .chips { display: flex; flex-wrap: wrap; gap: 0.4rem; }
  .chip { border: 1px solid var(--sqrtdk-muted); border-radius: 99px; padding-inline: 0.75rem; background: var(--sqrtdk-paper); color: var(--sqrtdk-muted); }
  .chip:has(:checked) { color: var(--sqrtdk-ink); border-color: var(--sqrtdk-ink); }
  .chip .tick { width: 0.7rem; height: 0.7rem; border: 1.5px solid currentcolor; border-radius: 3px; }
  .chip:has(:checked) .tick { background: currentcolor; box-shadow: inset 0 0 0 1.5px var(--sqrtdk-paper); }

  .key { display: flex; flex-wrap: wrap; gap: 0.3rem 1.25rem; margin: 0 0 0.5rem; padding: 0; list-style: none; font-size: 0.8125rem; color: var(--sqrtdk-muted); }
  .key li { display: inline-flex; align-items: center; gap: 0.45rem; }
  .plot { display: block; position: relative; overflow: clip; overflow-clip-margin: 1rem; contain: layout style; border-radius: 6px; touch-action: pan-y; user-select: none; -webkit-user-select: none; }
  .plot svg { display: block; max-width: 100%; height: auto; overflow: visible; }
  .words { margin: 1rem 0 0; font-size: clamp(1rem, 0.93rem + 0.35cqi, 1.1875rem); line-height: 1.6; max-width: 50rem; font-variant-numeric: tabular-nums; text-wrap: pretty; }
  .words[aria-busy="true"] { color: var(--sqrtdk-muted); }
  .words b { font-weight: 650; white-space: nowrap; }
  .words p { margin: 0; }
  .words .aside { margin-top: 0.6rem; font-size: 0.9375rem; color: var(--sqrtdk-muted); }
  .raw { color: var(--sqrtdk-raw); text-decoration: underline dashed 1.5px; text-underline-offset: 0.22em; white-space: nowrap; font-weight: 600; }
  .scaled { color: var(--sqrtdk-scaled); text-decoration: underline solid 1.5px; text-underline-offset: 0.22em; white-space: nowrap; font-weight: 600; }
  .note, .trouble { margin: 0.9rem 0 0; padding: 0.6rem 0.9rem; border-inline-start: 3px solid var(--sqrtdk-raw); background: var(--sqrtdk-panel); border-radius: 0 8px 8px 0; overflow-wrap: anywhere; }
  .trouble { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; }
  .trouble p { margin: 0; }

  footer { margin-top: 1.25rem; padding-top: 0.9rem; border-top: 1px solid var(--sqrtdk-grid); font-size: 0.8125rem; }
  .meta { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; align-items: center; color: var(--sqrtdk-muted); font-variant-numeric: tabular-nums; }
  .progress { flex: 0 0 4.5rem; height: 4px; border-radius: 2px; background: var(--sqrtdk-grid); overflow: clip; }
  .progress svg { display: block; }
  .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.75rem; }
  .actions .gap { flex: 1; }
  .actions label { display: inline-flex; gap: 0.5rem; align-items: center; color: var(--sqrtdk-muted); }
  .actions button.quiet { border-color: transparent; background: none; text-decoration: underline; text-decoration-color: var(--sqrtdk-muted); text-underline-offset: 0.25em; padding-inline: 0.4rem; }
  .actions button.quiet:hover { text-decoration-color: currentcolor; }
  .link { width: 100%; font: inherit; color: inherit; background: var(--sqrtdk-panel); border: 1px solid var(--sqrtdk-grid); border-radius: 8px; padding: 0.4rem 0.6rem; }
  .copied { display: grid; gap: 0.3rem; margin-top: 0.75rem; color: var(--sqrtdk-muted); }
  details { margin-top: 0.75rem; }
  summary { cursor: pointer; color: var(--sqrtdk-muted); min-height: 1.75rem; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: 0.5rem; font-size: 0.8125rem; }
  caption { text-align: start; color: var(--sqrtdk-muted); padding-bottom: 0.35rem; }
  th, td { padding: 0.25rem 0.9rem 0.25rem 0; text-align: end; white-space: nowrap; border-bottom: 1px solid var(--sqrtdk-grid); }
  th { font-weight: 600; color: var(--sqrtdk-muted); }
  th:first-child { text-align: start; }
  tbody th { color: var(--sqrtdk-ink); }
  .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

  @container (max-width: 40rem) {
    .figure { border-radius: 0; border-inline: 0; box-shadow: none; }
    .controls { gap: 0.75rem 1.25rem; margin-inline: -0.25rem; }
    .actions .gap { flex-basis: 100%; }
  }
  @media (pointer: coarse) {
    input[type="range"], input[type="number"], select, button, .segments label, .chip, summary { min-height: 44px; }
    button { min-width: 44px; }
    input[type="range"]::-webkit-slider-thumb { width: 28px; height: 28px; margin-top: -12px; }
    summary { display: list-item; padding-block: 0.6rem; }
  }
  @media (forced-colors: active) {
    .segments label:has(:checked) { outline: 3px solid Highlight; outline-offset: -3px; }
    .chip:has(:checked) .tick { background: Highlight; }
  }
  @media print {
    .figure { border: 0; box-shadow: none; padding: 0; break-inside: avoid; }
    .controls, .actions, details, .progress, .copied { display: none; }
  }
`;
