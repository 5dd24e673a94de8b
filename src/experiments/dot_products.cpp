#include "experiments/dot_products.h"

#include <algorithm>

namespace sqrtdk {
namespace {

// Sums over the components of eight samples at once, a lane each: lanes hold different samples, so that a sum
// never crosses lanes and its order does not depend on the vector width. Two generators hide each other's
// latency.
struct Sums {
  F32x4 product{}, query{}, key{};  // sum z w, sum z, sum w

  // One draw gives a component of the query and one of the key.
  template <class Law, bool kCentred>
  void Add(Stream& stream) {
    const Pair pair = Law::Draw(stream);
    product += pair.first * pair.second;
    if constexpr (!kCentred) {
      query += pair.first;
      key += pair.second;
    }
  }
};

// sum (mean + query_std z)(mean + key_std w), expanded so that nothing cancels.
void StoreScores(const DotProducts& e, const Sums& sums, std::span<double> scores) {
  const double base = e.mean * e.mean * e.dimension;
  for (std::size_t lane = 0; lane < scores.size(); ++lane) {
    const double cross = e.mean * (e.query_std * static_cast<double>(sums.query[lane]) +
                                   e.key_std * static_cast<double>(sums.key[lane]));
    const double product = e.query_std * e.key_std * static_cast<double>(sums.product[lane]);
    scores[lane] = e.scale * (base + cross + product);
  }
}

template <class Law, bool kCentred>
void DrawBlockOf(const DotProducts& e, Stream even, Stream odd, std::span<double> scores) {
  while (!scores.empty()) {
    Sums a, b;
    for (std::uint32_t i = 0; i < e.dimension; ++i) {
      a.Add<Law, kCentred>(even);
      b.Add<Law, kCentred>(odd);
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
  WithLaw(experiment.law, [&](auto law) {
    using Law = decltype(law);
    // Without a mean the sums of the components do not count.
    if (experiment.mean == 0) {
      DrawBlockOf<Law, true>(experiment, even, odd, scores);
    } else {
      DrawBlockOf<Law, false>(experiment, even, odd, scores);
    }
  });
}

void SampleDotProducts(const DotProducts& experiment, std::uint64_t seed, std::uint64_t first_block,
                       std::uint64_t samples, Moments& moments, Histogram& histogram) {
  double block_scores[kSamplesPerBlock];
  for (std::uint64_t block = first_block; samples > 0; ++block) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(samples, kSamplesPerBlock));
    const std::span<double> scores(block_scores, count);
    DrawBlock(experiment, seed, block, scores);
    moments = Merge(moments, MomentsOf(std::span<const double>(scores)));
    AddTo(histogram, scores);
    samples -= count;
  }
}

}  // namespace sqrtdk
