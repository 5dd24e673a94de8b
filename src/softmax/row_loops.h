// Loops over one row in vectors of four, shared by the softmax kernels.
#pragma once

#include <cstddef>

#include "simd/f32x4.h"
#include "simd/f64x2.h"

namespace sqrtdk {

// write(j, count, apply(read(j, count))) over a row for j = 0, 4, ...; count is 4 but at the row's end.
// Returns the sum of what was written, provided apply gives 0 for lanes beyond the end.
//
// Four reads, then four applications, then four writes: independent chains side by side are a fifth faster in
// V8 than one after the other. Sixteen numbers are summed in float and the sixteens in double, for 4 % of the
// time of a softmax: in float a weight of 1 would swallow hundreds of small ones. With LoadPartial and
// StorePartial inside, the count is a constant in all steps but the last.
template <class Read, class Apply, class Write>
inline double TransformVectors(std::size_t columns, Read read, Apply apply, Write write) {
  constexpr std::size_t kFour = kLanes;
  F64x2 low = Splat(0.0), high = low;
  std::size_t j = 0;
  for (; j + 4 * kFour <= columns; j += 4 * kFour) {
    F32x4 a = read(j, kFour), b = read(j + kFour, kFour);
    F32x4 c = read(j + 2 * kFour, kFour), d = read(j + 3 * kFour, kFour);
    a = apply(a);
    b = apply(b);
    c = apply(c);
    d = apply(d);
    write(j, kFour, a);
    write(j + kFour, kFour, b);
    write(j + 2 * kFour, kFour, c);
    write(j + 3 * kFour, kFour, d);
    const F32x4 sum = (a + b) + (c + d);
    low += WidenLow(sum);
    high += WidenHigh(sum);
  }
  for (; j < columns; j += kFour) {
    const std::size_t count = columns - j < kFour ? columns - j : kFour;
    const F32x4 a = apply(read(j, count));
    write(j, count, a);
    low += WidenLow(a);
    high += WidenHigh(a);
  }
  return SumLanes(low + high);
}

// result = combine(result, j, count) over the columns begin .. end of a row, in four independent lanes of
// work so that the latency of one addition or maximum does not bound the loop; merge joins them.
template <class Result, class Combine, class Merge>
inline Result ReduceVectors(std::size_t begin, std::size_t end, Result start, Combine combine, Merge merge) {
  constexpr std::size_t kFour = kLanes;
  Result a = start, b = start, c = start, d = start;
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
  const auto merge = [](F32x4 a, F32x4 b) { return a + b; };
  double sum = 0;
  for (std::size_t begin = 0; begin < columns; begin += kBlock) {
    const std::size_t end = columns - begin < kBlock ? columns : begin + kBlock;
    sum += static_cast<double>(SumLanes(ReduceVectors(begin, end, Splat(0.0f), add, merge)));
  }
  return sum;
}

}  // namespace sqrtdk
