/** The attention figure's controls: steps forward and back, and the line that reads and changes one cell. */
import { css, html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { Reading } from "./attention-reading.ts";
import { type Stage, type StageName, stages } from "./attention-stages.ts";

export interface StepperOptions {
  stage: Stage;
  onStage: (name: StageName) => void;
}

export function stepper({ stage, onStage }: StepperOptions): TemplateResult {
  const at = stages.indexOf(stage);
  const go = (index: number) => onStage((stages[index] as Stage).name);
  const slid = (event: Event) => go((event.target as HTMLInputElement).valueAsNumber);
  return html`<div class="control wide">
    <label for="stage">step ${at + 1} of ${stages.length}: <b>${stage.title}</b></label>
    <div class="row">
      <button type="button" class="step" aria-label="Step back" ?disabled=${at === 0} @click=${() => go(at - 1)}>\u2190</button>
      <input type="range" id="stage" min="0" max=${stages.length - 1} step="1" .value=${live(String(at))}
        aria-valuetext="${at + 1} of ${stages.length}: ${stage.title}" @input=${slid}>
      <button type="button" class="step" aria-label="Step on" ?disabled=${at === stages.length - 1} @click=${() => go(at + 1)}>\u2192</button>
    </div>
  </div>`;
}

export interface InspectorOptions {
  /** Null where no cell is looked at. */
  reading: Reading | null;
  /** The number in the cell, where it can be changed. */
  value: number | null;
  limits: { min: number; max: number; decimals: number };
  /** How many numbers are set by hand. */
  handMade: number;
  onValue: (value: number) => void;
  onUndo: () => void;
  onUndoAll: () => void;
}

export function inspector(options: InspectorOptions): TemplateResult {
  const { handMade, onUndoAll } = options;
  return html`${cellLine(options)}
    ${
      handMade > 0
        ? html`<p class="by-hand"><span>${handMade === 1 ? "1 number is" : `${handMade} numbers are`} set by hand</span>
      <button type="button" @click=${onUndoAll}>Undo all</button></p>`
        : nothing
    }`;
}

function cellLine({ reading, value, limits, onValue, onUndo }: InspectorOptions): TemplateResult {
  if (!reading)
    return html`<p class="reading">Point at a number to see where it comes from. On the way forward every one can be
      changed, on the way back dO: what comes after it follows.</p>`;
  const { min, max, decimals } = limits;
  // Not bound live: an answer that comes in would wipe out what is being typed.
  const typed = (event: Event) => {
    const field = event.target as HTMLInputElement;
    if (!Number.isFinite(field.valueAsNumber)) return;
    const wanted = Number(Math.min(max, Math.max(min, field.valueAsNumber)).toFixed(decimals));
    field.value = String(wanted);
    onValue(wanted);
  };
  return html`<p class="reading open"><b>${reading.name}</b> ${
    value === null
      ? html`= ${reading.value}`
      : html`<input type="number" id="cell" step=${max > 1 ? 0.1 : 0.01} min=${min} max=${max} .value=${String(Number(value.toFixed(decimals)))}
          aria-label=${reading.name} @change=${typed}>`
  } ${reading.byHand ? html`<button type="button" class="undo" @click=${onUndo}>Undo</button>` : nothing}
  <span class="steps">${reading.steps ? html`${reading.byHand ? nothing : "= "}${reading.steps}` : nothing}</span></p>`;
}

export const attentionStyle = css`
  .step { min-width: 2.75rem; font-size: 1rem; }
  button:disabled { opacity: 0.45; cursor: default; }
  .diagram { display: block; border-radius: 6px; cursor: crosshair; }
  .reading {
    display: flex; flex-wrap: wrap; gap: 0.2rem 0.6rem; align-items: center; margin: 0.75rem 0 0; padding: 0.45rem 0.8rem;
    min-height: 3.4rem; border-radius: 8px; background: var(--sqrtdk-panel); font-size: 0.875rem;
    font-variant-numeric: tabular-nums; user-select: text; -webkit-user-select: text;
  }
  /* Beside a tall drawing the line stays in sight. */
  .reading.open { position: sticky; bottom: 0.5rem; box-shadow: 0 0 0 1px var(--sqrtdk-grid); }
  .reading input[type="number"] { width: 5.5rem; }
  .by-hand { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center; margin: 0.5rem 0 0; font-size: 0.875rem; }
  .steps { color: var(--sqrtdk-muted); overflow-wrap: anywhere; }
`;
