#include "experiments/dot_products.h"

#include <algorithm>
#include <cmath>

namespace sqrtdk {
namespace {

// Sums over the components of eight samples at once, a lane each: lanes hold different samples, so that a sum
// never crosses lanes and its order does not depend on the vector width. Two generators hide each other's
// latency.
struct Sums {
  F32x4 product{}, query{}, key{};  // sum z w, sum z, sum w

  // One draw gives a component of the query and one of the key.
  template <bool kAll, class Law>
  void Add(const Law& law, Stream& stream) {
    const Pair pair = law.Draw(stream);
    product += pair.first * pair.second;
    if constexpr (kAll) {
      query += pair.first;
      key += pair.second;
    }
  }
};

// The sum over the components of (mean + query_std q_i)(mean + key_std k_i), q and k correlated, expanded so
// that nothing cancels.
void StoreScores(const DotProducts& e, const Sums& sums, std::span<double> scores) {
  const double d = e.dimension, rho = e.correlation;
  // The lowest correlation leaves 0, but for rounding.
  const double spread = std::sqrt(std::max(0.0, 1 + (d - 1) * rho));
  const double base = e.mean * e.mean * d;
  for (std::size_t lane = 0; lane < scores.size(); ++lane) {
    const double query = static_cast<double>(sums.query[lane]), key = static_cast<double>(sums.key[lane]);
    const double cross = e.mean * spread * (e.query_std * query + e.key_std * key);
    const double dot = (1 - rho) * static_cast<double>(sums.product[lane]) + rho * query * key;
    scores[lane] = e.scale * (base + cross + e.query_std * e.key_std * dot);
  }
}

template <bool kAll, class Law>
void DrawBlockOf(const DotProducts& e, const Law& law, Stream even, Stream odd, std::span<double> scores) {
  while (!scores.empty()) {
    Sums a, b;
    for (std::uint32_t i = 0; i < e.dimension; ++i) {
      a.Add<kAll>(law, even);
      b.Add<kAll>(law, odd);
    }
    for (const Sums& sums : {a, b}) {
      const std::size_t count = std::min<std::size_t>(kLanes, scores.size());
      StoreScores(e, sums, scores.first(count));
      scores = scores.subspan(count);
    }
  }
}

}  // namespace

void DrawBlock(const DotProducts& experiment, std::uint64_t seed, std::uint64_t block,
               std::span<double> scores) {
  // Streams of their own, apart from those of the other experiments and of plain normals.
  constexpr std::uint64_t kExperiment = 2;
  const std::uint64_t stream = kExperiment << 56 | experiment.dimension;
  const Stream even = OpenStream(seed, stream, 2 * block);
  const Stream odd = OpenStream(seed, stream, 2 * block + 1);
  WithLaw(experiment.law, experiment.degrees_of_freedom, [&](const auto& law) {
    // The sums of the components count only with a mean or a correlation.
    if (experiment.mean == 0 && experiment.correlation == 0) {
      DrawBlockOf<false>(experiment, law, even, odd, scores);
    } else {
      DrawBlockOf<true>(experiment, law, even, odd, scores);
    }
  });
}

void SampleDotProducts(const DotProducts& experiment, std::uint64_t seed, std::uint64_t first_block,
                       std::uint64_t samples, Moments& moments, Histogram& histogram,
                       std::span<double> values) {
  double block_scores[kSamplesPerBlock];
  for (std::uint64_t block = first_block; samples > 0; ++block) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(samples, kSamplesPerBlock));
    const std::span<double> scores =
        values.empty() ? std::span<double>(block_scores, count) : values.first(count);
    DrawBlock(experiment, seed, block, scores);
    moments = Merge(moments, MomentsOf(std::span<const double>(scores)));
    AddTo(histogram, scores);
    samples -= count;
    if (!values.empty()) values = values.subspan(count);
  }
}

}  // namespace sqrtdk
