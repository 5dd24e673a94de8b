import { defineConfig, type Plugin } from "vite";
import { alias } from "./web/build/aliases.mjs";
import { classicFrame } from "./web/build/frame.ts";
import { lessonPage } from "./web/build/lesson.ts";

/** Nothing inline, nothing from elsewhere; wasm may compile, workers may come from bytes the page carries. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "worker-src 'self' blob:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The built page carries the policy itself, for hosts that cannot set headers. Not in development: there vite inlines styles. */
function policyInPage(): Plugin {
  return {
    name: "policy-in-page",
    apply: "build",
    transformIndexHtml: () => [
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content: policy },
        injectTo: "head-prepend",
      },
    ],
  };
}

/** package.json's "sideEffects" speaks of the published files; in the sources these modules are imported for what they do. */
function keepDoers(): Plugin {
  const doers = /\/web\/(elements\.ts|worker\/worker\.ts|worker\/pool-worker\.js)$/;
  return {
    name: "keep-doers",
    transform: (_code, id) => (doers.test(id.replace(/\?.*$/, "")) ? { moduleSideEffects: true } : null),
  };
}

export default defineConfig({
  root: "web",
  base: "./",
  plugins: [lessonPage(), policyInPage(), classicFrame(policy), keepDoers()],
  resolve: { alias },
  build: {
    outDir: "../build/page",
    emptyOutDir: true,
    target: "es2022",
    // In kilobytes before compression; the page carries the engine twice, for its own thread and for its workers.
    chunkSizeWarningLimit: 700,
    // The polyfill is an inline script, which the policy forbids; every browser with wasm SIMD preloads modules by itself.
    modulePreload: { polyfill: false },
  },
  worker: { format: "es", plugins: () => [keepDoers()] },
  preview: {
    port: 4173,
    strictPort: false,
    headers: {
      // frame-ancestors is left open on purpose: course pages embed this one.
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  },
});
