#include "experiments/dot_products.h"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

namespace sqrtdk {
namespace {

Moments Sample(const DotProducts& experiment, std::uint64_t seed, std::uint64_t samples) {
  std::vector<std::uint32_t> counts(50);
  Histogram histogram{-1, 1, counts};
  Moments moments;
  SampleDotProducts(experiment, seed, 0, samples, moments, histogram);
  return moments;
}

TEST_CASE("the variance of q.k is d_k, within 5 standard errors") {
  for (std::uint32_t dimension : {1u, 2u, 3u, 4u, 64u, 511u, 1000u}) {
    const Moments m = Sample({.dimension = dimension}, 1, 20000);
    const double d = dimension;
    CAPTURE(dimension);
    CHECK(std::fabs(Variance(m) - d) < 5 * d * std::sqrt(2.0 / 19999 + 6 / (d * 20000)));
    CHECK(std::fabs(m.mean) < 5 * std::sqrt(d / 20000));
  }
}

TEST_CASE("dividing by sqrt(d_k) brings the variance to 1") {
  const Moments m = Sample({.dimension = 512, .scale = 1 / std::sqrt(512.0)}, 1, 50000);
  CHECK(std::fabs(Variance(m) - 1) < 5 * VarianceStandardError(m));
}

TEST_CASE("every law and non-zero means follow the exact mean and variance") {
  // E S = d mu^2, Var S = d (sq^2 sk^2 + mu^2 (sq^2 + sk^2)).
  for (int law = 0; law < kComponentLaws; ++law) {
    for (double mean : {0.0, 0.5}) {
      const Moments m = Sample({.dimension = 48,
                                .law = static_cast<ComponentLaw>(law),
                                .mean = mean,
                                .query_std = 1.5,
                                .key_std = 0.5},
                               3, 50000);
      const double mu2 = mean * mean;
      CAPTURE(law);
      CHECK(std::fabs(m.mean - 48 * mu2) < 5 * MeanStandardError(m));
      CHECK(std::fabs(Variance(m) - 48 * (1.5 * 1.5 * 0.25 + mu2 * (1.5 * 1.5 + 0.25))) <
            5 * VarianceStandardError(m));
    }
  }
}

TEST_CASE("a mean far above or below the deviations costs no digits") {
  // Var S = d (sq^2 sk^2 + mu^2 (sq^2 + sk^2)).
  const double cases[][4] = {
      {1e4, 1, 1, 4096}, {1e6, 1e-3, 1e-3, 4}, {1, 1e-6, 1e-6, 64}, {0, 1e-23, 1e-23, 16}};
  for (const auto& [mean, query_std, key_std, d] : cases) {
    const Moments m = Sample({.dimension = static_cast<std::uint32_t>(d),
                              .mean = mean,
                              .query_std = query_std,
                              .key_std = key_std},
                             1, 20000);
    const double q2 = query_std * query_std, k2 = key_std * key_std;
    CAPTURE(mean);
    CHECK(std::fabs(Variance(m) - d * (q2 * k2 + mean * mean * (q2 + k2))) < 5 * VarianceStandardError(m));
  }
}

TEST_CASE("a Rademacher dot product is an integer of d_k's parity") {
  std::vector<double> scores(kSamplesPerBlock);
  DrawBlock({.dimension = 5, .law = ComponentLaw::kRademacher}, 1, 0, scores);
  for (double s : scores) {
    REQUIRE(std::fabs(s) <= 5);
    REQUIRE(std::fmod(std::fabs(s), 2.0) == 1);
  }
}

TEST_CASE("a short block is the beginning of a full one") {
  std::vector<double> whole(kSamplesPerBlock);
  DrawBlock({.dimension = 7}, 5, 2, whole);
  for (std::size_t n : {0u, 1u, 7u, 8u, 9u, 255u}) {
    std::vector<double> part(n);
    DrawBlock({.dimension = 7}, 5, 2, part);
    CHECK(std::equal(part.begin(), part.end(), whole.begin()));
  }
}

TEST_CASE("a run cut at block borders has the same bits as one in a piece, and loses no sample") {
  const DotProducts experiment{.dimension = 33};
  std::vector<std::uint32_t> counts_whole(40), counts_cut(40);
  Histogram whole{-10, 10, counts_whole}, cut{-10, 10, counts_cut};
  Moments moments_whole, moments_cut;
  SampleDotProducts(experiment, 8, 0, 5000, moments_whole, whole);
  SampleDotProducts(experiment, 8, 0, 2 * kSamplesPerBlock, moments_cut, cut);
  SampleDotProducts(experiment, 8, 2, kSamplesPerBlock, moments_cut, cut);
  SampleDotProducts(experiment, 8, 3, 5000 - 3 * kSamplesPerBlock, moments_cut, cut);
  CHECK(moments_cut.mean == moments_whole.mean);
  CHECK(moments_cut.m2 == moments_whole.m2);
  CHECK(moments_cut.m3 == moments_whole.m3);
  CHECK(moments_cut.m4 == moments_whole.m4);
  CHECK(counts_cut == counts_whole);
  std::uint64_t total = std::uint64_t{whole.underflow} + whole.overflow;
  for (std::uint32_t c : counts_whole) total += c;
  CHECK(total == 5000);
}

}  // namespace
}  // namespace sqrtdk
