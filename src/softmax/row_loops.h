// Loops over one row in vectors of four, shared by the softmax kernels.
#pragma once

#include <cstddef>

#include "simd/f32x4.h"

namespace sqrtdk {

// write(j, count, apply(read(j, count))) for j = begin, begin + 4, ...; count is 4 but at the row's end.
// Returns the sum of what was written.
//
// Four reads, then four applications, then four writes: independent chains side by side are a fifth faster in
// V8 than one after the other. With LoadPartial and StorePartial inside, the count is a constant in all steps
// but the last.
template <class Read, class Apply, class Write>
inline F32x4 TransformVectors(std::size_t begin, std::size_t end, Read read, Apply apply, Write write) {
  constexpr std::size_t kFour = kLanes;
  F32x4 sum_a = Splat(0.0f), sum_b = sum_a, sum_c = sum_a, sum_d = sum_a;
  std::size_t j = begin;
  for (; j + 4 * kFour <= end; j += 4 * kFour) {
    F32x4 a = read(j, kFour), b = read(j + kFour, kFour), c = read(j + 2 * kFour, kFour),
          d = read(j + 3 * kFour, kFour);
    a = apply(a);
    b = apply(b);
    c = apply(c);
    d = apply(d);
    write(j, kFour, a);
    write(j + kFour, kFour, b);
    write(j + 2 * kFour, kFour, c);
    write(j + 3 * kFour, kFour, d);
    sum_a += a;
    sum_b += b;
    sum_c += c;
    sum_d += d;
  }
  for (; j + kFour <= end; j += kFour) {
    const F32x4 a = apply(read(j, kFour));
    write(j, kFour, a);
    sum_a += a;
  }
  if (j < end) {
    const F32x4 b = apply(read(j, end - j));
    write(j, end - j, b);
    sum_b += b;
  }
  return (sum_a + sum_b) + (sum_c + sum_d);
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

// Sums over a row run in float over blocks of so many columns and in double over the blocks: the rounding
// error does not grow with the row.
inline constexpr std::size_t kSumBlock = 512;

// total(begin, end) over the blocks of a row.
template <class Total>
inline double SumOverBlocks(std::size_t columns, Total total) {
  double sum = 0;
  for (std::size_t begin = 0; begin < columns; begin += kSumBlock) {
    sum += static_cast<double>(
        SumLanes(total(begin, columns - begin < kSumBlock ? columns : begin + kSumBlock)));
  }
  return sum;
}

// sum = add(sum, j, count) over the row.
template <class Add>
inline double SumInBlocks(std::size_t columns, Add add) {
  return SumOverBlocks(columns, [&](std::size_t begin, std::size_t end) {
    return ReduceVectors(begin, end, Splat(0.0f), add, [](F32x4 a, F32x4 b) { return a + b; });
  });
}

}  // namespace sqrtdk
