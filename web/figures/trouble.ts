/** One clear sentence for whatever went wrong in the core, and a way on. */
import { html, nothing, type TemplateResult } from "lit";

const unavailable =
  "This browser has no WebAssembly SIMD, or the page around this figure forbids WebAssembly, so nothing can be computed here. Any browser from 2023 on can do it.";

const sentences: Record<string, string> = {
  ERR_WASM_UNAVAILABLE: unavailable,
  ERR_OUT_OF_MEMORY: "The browser gave too little memory. A smaller d_k, fewer keys or fewer open tabs help.",
  ERR_RANGE: "The core cannot compute this setting. Another one brings the figure back.",
};

export function troubleSentence(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return sentences[code] ?? "The computation stopped unexpectedly. The figure keeps its last result.";
}

export function troubleNote(sentence: string, again: () => void): TemplateResult {
  const button = html`<button type="button" @click=${again}>Try again</button>`;
  return html`<div class="trouble"><p role="alert">${sentence}</p>${sentence === unavailable ? nothing : button}</div>`;
}
