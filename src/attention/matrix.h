// The matrix product that all of attention runs on: C (+)= factor * A B with A [rows, depth], B [depth,
// columns].
//
// B comes packed in panels of eight columns, [ceil(columns / 8)][depth][8], padded with zeros; C is made in
// blocks of 4 x 8 that stay in eight registers while depth runs. A lies in scratch whose rows (columns, if
// transposed) reach to a multiple of four, so blocks read beyond the last row but never store it.
//
// Shapes tried in V8 (n = 512, depth 64, GFLOP/s): 4x8 34-40; 6x8, 4x12, 8x4 and 8x8 are slower, they spill
// registers.
//
// What is called a few times a tile is kept out of line: inlined into one function of 15,000 instructions the
// backward pass took 2.5 times as long, since V8 allocates the registers of huge functions by a simpler
// method.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/f32x4.h"
#include "simd/math.h"

namespace sqrtdk {

inline constexpr std::size_t kBlockRows = 4;
inline constexpr std::size_t kPanelColumns = 8;

constexpr std::size_t RoundUp(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// Sizes of scratch, in 64 bits also where std::size_t has 32.
constexpr std::uint64_t Product(std::uint64_t a, std::uint64_t b) { return a * b; }
constexpr std::uint64_t PanelFloats(std::uint64_t depth, std::uint64_t columns) {
  return depth * ((columns + kPanelColumns - 1) / kPanelColumns * kPanelColumns);
}

// A packed B: panel p holds columns 8p .. 8p+7 and starts at data + p * depth * 8. A product may stop at less
// depth.
struct Panels {
  const float* data;
  std::size_t depth;

  const float* At(std::size_t column) const { return data + column * depth; }
};

// Row-major A: A(i, k) = data[i * stride + k].
struct ByRows {
  const float* data;
  std::size_t stride;

  const float* At(std::size_t i, std::size_t k) const { return data + i * stride + k; }

  // Four rows of A, one column after the other.
  struct Cursor {
    const float* row[4];

    float Get(std::size_t i) const { return *row[i]; }
    void Next() { ++row[0], ++row[1], ++row[2], ++row[3]; }
  };
  Cursor CursorAt(std::size_t i) const { return {{At(i, 0), At(i + 1, 0), At(i + 2, 0), At(i + 3, 0)}}; }
};

// A transposed in memory, A(i, k) = data[k * stride + i]: the four rows of a block lie side by side.
struct ByColumns {
  const float* data;
  std::size_t stride;

  const float* At(std::size_t i, std::size_t k) const { return data + k * stride + i; }

  struct Cursor {
    const float* column;
    std::size_t stride;

    float Get(std::size_t i) const { return column[i]; }
    void Next() { column += stride; }
  };
  Cursor CursorAt(std::size_t i) const { return {At(i, 0), stride}; }
};

// Transposes four rows of four.
struct Quad {
  F32x4 row[4];
};
inline Quad Transpose(const Quad& m) {
  const F32x4 t0 = InterleaveLow(m.row[0], m.row[2]), t1 = InterleaveHigh(m.row[0], m.row[2]);
  const F32x4 t2 = InterleaveLow(m.row[1], m.row[3]), t3 = InterleaveHigh(m.row[1], m.row[3]);
  return {InterleaveLow(t0, t2), InterleaveHigh(t0, t2), InterleaveLow(t1, t3), InterleaveHigh(t1, t3)};
}

// Packs `factor` times the transpose of `rows` rows of length depth, kWidth rows a panel:
// [ceil(rows / kWidth)][depth][kWidth].
template <std::size_t kWidth>
[[gnu::noinline]] inline void PackTransposed(const float* from, std::size_t stride, std::size_t rows,
                                             std::size_t depth, float factor, float* to) {
  for (std::size_t panel = 0; panel < rows; panel += kWidth, to += depth * kWidth) {
    for (std::size_t group = 0; group < kWidth; group += 4) {
      const std::size_t count = rows > panel + group ? rows - panel - group : 0;
      const float* row[4];
      for (std::size_t i = 0; i < 4; ++i) row[i] = from + (i < count ? panel + group + i : 0) * stride;
      for (std::size_t k = 0; k < depth; k += 4) {
        Quad block;
        for (std::size_t i = 0; i < 4; ++i) {
          block.row[i] = i < count ? LoadPartial(row[i] + k, depth - k, 0.0f) : Splat(0.0f);
        }
        block = Transpose(block);
        for (std::size_t i = 0; i < 4 && k + i < depth; ++i)
          Store(block.row[i] * Splat(factor), to + (k + i) * kWidth + group);
      }
    }
  }
}

// Packs `depth` rows of length columns: [ceil(columns / 8)][depth][8].
[[gnu::noinline]] inline void PackPanels(const float* from, std::size_t stride, std::size_t depth,
                                         std::size_t columns, float* to) {
  for (std::size_t c = 0; c < columns; c += kPanelColumns) {
    const float* row = from + c;
    const std::size_t low = columns - c, high = columns - c > 4 ? columns - c - 4 : 0;
    for (std::size_t k = 0; k < depth; ++k, row += stride, to += kPanelColumns) {
      Store(LoadPartial(row, low, 0.0f), to);
      Store(LoadPartial(row + (high > 0 ? 4 : 0), high, 0.0f), to + 4);
    }
  }
}

enum class Write { kSet, kAdd };

// One block: c[4][8] = (or +=) factor * sum_k a(0..3, k) panel[k][0..7].
template <Write kWrite, class Arithmetic, class A>
inline void MultiplyBlock(A matrix, std::size_t first_row, std::size_t depth, const float* panel,
                          float factor, float* c, std::size_t c_stride) {
  constexpr auto MulAdd = Arithmetic::MulAdd;
  auto a = matrix.CursorAt(first_row);
  F32x4 c00 = Splat(0.0f), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (std::size_t k = 0; k < depth; ++k) {
    const F32x4 b0 = Load(panel), b1 = Load(panel + 4);
    F32x4 x = Splat(a.Get(0));
    c00 = MulAdd(x, b0, c00);
    c01 = MulAdd(x, b1, c01);
    x = Splat(a.Get(1));
    c10 = MulAdd(x, b0, c10);
    c11 = MulAdd(x, b1, c11);
    x = Splat(a.Get(2));
    c20 = MulAdd(x, b0, c20);
    c21 = MulAdd(x, b1, c21);
    x = Splat(a.Get(3));
    c30 = MulAdd(x, b0, c30);
    c31 = MulAdd(x, b1, c31);
    panel += kPanelColumns;
    a.Next();
  }
  const F32x4 f = Splat(factor);
  const auto store = [&](std::size_t i, F32x4 low, F32x4 high) {
    float* row = c + i * c_stride;
    Store(kWrite == Write::kAdd ? MulAdd(f, low, Load(row)) : f * low, row);
    Store(kWrite == Write::kAdd ? MulAdd(f, high, Load(row + 4)) : f * high, row + 4);
  };
  store(0, c00, c01);
  store(1, c10, c11);
  store(2, c20, c21);
  store(3, c30, c31);
}

// The whole product. C may lie in the caller's memory: no element beyond [rows, columns] is touched.
template <Write kWrite, class Arithmetic, class A>
[[gnu::noinline]] inline void Multiply(std::size_t rows, std::size_t columns, std::size_t depth, A a,
                                       Panels b, float factor, float* c, std::size_t c_stride) {
  for (std::size_t j = 0; j < columns; j += kPanelColumns) {
    for (std::size_t i = 0; i < rows; i += kBlockRows) {
      float* to = c + i * c_stride + j;
      if (i + kBlockRows <= rows && j + kPanelColumns <= columns) {
        MultiplyBlock<kWrite, Arithmetic>(a, i, depth, b.At(j), factor, to, c_stride);
        continue;
      }
      float edge[kBlockRows * kPanelColumns];
      MultiplyBlock<Write::kSet, Arithmetic>(a, i, depth, b.At(j), factor, edge, kPanelColumns);
      for (std::size_t r = 0; r < kBlockRows && i + r < rows; ++r) {
        for (std::size_t k = 0; k < kPanelColumns && j + k < columns; ++k) {
          const float value = edge[r * kPanelColumns + k];
          to[r * c_stride + k] = kWrite == Write::kAdd ? to[r * c_stride + k] + value : value;
        }
      }
    }
  }
}

// The same for B with NaN or infinity in it, slow and rare: where A is 0 (a masked key) B has no influence.
template <class A>
[[gnu::noinline]] inline void MultiplyAddSkippingZeros(std::size_t rows, std::size_t columns,
                                                       std::size_t depth, A a, Panels b, float factor,
                                                       float* c, std::size_t c_stride) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < depth; ++k) {
      const float x = *a.At(i, k);
      if (x == 0) continue;
      for (std::size_t j = 0; j < columns; ++j) {
        const float* panel = b.At(j / kPanelColumns * kPanelColumns);
        c[i * c_stride + j] += factor * x * panel[k * kPanelColumns + j % kPanelColumns];
      }
    }
  }
}

// C += factor * A B as a key or query tile needs it: `finite` says whether B is.
template <class Arithmetic, class A>
inline void MultiplyAdd(bool finite, std::size_t rows, std::size_t columns, std::size_t depth, A a, Panels b,
                        float factor, float* c, std::size_t c_stride) {
  if (finite) {
    Multiply<Write::kAdd, Arithmetic>(rows, columns, depth, a, b, factor, c, c_stride);
  } else {
    MultiplyAddSkippingZeros(rows, columns, depth, a, b, factor, c, c_stride);
  }
}

[[gnu::noinline]] inline bool AllFinite(const float* from, std::size_t stride, std::size_t rows,
                                        std::size_t columns) {
  F32x4 sum = Splat(0.0f);  // of x - x: 0 where x is finite, NaN elsewhere
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; j += kLanes) {
      const F32x4 x = LoadPartial(from + i * stride + j, columns - j, 0.0f);
      sum += x - x;
    }
  }
  return SumLanes(sum) == 0;
}

}  // namespace sqrtdk
