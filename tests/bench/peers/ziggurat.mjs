/** Standard normals in JavaScript: Marsaglia and Tsang's ziggurat with 128 layers, fed by xoshiro128+. */

const layers = 128;
const tailStart = 3.442619855899;
const layerArea = 9.91256303526217e-3;
const density = (x) => Math.exp((-x * x) / 2);

// Layer i reaches to x = edge[i], where the curve is at height[i]; layer 0 is the one with the tail. A signed 32-bit
// number times step[i] is a point in layer i, and it is under the curve at once if it is below inside[i].
const edge = new Float64Array(layers + 1);
edge[0] = layerArea / density(tailStart);
edge[1] = tailStart;
for (let i = 2; i < layers; i++)
  edge[i] = Math.sqrt(-2 * Math.log(layerArea / edge[i - 1] + density(edge[i - 1])));
const height = edge.map(density);
const step = edge.slice(0, layers).map((x) => x / 2 ** 31);
const inside = Uint32Array.from({ length: layers }, (_, i) => (edge[i + 1] / edge[i]) * 2 ** 31);

/** Gives a function that draws one number. */
export function ziggurat(seed) {
  let [a, b, c, d] = [seed | 1, 0x9e3779b9 | 0, 0x243f6a88, 0xb7e15162 | 0];
  function bits() {
    const result = (a + d) | 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  }
  const uniform = () => ((bits() >>> 0) + 0.5) / 2 ** 32;
  function tail() {
    for (;;) {
      const x = -Math.log(uniform()) / tailStart;
      const y = -Math.log(uniform());
      if (2 * y >= x * x) return tailStart + x;
    }
  }
  for (let i = 0; i < 20; i++) bits(); // away from the seed's few bits
  return () => {
    for (;;) {
      // The layer comes from the middle: the lowest bits of xoshiro128+ are its weakest, the highest give x.
      const number = bits();
      const layer = (number >>> 4) & (layers - 1);
      const x = number * step[layer];
      if (Math.abs(number) < inside[layer]) return x;
      if (layer === 0) return number < 0 ? -tail() : tail();
      if (height[layer] + uniform() * (height[layer + 1] - height[layer]) < density(x)) return x;
    }
  };
}
