// The frozen row: expected maxima, two keys in closed form, and the laws for large score deviations.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "cpp/numbers.h"
#include "theory/expected_softmax.h"
#include "theory/random_energy.h"
#include "vectors.h"

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using test::RelativeError;

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
  CHECK(RelativeError(ExpectedMaximum(0x1p20), 4.87229397250090648311896875173) < 1e-14);
  CHECK(RelativeError(ExpectedMaximum(1e12), 7.112463684767471033139) < 1e-14);
  CHECK(RelativeError(ExpectedMaximum(0x1p53 - 1.0), 8.277218609078766915907) < 1e-14);
  for (const double bad : {0.0, 0x1p54, kNan}) CHECK(std::isnan(ExpectedMaximum(bad)));
}

TEST_CASE("theory/random_energy: maxima grow, but stay below sqrt(2 ln n)") {
  double previous = 0.0;
  for (double n = 2; n < 0x1p53; n = n + 1 + std::floor(n / 3)) {
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
  CHECK(FreezingStd(1) == 0.0);
  CHECK(FreezingStd(64) == std::sqrt(FreezingDimension(64)));
  CHECK(std::isnan(FreezingStd(0.5)));
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

  for (const double tau : {0.0, std::numeric_limits<double>::denorm_min(), 1e-310}) {
    CAPTURE(tau);
    const TwoKeyRow equal = TwoKeys(tau);
    CHECK(equal.expected_product == 0.25);
    CHECK(equal.median_product == 0.25);
    CHECK(equal.expected_entropy == std::numbers::ln2);
    CHECK(equal.expected_maximum_probability == 0.5);
    CHECK(equal.share_below == 0.0);
  }
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

// mpmath, 30 digits: hyp1f1 under adaptive quadrature, and digamma. At a = 1/2 the definition by a double
// integral too.
TEST_CASE("theory/random_energy: Poisson-Dirichlet weights agree with the 20-digit values") {
  struct {
    double a, maximum, entropy;
  } const rows[] = {
      {1e-12, 0.99999999999930685282, 1.6449340668494284603e-12},
      {1e-6, 0.99999930685274507863, 1.6449352689062118459e-6},
      {0.1, 0.92989529903274086717, 0.17771128504551854195},
      {0.25, 0.82125021960128753217, 0.50864521488493930902},
      {0.5, 0.62650759876717544908, 1.3862943611198906188},
      {0.75, 0.39819253175265098559, 3.6502378684747325475},
      {0.9, 0.21745384193881913252, 9.8465392755095461868},
      {0.99, 0.041139973832120084979, 99.983669792967052805},
      {0.999999, 0.000013238321806211235544, 999999.99996959940262},
  };
  for (const auto& row : rows) {
    CAPTURE(row.a);
    const FrozenRow got = PoissonDirichlet(row.a);
    CHECK(RelativeError(got.maximum_probability, row.maximum) < 1e-13);
    CHECK(RelativeError(got.entropy, row.entropy) < 1e-13);
    CHECK(got.sum_squares + got.jacobian_trace == doctest::Approx(1.0).epsilon(1e-15));
    // |J|_F^2 = S_2 - 2 S_3 + S_2^2.
    CHECK(std::abs(got.sum_squares - 2.0 * got.sum_cubes + got.squared_sum_squares -
                   got.jacobian_frobenius_squared) < 1e-15);
  }
  const FrozenRow frozen = PoissonDirichlet(0.0);
  CHECK(frozen.maximum_probability == 1.0);
  CHECK(frozen.sum_squares == 1.0);
  CHECK(frozen.entropy == 0.0);
  for (const double bad : {-0.1, 1.0, kNan}) CHECK(std::isnan(PoissonDirichlet(bad).entropy));
}

TEST_CASE("theory/random_energy: exact rows are as near to the frozen phase as stated") {
  for (const int n : {2, 8, 64, 512, 1024}) {
    double previous = 1.0;
    for (const double sigma : {8.0, 16.0, 22.6, 100.0, 1000.0}) {
      CAPTURE(n);
      CAPTURE(sigma);
      const double a = ExpectedMaximum(n) / sigma;
      const FrozenRow frozen = PoissonDirichlet(a);
      const ExpectedSoftmax exact = ExpectedSoftmaxOf(n, sigma);
      const double off = RelativeError(frozen.jacobian_trace, exact.jacobian_trace);
      CHECK(off < (sigma < 22.0 ? 0.02 : sigma < 99.0 ? 0.0023 : 1.2e-4));
      CHECK(off < previous);
      previous = off;
      CHECK(RelativeError(frozen.maximum_probability, exact.maximum_probability) < 0.01);
      CHECK(RelativeError(frozen.entropy, exact.entropy) < 0.1);
      CHECK(RelativeError(frozen.jacobian_frobenius_squared, exact.jacobian_frobenius_squared) < 0.07);
      // The leading terms in a.
      CHECK(RelativeError(exact.entropy, std::numbers::pi * std::numbers::pi / 6.0 * a) < 8.0 / sigma);
      CHECK(RelativeError(1.0 - exact.maximum_probability, std::numbers::ln2 * a) < 8.0 / sigma);
    }
  }
}

}  // namespace
}  // namespace sqrtdk::theory
