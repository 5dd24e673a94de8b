// Loops over one row in vectors of four, shared by the softmax kernels.
#pragma once

#include <cstddef>

#include "simd/f32x4.h"

namespace sqrtdk {

// step(j, count) for j = begin, begin + 4, ...; count is 4 but at the row's end. Two steps an iteration:
// WebAssembly loops carry a fixed cost. With LoadPartial and StorePartial inside, the count is a constant in
// all steps but the last.
template <class Step>
inline void ForEachVector(std::size_t begin, std::size_t end, Step step) {
  std::size_t j = begin;
  for (; j + 2 * kLanes <= end; j += 2 * kLanes) {
    step(j, std::size_t{kLanes});
    step(j + kLanes, std::size_t{kLanes});
  }
  if (j + kLanes <= end) {
    step(j, std::size_t{kLanes});
    j += kLanes;
  }
  if (j < end) step(j, end - j);
}

// sum = add(sum, j, count) over the row, in float over blocks and in double over the blocks: the rounding
// error does not grow with the row.
template <class Add>
inline double SumInBlocks(std::size_t columns, Add add) {
  constexpr std::size_t kBlock = 256;
  double total = 0;
  for (std::size_t begin = 0; begin < columns; begin += kBlock) {
    const std::size_t end = columns - begin < kBlock ? columns : begin + kBlock;
    // Two sums, or the latency of one addition would bound the loop.
    F32x4 even = Splat(0.0f), odd = Splat(0.0f);
    std::size_t j = begin;
    for (; j + 2 * kLanes <= end; j += 2 * kLanes) {
      even = add(even, j, std::size_t{kLanes});
      odd = add(odd, j + kLanes, std::size_t{kLanes});
    }
    if (j + kLanes <= end) {
      even = add(even, j, std::size_t{kLanes});
      j += kLanes;
    }
    if (j < end) odd = add(odd, j, end - j);
    total += static_cast<double>(SumLanes(even + odd));
  }
  return total;
}

}  // namespace sqrtdk
