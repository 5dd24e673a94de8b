#include "experiments/dot_products.h"

#include <algorithm>

namespace sqrtdk {
namespace {

// Eight scores at once, a lane each: lanes hold different samples, so that a sum over components never
// crosses lanes and its order does not depend on the vector width. Two generators hide each other's latency.
struct Octet {
  F32x4 even, odd;
};

// One draw gives a component of the query and one of the key.
template <class Law>
Octet CentredOctet(std::uint32_t dimension, Stream& even, Stream& odd) {
  Octet sum{};
  for (std::uint32_t i = 0; i < dimension; ++i) {
    const Pair a = Law::Draw(even);
    const Pair b = Law::Draw(odd);
    sum.even += a.first * a.second;
    sum.odd += b.first * b.second;
  }
  return sum;
}

template <class Law>
Octet ShiftedOctet(const DotProducts& e, Stream& even, Stream& odd) {
  const F32x4 mean = Splat(e.mean), query_std = Splat(e.query_std), key_std = Splat(e.key_std);
  Octet sum{};
  for (std::uint32_t i = 0; i < e.dimension; ++i) {
    const Pair a = Law::Draw(even);
    const Pair b = Law::Draw(odd);
    sum.even += (mean + query_std * a.first) * (mean + key_std * a.second);
    sum.odd += (mean + query_std * b.first) * (mean + key_std * b.second);
  }
  return sum;
}

template <class Law>
void DrawBlockOf(const DotProducts& e, Stream even, Stream odd, std::span<float> scores) {
  constexpr std::size_t kStep = 2 * kLanes;
  // Without a mean the deviations come out of the sum, which saves two multiply-adds a component.
  const bool centred = e.mean == 0;
  const F32x4 factor = Splat(centred ? e.query_std * e.key_std * e.scale : e.scale);
  for (std::size_t i = 0; i < scores.size(); i += kStep) {
    const Octet sum = centred ? CentredOctet<Law>(e.dimension, even, odd) : ShiftedOctet<Law>(e, even, odd);
    float octet[kStep];
    Store(sum.even * factor, octet);
    Store(sum.odd * factor, octet + kLanes);
    std::copy_n(octet, std::min(kStep, scores.size() - i), scores.data() + i);
  }
}

}  // namespace

void DrawBlock(const DotProducts& experiment, std::uint64_t seed, std::uint64_t block,
               std::span<float> scores) {
  // Streams of their own, apart from those of the other experiments and of plain normals.
  constexpr std::uint64_t kExperiment = 2;
  const std::uint64_t stream = kExperiment << 56 | experiment.dimension;
  const Stream even = OpenStream(seed, stream, 2 * block);
  const Stream odd = OpenStream(seed, stream, 2 * block + 1);
  WithLaw(experiment.law, [&](auto law) { DrawBlockOf<decltype(law)>(experiment, even, odd, scores); });
}

void SampleDotProducts(const DotProducts& experiment, std::uint64_t seed, std::uint64_t first_block,
                       std::uint64_t samples, Moments& moments, Histogram& histogram) {
  float block_scores[kSamplesPerBlock];
  for (std::uint64_t block = first_block; samples > 0; ++block) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(samples, kSamplesPerBlock));
    const std::span<float> scores(block_scores, count);
    DrawBlock(experiment, seed, block, scores);
    moments = Merge(moments, MomentsOf(std::span<const float>(scores)));
    AddTo(histogram, scores);
    samples -= count;
  }
}

}  // namespace sqrtdk
