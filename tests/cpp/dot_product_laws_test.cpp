// Sampled scores against theory, which shares no code with them, and against vectors that are written out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "experiments/dot_products.h"
#include "theory/moments.h"

namespace sqrtdk {
namespace {

theory::DotProductMoments Exact(const DotProducts& e) {
  return theory::DotProductMomentsOf({.law = static_cast<theory::ComponentLaw>(e.law),
                                      .degrees_of_freedom = e.degrees_of_freedom,
                                      .dimension = static_cast<int>(e.dimension),
                                      .query_mean = e.mean,
                                      .key_mean = e.mean,
                                      .query_std = e.query_std,
                                      .key_std = e.key_std,
                                      .correlation = e.correlation});
}

std::vector<double> Scores(const DotProducts& experiment, std::uint64_t seed, std::size_t samples) {
  std::vector<double> values(samples);
  std::vector<std::uint32_t> counts(1);
  Histogram histogram{-1, 1, counts};
  Moments moments;
  SampleDotProducts(experiment, seed, 0, samples, moments, histogram, values);
  return values;
}

double LowestCorrelation(std::uint32_t dimension) { return dimension > 1 ? -1.0 / (dimension - 1) : -1.0; }

// Measured and exact mean, variance and kurtosis, within 5 standard errors.
void CheckAgainstTheory(const DotProducts& e, std::uint64_t seed, std::size_t samples) {
  const theory::DotProductMoments exact = Exact(e);
  const std::vector<double> scores = Scores(e, seed, samples);
  const Moments m = MomentsOf(std::span<const double>(scores));
  const double n = static_cast<double>(samples);
  CAPTURE(static_cast<int>(e.law));
  CAPTURE(e.degrees_of_freedom);
  CAPTURE(e.dimension);
  CAPTURE(e.correlation);
  CAPTURE(e.mean);
  const double rounding =
      1e-6 * exact.variance;  // of float32 sums, where the variance has no error of its own
  CHECK(std::fabs(m.mean - exact.mean) < 5 * std::sqrt(exact.variance / n) + 1e-12 * std::fabs(exact.mean));
  // A sample of one spread only: its variance is known to 1/n (Rademacher, d_k = 1).
  CHECK(std::fabs(Variance(m) - exact.variance) <
        5 * theory::VarianceStandardError(exact, n) + rounding + 30 * exact.variance / n);
  // The error of a kurtosis takes an 8th moment of the components, and to tell it from the sample a 16th: of
  // Student's law only sums of many products come near enough to that.
  if (e.law == ComponentLaw::kStudentT && (e.degrees_of_freedom <= 8 || e.dimension < 16)) return;
  std::vector<double> fourth = scores;
  for (double& s : fourth) s = std::pow((s - exact.mean) / std::sqrt(exact.variance), 4);
  const Moments f = MomentsOf(std::span<const double>(fourth));
  CHECK(std::fabs(f.mean - 3 - exact.excess_kurtosis) < 5 * MeanStandardError(f) + 1e-5);
}

TEST_CASE("every law, correlation and mean has the variance and kurtosis of theory") {
  struct Components {
    ComponentLaw law;
    double nu;
  };
  const Components laws[] = {{ComponentLaw::kNormal, 0},     {ComponentLaw::kUniform, 0},
                             {ComponentLaw::kRademacher, 0}, {ComponentLaw::kLaplace, 0},
                             {ComponentLaw::kStudentT, 5},   {ComponentLaw::kStudentT, 10}};
  std::uint64_t seed = 0;
  for (const auto& [law, nu] : laws) {
    for (std::uint32_t dimension : {1u, 2u, 3u, 16u, 130u}) {
      for (double correlation : {0.0, 0.3, 1.0, LowestCorrelation(dimension)}) {
        for (double mean : {0.0, 0.7}) {
          const DotProducts e{.dimension = dimension,
                              .law = law,
                              .degrees_of_freedom = nu,
                              .correlation = correlation,
                              .mean = mean,
                              .query_std = 1.5,
                              .key_std = 0.5};
          CheckAgainstTheory(e, ++seed, dimension > 100 ? 5000 : 20000);
        }
      }
    }
  }
}

TEST_CASE("long vectors keep to theory") {
  for (double correlation : {0.0, 0.01}) {
    CheckAgainstTheory({.dimension = 65536, .correlation = correlation}, 1, 300);
    CheckAgainstTheory({.dimension = 4096,
                        .law = ComponentLaw::kStudentT,
                        .degrees_of_freedom = 5,
                        .correlation = correlation},
                       1, 3000);
  }
}

// The first scores of a block, from vectors in double that are made as the declaration of DotProducts says.
std::vector<double> WrittenOut(const DotProducts& e, std::uint64_t seed, std::uint64_t block) {
  const std::uint64_t stream = std::uint64_t{2} << 56 | e.dimension;
  Stream even = OpenStream(seed, stream, 2 * block), odd = OpenStream(seed, stream, 2 * block + 1);
  const double d = e.dimension;
  const double a = std::sqrt(1 - e.correlation);
  const double b = (std::sqrt(std::max(0.0, 1 + (d - 1) * e.correlation)) - a) / d;
  std::vector<double> scores;
  WithLaw(e.law, e.degrees_of_freedom, [&](const auto& law) {
    for (Stream* generator : {&even, &odd}) {
      std::vector<Pair> drawn(e.dimension);
      for (Pair& pair : drawn) pair = law.Draw(*generator);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        double z = 0, w = 0, score = 0;
        for (const Pair& pair : drawn) {
          z += static_cast<double>(pair.first[lane]);
          w += static_cast<double>(pair.second[lane]);
        }
        for (const Pair& pair : drawn) {
          const double query = e.mean + e.query_std * (a * static_cast<double>(pair.first[lane]) + b * z);
          const double key = e.mean + e.key_std * (a * static_cast<double>(pair.second[lane]) + b * w);
          score += query * key;
        }
        scores.push_back(e.scale * score);
      }
    }
  });
  return scores;
}

TEST_CASE("scores are those of vectors that are written out") {
  for (int law = 0; law < kComponentLaws; ++law) {
    for (std::uint32_t dimension : {1u, 2u, 7u, 64u}) {
      for (double correlation : {0.0, -0.01, 0.5, 1.0, LowestCorrelation(dimension)}) {
        for (double mean : {0.0, -2.0}) {
          const DotProducts e{.dimension = dimension,
                              .law = static_cast<ComponentLaw>(law),
                              .degrees_of_freedom = 6,
                              .correlation = correlation,
                              .mean = mean,
                              .query_std = 0.5,
                              .key_std = 3,
                              .scale = 0.25};
          const std::vector<double> want = WrittenOut(e, 9, 4);
          std::vector<double> got(want.size());
          DrawBlock(e, 9, 4, got);
          // Float32 sums of d_k terms, the correlated part of up to d_k^2.
          const double size = std::sqrt(Exact(e).variance + mean * mean * dimension) * e.scale;
          for (std::size_t i = 0; i < want.size(); ++i) {
            CAPTURE(law);
            CAPTURE(dimension);
            CAPTURE(correlation);
            CHECK(std::fabs(got[i] - want[i]) <
                  1e-6 * (size * std::sqrt(dimension) + std::fabs(want[i])) + 1e-5);
          }
        }
      }
    }
  }
}

TEST_CASE("a correlation of 1 leaves one component, one of -1/(d-1) no sum, with any mean") {
  // All components equal z' = sum z / sqrt(d): q.k = d (mu + sq z')(mu + sk w').
  const DotProducts equal{.dimension = 9, .correlation = 1, .mean = 1e3};
  for (const double score : Scores(equal, 3, 200)) CHECK(score > 0);
  // The mean meets no sum: what it adds is a constant.
  const DotProducts lowest{.dimension = 5, .correlation = -0.25};
  DotProducts shifted = lowest;
  shifted.mean = 2;
  const std::vector<double> a = Scores(lowest, 3, 200), b = Scores(shifted, 3, 200);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(b[i] - a[i] == doctest::Approx(20).epsilon(1e-12));
}

TEST_CASE("no correlation is the correlation 0, to the last bit") {
  for (double mean : {0.0, 0.5}) {
    const DotProducts e{.dimension = 33, .mean = mean};
    DotProducts zero = e;
    zero.correlation = -0.0;
    CHECK(Scores(e, 1, 300) == Scores(zero, 1, 300));
  }
}

TEST_CASE("values are those that the moments are of, wherever a run is cut") {
  const DotProducts e{.dimension = 20, .law = ComponentLaw::kStudentT, .degrees_of_freedom = 3};
  constexpr std::size_t kSamples = 3 * kSamplesPerBlock + 5;
  std::vector<std::uint32_t> counts(4);
  Histogram histogram{-1, 1, counts};
  Moments with, without, cut;
  std::vector<double> values(kSamples), parts(kSamples);
  SampleDotProducts(e, 2, 0, kSamples, with, histogram, values);
  SampleDotProducts(e, 2, 0, kSamples, without, histogram);
  const std::span<double> all(parts);
  SampleDotProducts(e, 2, 0, kSamplesPerBlock, cut, histogram, all.first(kSamplesPerBlock));
  SampleDotProducts(e, 2, 1, kSamples - kSamplesPerBlock, cut, histogram, all.subspan(kSamplesPerBlock));
  CHECK(values == parts);
  for (const Moments& m : {without, cut}) {
    CHECK(m.mean == with.mean);
    CHECK(m.m4 == with.m4);
    CHECK(m.minimum == with.minimum);
  }
  CHECK(with.minimum == *std::min_element(values.begin(), values.end()));
  CHECK(with.maximum == *std::max_element(values.begin(), values.end()));
  CHECK(with.mean == doctest::Approx(MomentsOf(std::span<const double>(values)).mean).epsilon(1e-12));
}

}  // namespace
}  // namespace sqrtdk
