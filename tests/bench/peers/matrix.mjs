/** Matrix products in JavaScript as fast as they get without SIMD: packed panels and 2 x 4 sums in registers. */

/**
 * Panels of four columns of B^T, for B of columns x inner: panel j holds B's rows 4j..4j+3, transposed, so that the
 * innermost loop below reads straight on. Lengths are multiples of four.
 */
export function packTransposed(panels, b, inner) {
  for (let j = 0, to = 0; j < b.length; j += 4 * inner)
    for (let k = j; k < j + inner; k++, to += 4) {
      panels[to] = b[k];
      panels[to + 1] = b[k + inner];
      panels[to + 2] = b[k + 2 * inner];
      panels[to + 3] = b[k + 3 * inner];
    }
  return panels;
}

/** The same for B itself, of inner x columns. */
export function pack(panels, b, columns) {
  for (let j = 0, to = 0; j < columns; j += 4)
    for (let k = j; k < b.length; k += columns, to += 4) {
      panels[to] = b[k];
      panels[to + 1] = b[k + 1];
      panels[to + 2] = b[k + 2];
      panels[to + 3] = b[k + 3];
    }
  return panels;
}

/**
 * Rows of C = scale * A B from packed panels of B: `rows` rows of A from `aStart` on, to C from `cStart` on. Sums are
 * doubles, which JavaScript adds faster than it rounds to floats.
 */
export function multiply(c, cStart, a, aStart, panels, rows, inner, columns, scale) {
  for (let row = 0; row < rows; row += 2) {
    const upperA = aStart + row * inner;
    const lowerA = upperA + inner;
    for (let column = 0; column < columns; column += 4) {
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      for (let k = 0, from = column * inner; k < inner; k++, from += 4) {
        const upper = a[upperA + k];
        const lower = a[lowerA + k];
        const b0 = panels[from];
        const b1 = panels[from + 1];
        const b2 = panels[from + 2];
        const b3 = panels[from + 3];
        s00 += upper * b0;
        s01 += upper * b1;
        s02 += upper * b2;
        s03 += upper * b3;
        s10 += lower * b0;
        s11 += lower * b1;
        s12 += lower * b2;
        s13 += lower * b3;
      }
      const to = cStart + row * columns + column;
      c[to] = s00 * scale;
      c[to + 1] = s01 * scale;
      c[to + 2] = s02 * scale;
      c[to + 3] = s03 * scale;
      c[to + columns] = s10 * scale;
      c[to + columns + 1] = s11 * scale;
      c[to + columns + 2] = s12 * scale;
      c[to + columns + 3] = s13 * scale;
    }
  }
}

/** Square matrices only; in blocks, so that both sides stay in the cache. */
export function transpose(to, from, size) {
  const block = 8;
  for (let top = 0; top < size; top += block)
    for (let left = 0; left < size; left += block)
      for (let i = top; i < top + block; i++)
        for (let j = left; j < left + block; j++) to[j * size + i] = from[i * size + j];
}
