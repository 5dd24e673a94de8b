// What a reader sees from a seed has the same bits natively, in both WebAssembly builds and in every version.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/dot_products.h"
#include "experiments/gradient_flow.h"
#include "golden/bits.h"
#include "random/normals.h"

namespace sqrtdk {
namespace {

// FNV-1a over the 32-bit words.
template <class T>
std::uint64_t HashOf(std::span<const T> values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](std::uint32_t word) { hash = (hash ^ word) * 0x100000001b3u; };
  for (const T& value : values) {
    if constexpr (sizeof(T) == 8) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      mix(static_cast<std::uint32_t>(bits));
      mix(static_cast<std::uint32_t>(bits >> 32));
    } else {
      mix(std::bit_cast<std::uint32_t>(value));
    }
  }
  return hash;
}

std::string Hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

template <class T>
void CheckGolden(std::string_view name, std::span<const T> values) {
  const std::uint64_t got = HashOf(values);
  for (const golden::Bits& bits : golden::kBits) {
    if (bits.name != name) continue;
    CHECK_MESSAGE(got == bits.hash, std::string(name), ": 0x", Hex(got));
    return;
  }
  FAIL_CHECK(std::string(name), " is not in golden/bits.h: 0x", Hex(got));
}

TEST_CASE("normals have their golden bits") {
  std::vector<float> values(20001);
  FillNormal(values, 1, 0);
  CheckGolden<float>("normals", values);
}

TEST_CASE("dot products of every law have their golden bits") {
  constexpr std::string_view kNames[kComponentLaws] = {"dot normal", "dot uniform", "dot rademacher",
                                                       "dot laplace", "dot student t"};
  for (int law = 0; law < kComponentLaws; ++law) {
    std::vector<double> scores(kSamplesPerBlock);
    DrawBlock({.dimension = 65, .law = static_cast<ComponentLaw>(law), .degrees_of_freedom = 5}, 1, 3,
              scores);
    CheckGolden<double>(kNames[law], scores);
  }
}

TEST_CASE("correlated components with a mean have their golden bits") {
  std::vector<double> scores(kSamplesPerBlock);
  DrawBlock({.dimension = 65, .correlation = 0.25, .mean = 0.5}, 1, 3, scores);
  CheckGolden<double>("dot correlated", scores);
}

TEST_CASE("moments and histogram have their golden bits") {
  std::vector<std::uint32_t> counts(64);
  Histogram histogram{-40, 40, counts};
  Moments m;
  SampleDotProducts({.dimension = 100, .mean = 0.25, .scale = 0.5}, 1, 0, 10000, m, histogram);
  const double summary[] = {
      m.count, m.mean, Variance(m), Skewness(m), ExcessKurtosis(m), VarianceStandardError(m)};
  CheckGolden<double>("moments", summary);
  CheckGolden<std::uint32_t>("histogram", counts);
}

TEST_CASE("gradient trials have their golden bits") {
  const ScoreRule rules[] = {{1.0}, {0.1}};
  const GradientFlow experiment{100, 24, 16, rules};
  constexpr std::size_t kTrials = 20;
  std::vector<float> floats(static_cast<std::size_t>(GradientFlowScratchFloats(experiment)));
  std::vector<double> doubles(GradientFlowScratchDoubles(experiment));
  std::vector<double> columns(2 * kRowQuantities * kTrials);
  RunGradientTrials(experiment, 1, 0, kTrials, floats, doubles, {columns.data(), kTrials});
  // What the weights and their Jacobian are, in the order in which they were first measured; then gradients.
  std::vector<double> weights, gradients;
  const auto end = columns.begin() + static_cast<std::ptrdiff_t>(columns.size());
  for (auto rule = columns.begin(); rule != end; rule += kRowQuantities * kTrials) {
    const auto split = rule + static_cast<std::ptrdiff_t>(RowQuantity::kJacobianSpectral) * kTrials;
    weights.insert(weights.end(), rule, split);
    gradients.insert(gradients.end(), split, rule + kRowQuantities * kTrials);
  }
  CheckGolden<double>("gradient weights", weights);
  CheckGolden<double>("gradient norms", gradients);
}

TEST_CASE("gradient trials under softcap and QK-norm have their golden bits") {
  const ScoreRule rules[] = {{1.0, 5.0}, {.scale = 10, .qk_norm = true}};
  const GradientFlow experiment{100, 24, 16, rules};
  std::vector<float> floats(static_cast<std::size_t>(GradientFlowScratchFloats(experiment)));
  std::vector<double> doubles(GradientFlowScratchDoubles(experiment));
  std::vector<double> columns(2 * kRowQuantities * 10);
  RunGradientTrials(experiment, 1, 0, 10, floats, doubles, {columns.data(), 10});
  CheckGolden<double>("gradient rules", columns);
}

}  // namespace
}  // namespace sqrtdk
