/** The public core, assembled from its rooms around one engine. */
import { attention, attentionBackward } from "./attention.ts";
import { FloatBuffer } from "./buffer.ts";
import { sampleDotProducts, varianceSweep } from "./dot-products.ts";
import type { Engine } from "./engine.ts";
import { gradientSweep, sampleAttentionRow } from "./gradient-flow.ts";
import { Heap } from "./heap.ts";
import { randomNormal } from "./random.ts";
import { createSoftmax } from "./softmax.ts";
import { drain } from "./steps.ts";
import { createTheory } from "./theory.ts";
import type { Core } from "./types.ts";
import { version } from "./version.ts";

export function createCore(engine: Engine): Core {
  const heap = new Heap(engine);
  return {
    ...createSoftmax(heap),
    scaledDotProductAttention: (query, key, value, options) => attention(heap, query, key, value, options),
    scaledDotProductAttentionBackward: (gradOutput, query, key, value, output, logSumExp, options) =>
      attentionBackward(heap, gradOutput, query, key, value, output, logSumExp, options),
    sampleDotProducts: (options) => drain(sampleDotProducts(heap, options)),
    varianceSweep: (options) => drain(varianceSweep(heap, options)),
    gradientSweep: (options) => drain(gradientSweep(heap, options)),
    sampleAttentionRow: (options) => sampleAttentionRow(heap, options),
    randomNormal: (count, options) => randomNormal(heap, count, options),
    steps: {
      sampleDotProducts: (options) => sampleDotProducts(heap, options),
      varianceSweep: (options) => varianceSweep(heap, options),
      gradientSweep: (options) => gradientSweep(heap, options),
    },
    theory: createTheory(heap),
    buffer: (length) => new FloatBuffer(heap, length),
    info: () => ({
      version,
      variant: engine.hasRelaxedSimd() ? "relaxed" : "simd",
      simd: true,
      memoryBytes: engine.HEAPU8.length,
    }),
  };
}
