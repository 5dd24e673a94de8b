// Variance growth: the law of q.k for random queries and keys, by sampling.
#pragma once

#include <cstdint>
#include <span>

#include "random/components.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace sqrtdk {

// Scores scale * q.k with q = mean + query_std Sigma^(1/2) z and k = mean + key_std Sigma^(1/2) w. The
// components of z and w are independent and of the law; Sigma has ones on its diagonal and `correlation`
// everywhere else, so that components of a vector have this correlation (and are of the law only where it is
// normal or the correlation 0). Query and key are independent.
struct DotProducts {
  std::uint32_t dimension = 1;  // d_k, at least 1
  ComponentLaw law = ComponentLaw::kNormal;
  double degrees_of_freedom = 5;  // of Student's law only, above 2
  double correlation = 0;         // [-1 / (d_k - 1), 1]: what leaves Sigma no negative eigenvalue
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
// the sums in double, so that a mean a million times the deviation costs no digits. So is the correlation:
// with a = sqrt(1 - rho) and c = sqrt(1 + (d_k - 1) rho), Sigma^(1/2) z = a z + (c - a)/d_k (sum z) 1, of
// which
//
//   sum_i = c sum z,    product of two = (1 - rho) z.w + rho (sum z)(sum w).
void DrawBlock(const DotProducts& experiment, std::uint64_t seed, std::uint64_t block,
               std::span<double> scores);

// Draws `samples` scores beginning with block `first_block` and adds them to the moments and the histogram,
// block by block in order: however a long run is cut at block borders, the result has the same bits. `values`
// takes the scores themselves; it holds `samples` of them, or is empty if they are not wanted.
void SampleDotProducts(const DotProducts& experiment, std::uint64_t seed, std::uint64_t first_block,
                       std::uint64_t samples, Moments& moments, Histogram& histogram,
                       std::span<double> values = {});

}  // namespace sqrtdk
