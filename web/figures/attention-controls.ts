/** The attention figure's controls: steps forward and back, and the line that reads and changes one cell. */
import { css, html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { MatrixField } from "../state/schema.ts";
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
  limits: MatrixField;
  onValue: (value: number) => void;
}

export function inspector({ reading, value, limits, onValue }: InspectorOptions): TemplateResult {
  if (!reading)
    return html`<p class="reading">Point at a number to see where it comes from. Q, K, V, the masked scores and dO can be
      changed.</p>`;
  // Not bound live: an answer that comes in would wipe out what is being typed.
  const typed = (event: Event) => {
    const wanted = (event.target as HTMLInputElement).valueAsNumber;
    if (Number.isFinite(wanted)) onValue(wanted);
  };
  return html`<p class="reading open"><b>${reading.name}</b> ${
    value === null
      ? html`= ${reading.value}`
      : html`<input type="number" id="cell" step="0.1" min=${limits.min} max=${limits.max} .value=${String(Number(value.toFixed(2)))}
          aria-label=${reading.name} @change=${typed}>`
  } <span class="steps">${reading.steps ? html`= ${reading.steps}` : nothing}</span></p>`;
}

export const attentionStyle = css`
  .step { min-width: 2.5rem; font-size: 1rem; }
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
  .steps { color: var(--sqrtdk-muted); overflow-wrap: anywhere; }
`;
