// The frozen row: expected maxima, two keys in closed form, and the laws for large score deviations.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "theory/expected_softmax.h"
#include "theory/random_energy.h"
#include "vectors.h"

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double RelativeError(double got, double want) { return std::abs(got / want - 1.0); }

TEST_CASE("theory/random_energy: expected maxima agree with the table and with closed forms") {
  // m_4096 of the table is itself 1.5e-14 off the 30-digit value below.
  for (const auto& row : test::ExpectedMaximumCases()) {
    CAPTURE(row.keys);
    CHECK(RelativeError(ExpectedMaximum(row.keys), row.expected_maximum) < 2e-14);
  }
  const double pi = std::numbers::pi;
  CHECK(ExpectedMaximum(1) == 0.0);
  CHECK(RelativeError(ExpectedMaximum(2), 1.0 / std::sqrt(pi)) < 1e-14);
  CHECK(RelativeError(ExpectedMaximum(3), 1.5 / std::sqrt(pi)) < 1e-14);
  CHECK(RelativeError(ExpectedMaximum(5), 1.16296447364051961227796268855) <
        1e-14);  // mpmath, as the next two
  CHECK(RelativeError(ExpectedMaximum(4096), 3.62608217776914534516793837036) < 1e-14);
  CHECK(RelativeError(ExpectedMaximum(kMaximumKeys), 4.87229397250090648311896875173) < 1e-14);
  CHECK(std::isnan(ExpectedMaximum(0)));
  CHECK(std::isnan(ExpectedMaximum(kMaximumKeys + 1)));
}

TEST_CASE("theory/random_energy: maxima grow, but stay below sqrt(2 ln n)") {
  double previous = 0.0;
  for (int n = 2; n <= kMaximumKeys; n = n + 1 + n / 3) {
    const double m = ExpectedMaximum(n);
    CHECK(m > previous);
    CHECK(m * m < FreezingDimension(n));
    previous = m;
  }
}

TEST_CASE("theory/random_energy: the freezing dimension is 2 ln n") {
  CHECK(FreezingDimension(1) == 0.0);
  CHECK(FreezingDimension(64) == doctest::Approx(8.317766166719343).epsilon(1e-15));
  CHECK(std::isnan(FreezingDimension(0)));
  CHECK(std::isnan(FreezingDimension(kNan)));
}

TEST_CASE("theory/random_energy: two keys agree with the adaptive quadratures") {
  for (const auto& row : test::TwoKeyCases()) {
    CAPTURE(row.difference_variance);
    const TwoKeyRow got = TwoKeys(std::sqrt(row.difference_variance));
    CHECK(RelativeError(got.expected_product, row.expected_product) < 1e-14);
    CHECK(RelativeError(got.median_product, row.median_product) < 1e-14);
    CHECK(RelativeError(got.expected_entropy, row.expected_entropy) < 1e-14);
    CHECK(RelativeError(got.expected_maximum_probability, row.expected_maximum_probability) < 1e-14);
    CHECK(RelativeError(got.share_below, row.product_below_thousandth) < 1e-11);  // 12 digits are printed
  }
}

// mpmath, 30 digits.
TEST_CASE("theory/random_energy: two keys at the ends of the range") {
  const TwoKeyRow narrow = TwoKeys(1e-3);
  CHECK(RelativeError(narrow.expected_product, 0.249999937500031249977864603516) < 1e-14);
  CHECK(RelativeError(narrow.expected_entropy, 0.69314705555999218439119047416) < 1e-14);
  CHECK(RelativeError(narrow.expected_maximum_probability, 0.500199471106955539603585189424) < 1e-14);
  const TwoKeyRow wide = TwoKeys(1e4);
  CHECK(RelativeError(wide.expected_product, 0.0000398942273839095427242454673266) < 1e-14);
  CHECK(RelativeError(wide.expected_entropy, 0.00013124674652519547982927272519) < 1e-14);
  CHECK(RelativeError(wide.expected_maximum_probability, 0.999944694857346045322446395866) < 1e-14);

  const TwoKeyRow equal = TwoKeys(0.0);
  CHECK(equal.expected_product == 0.25);
  CHECK(equal.median_product == 0.25);
  CHECK(equal.expected_entropy == std::numbers::ln2);
  CHECK(equal.expected_maximum_probability == 0.5);
  CHECK(equal.share_below == 0.0);
  for (const double bad : {-1.0, kNan, 2e6}) CHECK(std::isnan(TwoKeys(bad).expected_product));
  for (const double bad : {-1e-3, 0.0, 0.26, kNan}) CHECK(std::isnan(TwoKeys(1.0, bad).share_below));
}

TEST_CASE("theory/random_energy: the share below a threshold is a half at the median and 1 at 1/4") {
  for (const double tau : {0.5, 2.0, 10.0, 22.6}) {
    CHECK(RelativeError(TwoKeys(tau, TwoKeys(tau).median_product).share_below, 0.5) < 1e-7);  // acosh near 1
    CHECK(TwoKeys(tau, 0.25).share_below == 1.0);
  }
}

TEST_CASE("theory/random_energy: the mean falls like 1/tau, the median exponentially") {
  for (const double tau : {100.0, 1000.0}) {
    const TwoKeyRow row = TwoKeys(tau);
    const double leading = 1.0 / (tau * std::sqrt(2.0 * std::numbers::pi));
    const double pi2 = std::numbers::pi * std::numbers::pi;
    const double series =
        leading * (1.0 - pi2 / (6.0 * tau * tau) + 7.0 * pi2 * pi2 / (120.0 * std::pow(tau, 4)));
    CHECK(RelativeError(row.expected_product, series) < 40.0 / std::pow(tau, 6) + 1e-14);
    CHECK(RelativeError(std::log(row.median_product), -0.67448975019608174 * tau) < 1e-12);
  }
}

TEST_CASE("theory/random_energy: exact rows approach the frozen law at the stated distance") {
  for (const int n : {2, 8, 64, 512}) {
    CAPTURE(n);
    double previous = 1.0;
    for (const double sigma : {8.0, 22.6, 100.0}) {
      CAPTURE(sigma);
      const FrozenRow limit = FrozenRowLimit(n, sigma);
      const ExpectedSoftmax exact = ExpectedSoftmaxOf(n, sigma);
      const double off = RelativeError(limit.jacobian_trace, exact.jacobian_trace);
      CHECK(off < (sigma < 22.0 ? 0.019 : sigma < 99.0 ? 0.0023 : 1.2e-4));
      CHECK(off < previous);
      previous = off;
      CHECK(RelativeError(limit.entropy, exact.entropy) < 8.0 / sigma);
      CHECK(RelativeError(limit.one_minus_maximum, 1.0 - exact.maximum_probability) < 8.0 / sigma);
      CHECK(RelativeError(limit.jacobian_frobenius_squared, exact.jacobian_frobenius_squared) < 8.0 / sigma);
    }
  }
  CHECK(std::isnan(FrozenRowLimit(8, 0.0).entropy));
  CHECK(std::isnan(FrozenRowLimit(0, 1.0).entropy));
}

}  // namespace
}  // namespace sqrtdk::theory
