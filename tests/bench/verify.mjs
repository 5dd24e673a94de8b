/** What counts as a right answer. Each check gives null, or one line that says what is wrong. */

/** Largest difference, relative to the largest expected value. */
export function sameNumbers(actual, expected, tolerance) {
  if (actual.length !== expected.length) return `${actual.length} values instead of ${expected.length}`;
  let [difference, size] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    const gap = Math.abs(actual[i] - expected[i]);
    if (Number.isNaN(gap)) return `NaN at ${i}`;
    difference = Math.max(difference, gap);
    size = Math.max(size, Math.abs(expected[i]));
  }
  const error = difference / size;
  return error <= tolerance ? null : `wrong by ${error.toExponential(1)} of the largest value`;
}

// Five standard errors, and the Kolmogorov-Smirnov distance exceeded once in 10 000 samples: a right generator fails
// hardly ever, one that is off by a percent always.
const standardErrors = 5;
const ksBound = (samples) => 2.23 / Math.sqrt(samples);

/** Variance and histogram of a sample against the exact law; `law` as in workloads.mjs. */
export function sameLaw({ samples, variance, counts }, law) {
  const standardError = law.variance * Math.sqrt((law.excessKurtosis + 2) / samples);
  if (!(Math.abs(variance - law.variance) <= standardErrors * standardError))
    return `variance ${variance} instead of ${law.variance} +- ${standardError.toPrecision(2)}`;
  if (counts.length !== law.bins) return `${counts.length} bins instead of ${law.bins}`;
  // What falls outside the range is not in the counts: compare from its lower end on.
  let below = law.cumulative[0];
  for (let bin = 0; bin < law.bins; bin++) {
    below += Number(counts[bin]) / samples;
    const gap = Math.abs(below - law.cumulative[bin + 1]);
    if (!(gap <= ksBound(samples))) return `the histogram is off by ${gap.toPrecision(2)} at bin ${bin}`;
  }
  return null;
}
