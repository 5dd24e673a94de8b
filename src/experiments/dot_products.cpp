#include "experiments/dot_products.h"

#include <algorithm>
#include <cmath>

namespace sqrtdk {
namespace {

// Sums over the components, of every sample of a block: sum z w, sum z, sum w; the last two only where they
// are asked for, else 0.
struct BlockSums {
  float product[kSamplesPerBlock], query[kSamplesPerBlock], key[kSamplesPerBlock];
};

// A component of four queries times one of four keys: in one step where the law knows how.
template <class Law>
F32x4 DrawProduct(const Law& law, Stream& stream) {
  if constexpr (requires { law.DrawProduct(stream); }) {
    return law.DrawProduct(stream);
  } else {
    const Pair pair = law.Draw(stream);
    return pair.first * pair.second;
  }
}

// The same of four samples at once, a lane each: lanes hold different samples, so that a sum never crosses
// lanes and its order does not depend on the vector width.
struct Sums {
  F32x4 product{}, query{}, key{};

  template <bool kAll, class Law>
  void Add(const Law& law, Stream& stream) {
    if constexpr (kAll) {
      const Pair pair = law.Draw(stream);
      product += pair.first * pair.second;
      query += pair.first;
      key += pair.second;
    } else {
      product += DrawProduct(law, stream);
    }
  }

  template <bool kAll>
  void StoreAt(BlockSums& sums, std::size_t sample) const {
    Store(product, sums.product + sample);
    if constexpr (kAll) {
      Store(query, sums.query + sample);
      Store(key, sums.key + sample);
    }
  }
};

// Draws `samples` of a block, rounded up to eight. Two generators hide each other's latency. Sums go to
// memory and are made scores in a loop of their own: taking lanes apart right here makes the drawing 1.4
// times slower in WebAssembly.
template <bool kAll, class Law>
void SumBlock(const Law& law, std::uint32_t dimension, std::size_t samples, Stream even, Stream odd,
              BlockSums& sums) {
  static_assert(kSamplesPerBlock % (2 * kLanes) == 0);
  for (std::size_t sample = 0; sample < samples; sample += 2 * kLanes) {
    Sums a, b;
    for (std::uint32_t i = 0; i < dimension; ++i) {
      a.Add<kAll>(law, even);
      b.Add<kAll>(law, odd);
    }
    a.StoreAt<kAll>(sums, sample);
    b.StoreAt<kAll>(sums, sample + kLanes);
  }
}

bool NeedsSumsOfComponents(const DotProducts& e) { return e.mean != 0 || e.correlation != 0; }

// The sum over the components of (mean + query_std q_i)(mean + key_std k_i), q and k correlated, expanded so
// that nothing cancels.
void StoreScores(const DotProducts& e, const BlockSums& sums, std::span<double> scores) {
  if (!NeedsSumsOfComponents(e)) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = e.scale * (e.query_std * e.key_std * static_cast<double>(sums.product[i]));
    }
    return;
  }
  const double d = e.dimension, rho = e.correlation;
  // The lowest correlation leaves 0, but for rounding.
  const double spread = std::sqrt(std::max(0.0, 1 + (d - 1) * rho));
  const double base = e.mean * e.mean * d;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double query = static_cast<double>(sums.query[i]), key = static_cast<double>(sums.key[i]);
    const double cross = e.mean * spread * (e.query_std * query + e.key_std * key);
    const double dot = (1 - rho) * static_cast<double>(sums.product[i]) + rho * query * key;
    scores[i] = e.scale * (base + cross + e.query_std * e.key_std * dot);
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
  BlockSums sums{};
  WithLaw(experiment.law, experiment.degrees_of_freedom, [&](const auto& law) {
    if (NeedsSumsOfComponents(experiment)) {
      SumBlock<true>(law, experiment.dimension, scores.size(), even, odd, sums);
    } else {
      SumBlock<false>(law, experiment.dimension, scores.size(), even, odd, sums);
    }
  });
  StoreScores(experiment, sums, scores);
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
