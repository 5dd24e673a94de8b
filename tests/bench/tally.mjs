/** Variance and histogram in JavaScript, for the peers that have none; and how much of W7 a slow peer does in one call. */

export class Tally {
  samples = 0;
  #sum = 0;
  #squares = 0;
  #low;
  #binsPerUnit;

  constructor({ bins, low, high }) {
    this.counts = new Uint32Array(bins);
    this.#low = low;
    this.#binsPerUnit = bins / (high - low);
  }

  add(values) {
    let [sum, squares] = [this.#sum, this.#squares];
    const [counts, low, binsPerUnit] = [this.counts, this.#low, this.#binsPerUnit];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      sum += value;
      squares += value * value;
      const position = (value - low) * binsPerUnit;
      if (position >= 0 && position < counts.length) counts[position | 0]++;
    }
    this.samples += values.length;
    [this.#sum, this.#squares] = [sum, squares];
  }

  get variance() {
    const mean = this.#sum / this.samples;
    return this.#squares / this.samples - mean * mean;
  }
}

/** Chunks of a million numbers, which suit the peers' caches and memory, and few of them: times are scaled up. */
export function chunksOf({ dimension, samples }) {
  const chunk = Math.min(samples, Math.floor(1e6 / dimension));
  const chunks = Math.min(2, Math.ceil(samples / chunk));
  return { chunk, chunks, workScale: samples / (chunk * chunks) };
}
