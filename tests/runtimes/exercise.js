/** What every runtime is asked to do; the answers are the same bits everywhere. Runs as it is in pages, workers and servers. */

/** `sqrtdk` and its entries are handed in, because pages without a bundler import them by path. */
export async function exercise({ sqrtdk, worker, external }) {
  const core = await sqrtdk.load();
  const sampling = { dimension: 64, samples: 2000, seed: 7 };
  const sampled = core.sampleDotProducts(sampling);
  const shape = { heads: 2, queryLength: 3, keyLength: 4, headDim: 8 };
  const [query, key] = [core.randomNormal(48, { seed: 1 }), core.randomNormal(64, { seed: 2 })];
  const { output } = core.scaledDotProductAttention(query, key, key, { shape });

  const pool = worker.createPool({ size: 2 });
  const pooled = await pool.sampleDotProducts(sampling);
  const { output: pooledOutput } = await pool.scaledDotProductAttention(query, key, key, { shape });
  pool.close();

  const module = (await sqrtdk.compile()).module;
  const again = await sqrtdk.load({ wasmModule: module });
  const fetched = await external.load({ variant: "simd" });
  const refusal = await sqrtdk.load({ wasmBinary: new Uint8Array(4) }).catch((error) => error);

  return {
    words: words(output),
    variance: sampled.moments.variance,
    pool: pooled.moments.variance === sampled.moments.variance && words(pooledOutput) === words(output),
    precompiled: words(again.softmax(query)) === words(core.softmax(query)),
    external: words(fetched.softmax(query)) === words(core.softmax(query)),
    fastest: (await external.load()).info().variant,
    refusal: refusal instanceof sqrtdk.SqrtdkError && refusal.code,
    codeFromStrings: allowsCodeFromStrings(),
  };
}

/** The bits of float32 values as text. */
export const words = (floats) =>
  Array.from(new Uint32Array(floats.slice().buffer), (word) => word.toString(16)).join();

function allowsCodeFromStrings() {
  try {
    return globalThis[["ev", "al"].join("")]("true");
  } catch {
    return false;
  }
}
