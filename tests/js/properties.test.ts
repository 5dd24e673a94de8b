/** What must hold for any input. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { load } from "sqrtdk";

const core = await load();
const score = fc.float({ min: -50, max: 50, noNaN: true });
const row = fc.float32Array({ min: -50, max: 50, noNaN: true, minLength: 1, maxLength: 70 });
const seed = fc.integer({ min: 0, max: 2 ** 31 });
const near = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number) => {
  assert.equal(a.length, b.length);
  for (let i = 0; i < a.length; i++)
    assert.ok(Math.abs((a[i] as number) - (b[i] as number)) <= tolerance, `[${i}] ${a[i]} and ${b[i]}`);
};
const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);

test("rows of the softmax sum to 1 and lie in [0, 1]", () => {
  fc.assert(
    fc.property(row, (z) => {
      const p = core.softmax(z);
      assert.ok(p.every((value) => value >= 0 && value <= 1));
      assert.ok(Math.abs(sum(p) - 1) < 1e-6);
    }),
  );
});

test("a constant added to all scores changes nothing", () => {
  const integers = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(integers, fc.integer({ min: -1000, max: 1000 }), (z, shift) => {
      const [a, b] = [
        core.softmax(Float32Array.from(z)),
        core.softmax(Float32Array.from(z, (x) => x + shift)),
      ];
      assert.deepEqual(a, b);
    }),
  );
});

test("permuted scores give permuted weights", () => {
  fc.assert(
    fc.property(row, (z) => near(core.softmax(z.slice().reverse()), core.softmax(z).reverse(), 2e-7)),
  );
});

test("rows are independent of each other, and of where an array begins", () => {
  fc.assert(
    fc.property(row, fc.integer({ min: 0, max: 3 }), (z, offset) => {
      const shifted = new Float32Array(2 * z.length + offset).subarray(offset);
      shifted.set(z);
      shifted.set(z, z.length);
      const p = core.softmax(z);
      const both = core.softmax(shifted, { columns: z.length });
      assert.deepEqual(both.subarray(0, z.length), p);
      assert.deepEqual(both.subarray(z.length), p);
    }),
  );
});

test("the Jacobian has zero row sums and agrees with the gradient", () => {
  fc.assert(
    fc.property(row, score, (z, g) => {
      const n = z.length;
      const p = core.softmax(z);
      const jacobian = core.softmaxJacobian(p);
      const upstream = Float32Array.from(z, (_, i) => Math.sin(g + i));
      const gradient = core.softmaxBackward(upstream, p);
      for (let i = 0; i < n; i++) {
        const line = jacobian.subarray(i * n, (i + 1) * n);
        assert.ok(Math.abs(sum(line)) < 1e-6);
        const product = line.reduce((total, value, j) => total + value * (upstream[j] as number), 0);
        assert.ok(Math.abs(product - (gradient[i] as number)) < 2e-6);
      }
    }),
  );
});

const normals = (count: number, start: number) => core.randomNormal(count, { seed: start });
const sizes = fc.record({
  queryLength: fc.integer({ min: 1, max: 9 }),
  keyLength: fc.integer({ min: 1, max: 9 }),
  headDim: fc.integer({ min: 1, max: 9 }),
  valueDim: fc.integer({ min: 1, max: 5 }),
});

test("a causal row equals plain attention to the keys it may see", () => {
  fc.assert(
    fc.property(sizes, seed, (shape, start) => {
      const { queryLength: t, keyLength: n, headDim: d, valueDim: dv } = shape;
      const [q, k, v] = [normals(t * d, start), normals(n * d, start + 1), normals(n * dv, start + 2)];
      const causal = core.scaledDotProductAttention(q, k, v, { shape, isCausal: true });
      for (let i = 0; i < t; i++) {
        const keyLength = Math.min(i + 1, n);
        const one = core.scaledDotProductAttention(
          q.subarray(i * d, (i + 1) * d),
          k.subarray(0, keyLength * d),
          v.subarray(0, keyLength * dv),
          { shape: { ...shape, queryLength: 1, keyLength } },
        );
        near(causal.output.subarray(i * dv, (i + 1) * dv), one.output, 1e-5);
      }
    }),
  );
});

test("heads that share a key head give what repeated key heads give", () => {
  fc.assert(
    fc.property(sizes, seed, (size, start) => {
      const { queryLength: t, keyLength: n, headDim: d, valueDim: dv } = size;
      const q = normals(4 * t * d, start);
      const [k, v] = [normals(2 * n * d, start + 1), normals(2 * n * dv, start + 2)];
      const repeat = (x: Float32Array) => {
        const half = x.length / 2;
        const [a, b] = [x.subarray(0, half), x.subarray(half)];
        return Float32Array.from([...a, ...a, ...b, ...b]);
      };
      const grouped = core.scaledDotProductAttention(q, k, v, { shape: { ...size, heads: 4, kvHeads: 2 } });
      const repeated = core.scaledDotProductAttention(q, repeat(k), repeat(v), {
        shape: { ...size, heads: 4 },
      });
      near(grouped.output, repeated.output, 1e-5);
    }),
  );
});

test("a mask that bars a key equals a bias of -Infinity there, and leaving the key out", () => {
  fc.assert(
    fc.property(sizes, seed, (size, start) => {
      const shape = { ...size, keyLength: size.keyLength + 1 };
      const { queryLength: t, keyLength: n, headDim: d, valueDim: dv } = shape;
      const [q, k, v] = [normals(t * d, start), normals(n * d, start + 1), normals(n * dv, start + 2)];
      const allowed = Uint8Array.from({ length: n }, (_, j) => (j < n - 1 ? 1 : 0));
      const added = Float32Array.from(allowed, (bit) => (bit ? 0 : Number.NEGATIVE_INFINITY));
      const run = (attnMask: Uint8Array | Float32Array) =>
        core.scaledDotProductAttention(q, k, v, { shape, attnMask, attnMaskShape: [1, n] }).output;
      const fewer = core.scaledDotProductAttention(
        q,
        k.subarray(0, (n - 1) * d),
        v.subarray(0, (n - 1) * dv),
        {
          shape: { ...shape, keyLength: n - 1 },
        },
      ).output;
      near(run(allowed), fewer, 1e-5);
      near(run(added), fewer, 1e-5);
    }),
  );
});

test("the gradient of attention is its slope along any direction", () => {
  fc.assert(
    fc.property(sizes, seed, (shape, start) => {
      const { queryLength: t, keyLength: n, headDim: d, valueDim: dv } = shape;
      const [q, k, v] = [normals(t * d, start), normals(n * d, start + 1), normals(n * dv, start + 2)];
      const [g, direction] = [normals(t * dv, start + 3), normals(t * d, start + 4)];
      const loss = (step: number) => {
        const moved = q.map((value, i) => value + step * (direction[i] as number));
        const { output } = core.scaledDotProductAttention(moved, k, v, { shape });
        return output.reduce((total, value, i) => total + value * (g[i] as number), 0);
      };
      const r = core.scaledDotProductAttention(q, k, v, { shape });
      const { gradQuery } = core.scaledDotProductAttentionBackward(g, q, k, v, r.output, r.logSumExp, {
        shape,
      });
      const slope = gradQuery.reduce((total, value, i) => total + value * (direction[i] as number), 0);
      const h = 1e-2;
      const scale = 1 + Math.abs(slope) + Math.hypot(...g) * Math.hypot(...v);
      assert.ok(Math.abs((loss(h) - loss(-h)) / (2 * h) - slope) < 2e-3 * scale);
    }),
    { numRuns: 50 },
  );
});
