// The laws that components follow: distribution, moments and tails against exact values, and independence of
// what one generator and neighbouring ones give.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <vector>

#include "random/components.h"
#include "random/normals.h"
#include "stats/moments.h"

namespace sqrtdk {
namespace {

// An even number of steps of 4 values each.
std::vector<float> Draw(ComponentLaw law, double nu, std::uint64_t seed, std::size_t count) {
  std::vector<float> values(count);
  Stream stream = OpenStream(seed, 7, 0);
  WithLaw(law, nu, [&](const auto& drawn) {
    for (std::size_t i = 0; i + 2 * kLanes <= count; i += 2 * kLanes) {
      const Pair pair = drawn.Draw(stream);
      Store(pair.first, &values[i]);
      Store(pair.second, &values[i + kLanes]);
    }
  });
  return values;
}

double NormalCdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

// The largest distance between the empirical distribution of sorted values and the law's, times sqrt(n):
// above 1.95 once in a thousand (Kolmogorov's limit law).
template <class Cdf>
double KolmogorovSmirnov(const std::vector<float>& sorted, Cdf cdf) {
  const double n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double p = cdf(static_cast<double>(sorted[i]));
    distance = std::fmax(distance, std::fmax(std::fabs(p - static_cast<double>(i) / n),
                                             std::fabs(p - static_cast<double>(i + 1) / n)));
  }
  return distance * std::sqrt(n);
}

std::vector<float> Sorted(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// P(X <= x) of Student's law with variance 1, for arguments that only grow: with x = sqrt(nu - 2) tan(angle)
// the density is cos(angle)^(nu-1) / B(1/2, nu/2), which Simpson's rule adds up from point to point.
class StudentCdf {
 public:
  explicit StudentCdf(double nu)
      : nu_(nu),
        factor_(std::exp(std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2)) / std::sqrt(std::numbers::pi)) {}
  double operator()(double x) {
    const double angle = std::atan(x / std::sqrt(nu_ - 2));
    const double step = (angle - angle_) / kSteps;
    for (int i = 0; i < kSteps; ++i, angle_ += step) {
      sum_ += step / 6 * (Density(angle_) + 4 * Density(angle_ + step / 2) + Density(angle_ + step));
    }
    angle_ = angle;
    return factor_ * sum_;
  }

 private:
  static constexpr int kSteps = 16;
  double Density(double angle) const { return std::pow(std::fmax(0.0, std::cos(angle)), nu_ - 1); }
  double nu_, factor_, angle_ = -std::numbers::pi / 2, sum_ = 0;
};

TEST_CASE("StudentCdf is the closed form at 3 degrees of freedom") {
  StudentCdf cdf(3);
  for (double x : {-30.0, -2.0, 0.0, 0.5, 4.0}) {
    const double want = 0.5 + (x / (1 + x * x) + std::atan(x)) / std::numbers::pi;  // x = t / sqrt(3)
    CHECK(cdf(x) == doctest::Approx(want).epsilon(1e-7));
  }
}

TEST_CASE("every continuous law passes a Kolmogorov-Smirnov test") {
  constexpr std::size_t kCount = 200000;
  for (std::uint64_t seed : {1ull, 2ull, 3ull}) {
    CAPTURE(seed);
    std::vector<float> values(kCount);
    FillNormal(values, seed, 0);
    CHECK(KolmogorovSmirnov(Sorted(values), NormalCdf) < 1.95);
    CHECK(KolmogorovSmirnov(Sorted(Draw(ComponentLaw::kNormal, 0, seed, kCount)), NormalCdf) < 1.95);
    CHECK(KolmogorovSmirnov(Sorted(Draw(ComponentLaw::kUniform, 0, seed, kCount)),
                            [](double x) { return (x / std::numbers::sqrt3 + 1) / 2; }) < 1.95);
    CHECK(KolmogorovSmirnov(Sorted(Draw(ComponentLaw::kLaplace, 0, seed, kCount)), [](double x) {
            const double tail = 0.5 * std::exp(-std::numbers::sqrt2 * std::fabs(x));
            return x < 0 ? tail : 1 - tail;
          }) < 1.95);
    for (double nu : {2.01, 2.5, 3.0, 4.0, 5.0, 10.0, 77.7}) {
      CAPTURE(nu);
      CHECK(KolmogorovSmirnov(Sorted(Draw(ComponentLaw::kStudentT, nu, seed, kCount)), StudentCdf(nu)) <
            1.95);
    }
    CHECK(KolmogorovSmirnov(Sorted(Draw(ComponentLaw::kStudentT, 1e6, seed, kCount)), NormalCdf) < 1.95);
  }
}

TEST_CASE("every component law has mean 0, variance 1 and its own kurtosis") {
  constexpr std::size_t kCount = 400000;
  const double kurtosis[kComponentLaws] = {0, -1.2, -2, 3, 1};
  for (int law = 0; law < kComponentLaws; ++law) {
    const std::vector<float> values = Draw(static_cast<ComponentLaw>(law), 10, 11, kCount);
    const Moments m = MomentsOf(std::span<const float>(values));
    CAPTURE(law);
    CHECK(std::fabs(m.mean) < 5 * MeanStandardError(m));
    // Rademacher has no spread of the spread: its variance is exactly n / (n - 1) (1 - mean^2).
    CHECK(std::fabs(Variance(m) - 1) < 5 * VarianceStandardError(m) + 30.0 / kCount);
    // The sample's own standard error of a fourth moment; mean and variance are known to be 0 and 1.
    std::vector<double> fourth(values.begin(), values.end());
    for (double& x : fourth) x *= x * x * x;
    const Moments f = MomentsOf(std::span<const double>(fourth));
    CHECK(std::fabs(f.mean - 3 - kurtosis[law]) < 5 * MeanStandardError(f) + 1e-12);
  }
}

TEST_CASE(
    "Student's law has variance 1 down to 4 degrees of freedom, to the standard error of its fourth moment") {
  constexpr std::size_t kCount = 400000;
  for (double nu : {4.5, 5.0, 7.0, 30.0, 1e6}) {
    const std::vector<float> values = Draw(ComponentLaw::kStudentT, nu, 5, kCount);
    const Moments m = MomentsOf(std::span<const float>(values));
    CAPTURE(nu);
    CHECK(std::fabs(Variance(m) - 1) < 5 * std::sqrt((2 + 6 / (nu - 4)) / kCount));
  }
}

// How many of n values are expected beyond a point, and how many are there: a Poisson number, within 5
// standard deviations.
bool CountsAgree(double counted, double expected) {
  return std::fabs(counted - expected) < 5 * std::sqrt(expected) + 5;
}

TEST_CASE("a product of normals in closed form is that of the pair from the same words") {
  Stream pairs = OpenStream(3, 7, 0), products = pairs;
  double worst = 0;
  for (int step = 0; step < 200000; ++step) {
    const Pair pair = Normal{}.Draw(pairs);
    const F32x4 product = Normal{}.DrawProduct(products);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double first = pair.first[lane], second = pair.second[lane];
      // The smaller factor comes with an error of 2^-23 of the radius, whose square is what the product
      // scales.
      const double size = first * first + second * second;
      worst = std::fmax(worst, std::fabs(product[lane] - first * second) / size);
    }
  }
  CHECK(worst < 0x1p-22);
  CHECK(worst > 0);
  // Both have taken the same words.
  CHECK(Normal{}.DrawProduct(pairs)[0] == Normal{}.DrawProduct(products)[0]);
}

TEST_CASE("tails hold as many values as they should") {
  constexpr std::size_t kCount = 8000000;
  const auto beyond = [](const std::vector<float>& values, double x) {
    return static_cast<double>(std::count_if(values.begin(), values.end(),
                                             [x](float v) { return std::fabs(static_cast<double>(v)) > x; }));
  };
  std::vector<float> values(kCount);
  FillNormal(values, 4, 0);
  for (double x : {2.0, 3.0, 4.0, 4.5, 5.0}) {
    CAPTURE(x);
    CHECK(CountsAgree(beyond(values, x), kCount * std::erfc(x / std::numbers::sqrt2)));
  }
  values = Draw(ComponentLaw::kStudentT, 3, 4, kCount);
  for (double x : {2.0, 10.0, 30.0, 100.0}) {
    CAPTURE(x);
    // As in the closed form above; 1/pi times atan(1/x) - x / (1 + x^2), without cancellation for large x.
    const double tail =
        x < 20 ? std::atan(1 / x) - x / (1 + x * x) : 2 / (3 * x * x * x) - 4 / (5 * std::pow(x, 5));
    CHECK(CountsAgree(beyond(values, x), kCount * 2 / std::numbers::pi * tail));
  }
}

TEST_CASE("the normal generator's exact tail, over all of its radii, is the normal law's out to 5") {
  // P(Z > x) is the mean over the radii r > x of acos(x / r) / pi; the largest radii belong to the smallest
  // words.
  for (double x : {3.0, 3.5, 4.0, 4.5, 5.0}) {
    double tail = 0;
    for (std::uint32_t k = 0; k < (1u << 24); ++k) {
      const double r = static_cast<double>(Sqrt(Splat(-2.0f) * LogOfUnit(Splat(k << 8)))[0]);
      if (r <= x) break;
      tail += std::acos(x / r) / std::numbers::pi * 0x1p-24;
    }
    CAPTURE(x);
    // The step of 2^-24 shows where few radii are left: 62 beyond 5.
    CHECK(tail == doctest::Approx(0.5 * std::erfc(x / std::numbers::sqrt2)).epsilon(0.003));
  }
}

TEST_CASE("values of one stream are uncorrelated at every short lag, and so are their squares") {
  constexpr std::size_t kCount = 1000000;
  for (int law = 0; law < kComponentLaws; ++law) {
    std::vector<float> values = Draw(static_cast<ComponentLaw>(law), 30, 21, kCount + 64);
    if (law == 0) FillNormal(values, 21, 0);
    for (int power : {1, 2}) {
      if (power == 2)
        for (float& v : values) v = v * v - 1;
      const Moments m = MomentsOf(std::span<const float>(values));
      if (m.m2 < 1e-6) continue;  // squares of Rademacher components
      for (std::size_t lag : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 16u, 32u, 64u}) {
        double product = 0;
        for (std::size_t i = 0; i < kCount; ++i)
          product += static_cast<double>(values[i]) * static_cast<double>(values[i + lag]);
        CAPTURE(law);
        CAPTURE(power);
        CAPTURE(lag);
        CHECK(std::fabs(product / kCount) < 5 * Variance(m) / std::sqrt(static_cast<double>(kCount)));
      }
    }
  }
}

}  // namespace
}  // namespace sqrtdk
