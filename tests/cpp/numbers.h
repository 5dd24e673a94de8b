// Small helpers for numeric tests: test inputs and error measures.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace sqrtdk::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// For loops over sizes: for (std::size_t n : Sizes{0, 1, 5}).
using Sizes = std::initializer_list<std::size_t>;

// Units in the last place of float32 at `want`, subnormals included.
inline double UlpOf(double want) {
  const float nearest = static_cast<float>(std::fabs(want));
  return static_cast<double>(std::nextafter(nearest, kInf)) - static_cast<double>(nearest);
}

inline double RelativeError(double got, double want) {
  if (got == want) return 0;
  return std::fabs(got - want) / std::fabs(want);
}

// The larger of two errors; once NaN, for ever NaN, which std::max and std::fmax forget.
inline double Worst(double worst, double error) {
  return std::isnan(worst) || error <= worst ? worst : error;
}

// The largest |got - want|; equal infinities agree.
template <class Got, class Want>
double LargestError(const Got& got, const Want& want) {
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto g = static_cast<double>(got[i]), w = static_cast<double>(want[i]);
    worst = Worst(worst, g == w ? 0 : std::fabs(g - w));
  }
  return worst;
}

// |got - want|_2 / |want|_2.
template <class Got, class Want>
double NormError(const Got& got, const Want& want) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double w = static_cast<double>(want[i]), d = static_cast<double>(got[i]) - w;
    difference += d * d;
    size += w * w;
  }
  return difference == 0 ? 0 : std::sqrt(difference / size);
}

// A plain generator for test inputs: the tests must not depend on the library's own.
class TestNumbers {
 public:
  explicit TestNumbers(std::uint64_t seed) : state_(seed) {}

  // Uniform in [-1, 1).
  float Uniform() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31f;
  }
  // Close to N(0, 1).
  float Normal() {
    float sum = 0;
    for (int i = 0; i < 12; ++i) sum += Uniform();
    return 0.5f * sum;
  }
  std::vector<float> Normals(std::size_t count, float deviation = 1) {
    std::vector<float> v(count);
    for (float& x : v) x = deviation * Normal();
    return v;
  }

 private:
  std::uint64_t state_;
};

}  // namespace sqrtdk::test
