// Variance growth: the law of q.k for random queries and keys, by sampling.
#pragma once

#include <cstdint>
#include <span>

#include "random/components.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace sqrtdk {

// Scores scale * q.k with q_i = mean + query_std z_i and k_i = mean + key_std w_i, z and w independent of the
// law.
struct DotProducts {
  std::uint32_t dimension = 1;  // d_k, at least 1
  ComponentLaw law = ComponentLaw::kNormal;
  double mean = 0;
  double query_std = 1;
  double key_std = 1;
  double scale = 1;
};

// Samples come in blocks; block b of a (seed, dimension) is the same whoever draws it.
// Small enough that a run over vectors of 4096 components can stop every four milliseconds or so.
inline constexpr std::size_t kSamplesPerBlock = 256;

// Fills `scores` with the first values of a block: at most kSamplesPerBlock. Sums over the components of z
// and w run in float32, one after another, as in a plain loop; means, deviations and the scale are applied to
// the sums in double, so that a mean a million times the deviation costs no digits.
void DrawBlock(const DotProducts& experiment, std::uint64_t seed, std::uint64_t block,
               std::span<double> scores);

// Draws `samples` scores beginning with block `first_block` and adds them to the moments and the histogram,
// block by block in order: however a long run is cut at block borders, the result has the same bits.
void SampleDotProducts(const DotProducts& experiment, std::uint64_t seed, std::uint64_t first_block,
                       std::uint64_t samples, Moments& moments, Histogram& histogram);

}  // namespace sqrtdk
