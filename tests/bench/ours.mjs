/** The package, through its public interface alone: what `import "sqrtdk"` gives. */

const entry = new URL("../../dist/index.js", import.meta.url);

/** Makes the contenders of one variant: "baseline" or "relaxed". */
export async function load(variant) {
  const { load } = await import(entry);
  const core = await load({ variant: variant === "baseline" ? "simd" : variant });
  const contender = (run, answer, check) => [
    { name: `sqrtdk ${variant}`, run, verify: () => check(answer(run())) },
  ];

  /** Values that stay in the core's memory. */
  const resident = (values) => {
    const buffer = core.buffer(values.length);
    buffer.view.set(values);
    return buffer;
  };

  return {
    softmax({ columns, scores, check }) {
      const [input, out] = [resident(scores), core.buffer(scores.length)];
      return contender(
        () => core.softmax(input, { columns, out }),
        () => out.view,
        check,
      );
    },

    softmaxBackward({ columns, output, gradOutput, check }) {
      const [p, g, out] = [resident(output), resident(gradOutput), core.buffer(output.length)];
      return contender(
        () => core.softmaxBackward(g, p, { columns, out }),
        () => out.view,
        check,
      );
    },

    /** The scores come only with attention as a whole: values of length 1 make the rest of it cheap, not free. */
    scores({ query, key, length, headDim, check }) {
      const shape = { queryLength: length, keyLength: length, headDim, valueDim: 1 };
      const value = new Float32Array(length);
      const options = { shape, scale: 1, returnWeights: "raw" };
      const run = () => core.scaledDotProductAttention(query, key, value, options);
      return contender(run, (result) => result.weights, check);
    },

    attention({ query, key, value, length, headDim, check }) {
      const options = { shape: { queryLength: length, keyLength: length, headDim } };
      const run = () => core.scaledDotProductAttention(query, key, value, options);
      return contender(run, (result) => result.output, check);
    },

    attentionBackward({ query, key, value, gradOutput, length, headDim, check }) {
      const options = { shape: { queryLength: length, keyLength: length, headDim } };
      const { output, logSumExp } = core.scaledDotProductAttention(query, key, value, options);
      const run = () =>
        core.scaledDotProductAttentionBackward(gradOutput, query, key, value, output, logSumExp, options);
      const answer = ({ gradQuery, gradKey, gradValue }) => [...gradQuery, ...gradKey, ...gradValue];
      return contender(run, answer, check);
    },

    normals({ count, resident, check }) {
      const out = resident ? core.buffer(count) : undefined;
      return contender(
        () => core.randomNormal(count, { seed: 1, out }),
        (values) => values,
        check,
      );
    },

    dotProducts({ dimension, samples, bins, low, high, check }) {
      const options = { dimension, samples, seed: 1, bins, range: [low, high] };
      const answer = ({ moments, histogram }) => ({
        samples: moments.count,
        variance: moments.variance,
        counts: histogram.counts,
      });
      return contender(() => core.sampleDotProducts(options), answer, check);
    },
  };
}
