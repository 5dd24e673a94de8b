// Softmax of a row whose scores come tile by tile.
#pragma once

#include <cstddef>
#include <limits>

#include "simd/f32x4.h"
#include "simd/math.h"
#include "softmax/row_loops.h"

namespace sqrtdk {

// The smallest weight kept, relative to the largest: 2^-100. Products of a weight and a value stay normal
// numbers.
inline constexpr float kSmallestExponent = -100;

// exp(score - reference), 0 below 2^-100. The difference comes first: it loses nothing that the weight
// depends on, however large both are, and one that overflows has weight 0.
template <class Arithmetic>
inline F32x4 Weight(F32x4 score, F32x4 reference) {
  return Exp2<Arithmetic>((score - reference) * Splat(1.44269504f), Splat(kSmallestExponent));
}

// What is known of a row after the tiles so far: the largest score m and l = sum exp(score - m).
struct RunningSoftmax {
  float maximum = -std::numeric_limits<float>::infinity();
  float sum = 0;

  // All masked so far: any finite reference makes the weights 0, where -infinity would make them NaN.
  float Reference() const { return maximum == -std::numeric_limits<float>::infinity() ? 0.0f : maximum; }
};

// Takes in one tile's row of `columns` scores, a multiple of 8, which become exp(score - m). Returns by how
// much what was summed so far shrinks.
template <class Arithmetic>
[[gnu::noinline]] inline float UpdateSoftmax(float* row, std::size_t columns, RunningSoftmax& state) {
  const auto read = [=](std::size_t j, std::size_t) { return Load(row + j); };
  const auto write = [=](std::size_t j, std::size_t, F32x4 p) { Store(p, row + j); };
  const auto larger = [=](F32x4 most, std::size_t j, std::size_t) { return Max(most, Load(row + j)); };
  const auto merge = [](F32x4 a, F32x4 b) { return Max(a, b); };
  const float before = state.maximum;
  state.maximum = MaxLanes(ReduceVectors(0, columns, Splat(before), larger, merge));
  const F32x4 reference = Splat(state.Reference());
  const auto weight = [=](F32x4 s) { return Weight<Arithmetic>(s, reference); };
  const double sum = TransformVectors(columns, read, weight, write);
  const float shrink = before == state.maximum ? 1.0f : Weight<Arithmetic>(Splat(before), reference)[0];
  state.sum = state.sum * shrink + static_cast<float>(sum);
  return shrink;
}

}  // namespace sqrtdk
