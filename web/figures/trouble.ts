/** One clear sentence for whatever went wrong in the core. */

const sentences: Record<string, string> = {
  ERR_WASM_UNAVAILABLE:
    "This browser has no WebAssembly SIMD, or the page around this figure forbids WebAssembly, so nothing can be computed here. Any browser from 2023 on can do it.",
  ERR_OUT_OF_MEMORY:
    "The browser gave too little memory. A smaller d_k, fewer keys or fewer open tabs help; Reset tries again.",
  ERR_RANGE: "The core cannot compute this setting. Reset brings the figure back.",
};

export function troubleSentence(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return (
    sentences[code] ??
    "The computation stopped unexpectedly. Reset tries again; the figure keeps its last result."
  );
}
