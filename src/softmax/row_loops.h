// Loops over one row in vectors of four, shared by the softmax kernels.
#pragma once

#include <cstddef>

#include "simd/f32x4.h"

namespace sqrtdk {

// step(j, count) for j = begin, begin + 4, ...; count is 4 but at the row's end. Four steps an iteration:
// WebAssembly loops carry a fixed cost, 5 % of a softmax against two steps. With LoadPartial and StorePartial
// inside, the count is a constant in all steps but the last.
template <class Step>
inline void ForEachVector(std::size_t begin, std::size_t end, Step step) {
  constexpr std::size_t kFour = kLanes;
  std::size_t j = begin;
  for (; j + 4 * kFour <= end; j += 4 * kFour) {
    step(j, kFour);
    step(j + kFour, kFour);
    step(j + 2 * kFour, kFour);
    step(j + 3 * kFour, kFour);
  }
  for (; j + kFour <= end; j += kFour) step(j, kFour);
  if (j < end) step(j, end - j);
}

// result = combine(result, j, count) over the columns begin .. end of a row, in four independent lanes of
// work so that the latency of one addition or maximum does not bound the loop; merge joins them.
template <class Combine, class Merge>
inline F32x4 ReduceVectors(std::size_t begin, std::size_t end, F32x4 start, Combine combine, Merge merge) {
  constexpr std::size_t kFour = kLanes;
  F32x4 a = start, b = start, c = start, d = start;
  std::size_t j = begin;
  for (; j + 4 * kFour <= end; j += 4 * kFour) {
    a = combine(a, j, kFour);
    b = combine(b, j + kFour, kFour);
    c = combine(c, j + 2 * kFour, kFour);
    d = combine(d, j + 3 * kFour, kFour);
  }
  for (; j + kFour <= end; j += kFour) a = combine(a, j, kFour);
  if (j < end) b = combine(b, j, end - j);
  return merge(merge(a, b), merge(c, d));
}

// sum = add(sum, j, count) over the row, in float over blocks and in double over the blocks: the rounding
// error does not grow with the row.
template <class Add>
inline double SumInBlocks(std::size_t columns, Add add) {
  constexpr std::size_t kBlock = 512;
  double total = 0;
  for (std::size_t begin = 0; begin < columns; begin += kBlock) {
    const std::size_t end = columns - begin < kBlock ? columns : begin + kBlock;
    const F32x4 sum = ReduceVectors(begin, end, Splat(0.0f), add, [](F32x4 a, F32x4 b) { return a + b; });
    total += static_cast<double>(SumLanes(sum));
  }
  return total;
}

}  // namespace sqrtdk
