// Expectations over random rows: tables, two keys, a brute-force sum, and identities no quadrature knows
// about.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpp/numbers.h"
#include "theory/expected_softmax.h"
#include "theory/random_energy.h"
#include "vectors.h"

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using test::RelativeError;

TEST_CASE(
    "theory/expected_softmax: rows of independent scores agree with the extended-precision quadratures") {
  for (const auto& row : test::EnsembleCases()) {
    CAPTURE(row.keys);
    CAPTURE(row.score_std);
    const ExpectedSoftmax got = ExpectedSoftmaxOf(row.keys, row.score_std);
    CHECK(RelativeError(got.log_partition, row.log_partition) < 1e-12);
    CHECK(RelativeError(got.entropy, row.entropy) < 1e-12);
    CHECK(RelativeError(got.sum_squares, row.sum_squares) < 1e-12);
    CHECK(RelativeError(got.sum_cubes, row.sum_cubes) <
          2e-12);  // the table's own error is 1.6e-12 at n = 512
    CHECK(RelativeError(got.jacobian_trace, row.jacobian_trace) < 1e-12);
    CHECK(RelativeError(got.jacobian_frobenius_squared, row.jacobian_frobenius_squared) < 1e-12);
    CHECK(std::abs(got.maximum_probability - row.maximum_probability) < 1e-9);  // the table promises no more
    // E |J|_F^2 from its definition, which cancels (E S_3 is good to 5e-14), against the sum of positive
    // terms.
    CHECK(std::abs(got.sum_squares - 2.0 * got.sum_cubes + row.sum_squares_squared -
                   got.jacobian_frobenius_squared) < 2e-13);
  }
}

TEST_CASE("theory/expected_softmax: simulated rows lie within 5 standard errors") {
  for (const auto& row : test::EnsembleCases()) {
    CAPTURE(row.keys);
    CAPTURE(row.score_std);
    const ExpectedSoftmax got = ExpectedSoftmaxOf(row.keys, row.score_std);
    const auto within = [](double value, const test::Estimate& e) {
      return std::abs(value - e.mean) < 5.0 * e.standard_error;
    };
    CHECK(within(got.entropy, row.mc_entropy));
    CHECK(within(got.sum_squares, row.mc_sum_squares));
    CHECK(within(got.jacobian_trace, row.mc_jacobian_trace));
    CHECK(within(got.maximum_probability, row.mc_maximum_probability));
  }
}

TEST_CASE("theory/expected_softmax: 320 points of the exact curves, to the printed digits") {
  for (const auto& curve : test::ExactCurves()) {
    CAPTURE(curve.keys);
    for (std::size_t i = 0; i < curve.score_std.size(); ++i) {
      CAPTURE(curve.score_std[i]);
      const ExpectedSoftmax got = ExpectedSoftmaxOf(curve.keys, curve.score_std[i]);
      CHECK(RelativeError(got.log_partition, curve.log_partition[i]) < 1e-11);
      CHECK(RelativeError(got.entropy, curve.entropy[i]) < 6e-11);  // 11 digits
      CHECK(RelativeError(got.sum_squares, curve.sum_squares[i]) < 1e-11);
      CHECK(RelativeError(got.jacobian_frobenius_squared, curve.jacobian_frobenius_squared[i]) < 1e-11);
      CHECK(std::abs(got.maximum_probability - curve.maximum_probability[i]) < 1e-8);  // "good to 1e-8"
    }
  }
}

TEST_CASE("theory/expected_softmax: two keys agree with the one-dimensional integrals") {
  for (const double sigma : {1e-6, 1e-3, 0.1, 0.349, 0.351, 1.0, 2.0, 7.0, 22.6, 64.0, 100.0, 1000.0}) {
    CAPTURE(sigma);
    const ExpectedSoftmax got = ExpectedSoftmaxOf(2, sigma);
    const TwoKeyRow want = TwoKeys(sigma * std::sqrt(2.0));
    CHECK(RelativeError(got.jacobian_trace, 2.0 * want.expected_product) < 1e-13);
    CHECK(RelativeError(got.entropy, want.expected_entropy) < 1e-13);
    CHECK(RelativeError(got.maximum_probability, want.expected_maximum_probability) < 1e-13);
  }
}

// Three scores on a lattice of step sigma/2, where the trapezoid rule is exact to 1e-13 for these smooth
// functions.
TEST_CASE("theory/expected_softmax: three keys agree with a brute-force sum over all score triples") {
  for (const double sigma : {0.2, 0.5, 1.0}) {
    const double h = 0.4;
    double mass = 0.0, partition = 0.0, entropy = 0.0, squares = 0.0, cubes = 0.0, frobenius = 0.0,
           response = 0.0;
    for (int i = -20; i <= 20; ++i) {
      for (int j = -20; j <= 20; ++j) {
        for (int k = -20; k <= 20; ++k) {
          const double weight = std::exp(-0.5 * h * h * (i * i + j * j + k * k));
          const double a = std::exp(sigma * h * i), b = std::exp(sigma * h * j), c = std::exp(sigma * h * k);
          const double z = a + b + c;
          const double s2 = (a * a + b * b + c * c) / (z * z),
                       s3 = (a * a * a + b * b * b + c * c * c) / (z * z * z);
          mass += weight;
          partition += weight * std::log(z);
          entropy += weight * (std::log(z) - sigma * h * (a * i + b * j + c * k) / z);
          squares += weight * s2;
          cubes += weight * s3;
          frobenius += weight * (s2 - 2.0 * s3 + s2 * s2);
          const double mean = (a * i + b * j + c * k) / z;
          response += weight * h * h *
                      (a * a * (i - mean) * (i - mean) + b * b * (j - mean) * (j - mean) +
                       c * c * (k - mean) * (k - mean)) /
                      (z * z);
        }
      }
    }
    CAPTURE(sigma);
    const ExpectedSoftmax got = ExpectedSoftmaxOf(3, sigma);
    CHECK(RelativeError(got.log_partition, partition / mass) < 1e-12);
    CHECK(RelativeError(got.entropy, entropy / mass) < 1e-12);
    CHECK(RelativeError(got.sum_squares, squares / mass) < 1e-12);
    CHECK(RelativeError(got.sum_cubes, cubes / mass) < 1e-12);
    CHECK(RelativeError(got.jacobian_frobenius_squared, frobenius / mass) < 1e-12);
    CHECK(RelativeError(got.spread_response_squared, response / mass) < 1e-12);
  }
}

TEST_CASE("theory/expected_softmax: E tr J + E sum p^2 = 1, though computed apart") {
  for (const int n : {2, 3, 5, 17, 64, 1000, 4095, 4096}) {
    for (const double sigma : {1e-9, 0.01, 0.3, 0.35, 0.5, 1.0, 2.5, 6.0, 15.0, 40.0, 100.0, 1000.0}) {
      CAPTURE(n);
      CAPTURE(sigma);
      const ExpectedSoftmax e = ExpectedSoftmaxOf(n, sigma);
      CHECK(std::abs(e.sum_squares + e.jacobian_trace - 1.0) < 1e-12);
    }
  }
}

// Gaussian integration by parts: d E ln Z / d sigma = sigma E tr J.
TEST_CASE("theory/expected_softmax: the log partition grows at the rate sigma E tr J") {
  for (const int n : {2, 3, 8, 64, 511, 4096}) {
    for (const double sigma : {0.1, 0.345, 1.0, 3.0, 8.0, 22.6, 64.0}) {
      CAPTURE(n);
      CAPTURE(sigma);
      const double h = 0.01 * sigma;
      const auto at = [&](double k) { return ExpectedSoftmaxOf(n, sigma + k * h).log_partition; };
      const double slope = (45.0 * (at(1) - at(-1)) - 9.0 * (at(2) - at(-2)) + at(3) - at(-3)) / (60.0 * h);
      // Differences of the sixth order: the step leaves 1e-11, rounding of ln Z over the step 5e-11.
      CHECK(RelativeError(slope, sigma * ExpectedSoftmaxOf(n, sigma).jacobian_trace) < 1e-10);
    }
  }
}

TEST_CASE("theory/expected_softmax: small deviations follow the series about uniform weights") {
  for (const int n : {2, 7, 64, 4096}) {
    CAPTURE(n);
    const double sigma = 1e-3, s2 = sigma * sigma;
    const ExpectedSoftmax e = ExpectedSoftmaxOf(n, sigma);
    // To second order p = 1/n (1 + s - mean s): E sum p^2 = 1/n (1 + sigma^2 (1 - 1/n)), E H = ln n -
    // sigma^2/2 (1 - 1/n).
    CHECK(RelativeError(e.sum_squares, (1.0 + s2 * (1.0 - 1.0 / n)) / n) < 1e-11);
    CHECK(RelativeError(e.entropy, std::log(n) - 0.5 * s2 * (1.0 - 1.0 / n)) < 1e-11);
    CHECK(RelativeError(e.maximum_probability, (1.0 + sigma * ExpectedMaximum(n)) / n) < 1e-5);
  }
}

TEST_CASE("theory/expected_softmax: nothing jumps where the quadrature changes") {
  const double before = std::nextafter(0.35, 0.0);
  for (const int n : {2, 9, 64, 4096}) {
    const ExpectedSoftmax a = ExpectedSoftmaxOf(n, before), b = ExpectedSoftmaxOf(n, 0.35);
    CHECK(RelativeError(a.entropy, b.entropy) < 1e-13);
    CHECK(RelativeError(a.sum_squares, b.sum_squares) < 1e-13);
    CHECK(RelativeError(a.sum_cubes, b.sum_cubes) < 1e-12);
    // Of fourth order in the weights, whose faster variation the steps of 1/4 resolve less well.
    CHECK(RelativeError(a.jacobian_frobenius_squared, b.jacobian_frobenius_squared) < 1e-12);
    CHECK(RelativeError(a.spread_response_squared, b.spread_response_squared) < 1e-11);
  }
}

TEST_CASE("theory/expected_softmax: weights sharpen as deviations grow") {
  for (const int n : {2, 3, 64, 4096}) {
    ExpectedSoftmax last = ExpectedSoftmaxOf(n, 0.0);
    for (double sigma = 0.05; sigma < 1000.0; sigma *= 1.17) {
      CAPTURE(n);
      CAPTURE(sigma);
      const ExpectedSoftmax e = ExpectedSoftmaxOf(n, sigma);
      CHECK(e.sum_squares > last.sum_squares);
      CHECK(e.maximum_probability > last.maximum_probability);
      CHECK(e.entropy < last.entropy);
      CHECK(e.log_partition > last.log_partition);
      CHECK(e.sum_cubes < e.sum_squares);
      CHECK(e.sum_squares < e.maximum_probability);
      CHECK(e.maximum_probability < 1.0);
      last = e;
    }
  }
}

TEST_CASE("theory/expected_softmax: equal scores and a single key are exact, bad arguments are NaN") {
  for (const double sigma : {0.0, std::numeric_limits<double>::denorm_min(), 1e-310}) {
    CAPTURE(sigma);
    const ExpectedSoftmax uniform = ExpectedSoftmaxOf(8, sigma);
    CHECK(uniform.log_partition == std::log(8.0));
    CHECK(uniform.entropy == std::log(8.0));
    CHECK(uniform.sum_squares == 0.125);
    CHECK(uniform.sum_cubes == 0.015625);
    CHECK(uniform.maximum_probability == 0.125);
    CHECK(uniform.jacobian_trace == 0.875);
    CHECK(uniform.jacobian_frobenius_squared == 0.109375);
    CHECK(uniform.spread_response_squared == 0.109375);
  }
  for (const ExpectedSoftmax& e : {ExpectedSoftmaxOf(1, 5.0), ExpectedSoftmaxOfRow(1, 64, 0.125)}) {
    CHECK(e.entropy == 0.0);
    CHECK(e.log_partition == 0.0);  // the mean score
    CHECK(e.maximum_probability == 1.0);
    CHECK(e.jacobian_trace == 0.0);
    CHECK(e.spread_response_squared == 0.0);
  }
  CHECK(ExpectedSoftmaxOfRow(8, 64, 0.0).sum_squares == 0.125);
  CHECK(std::isnan(ExpectedSoftmaxOf(0, 1.0).entropy));
  CHECK(std::isnan(ExpectedSoftmaxOf(kMaximumRowKeys + 1, 1.0).entropy));
  for (const double sigma : {-1.0, kNan, 1001.0}) CHECK(std::isnan(ExpectedSoftmaxOf(8, sigma).sum_squares));
  CHECK(std::isnan(ExpectedSoftmaxOfRow(8, 0, 1.0).entropy));
  CHECK(std::isnan(ExpectedSoftmaxOfRow(8, 64, kNan).entropy));
  CHECK(std::isnan(ExpectedSoftmaxOfRow(8, 64, 13.0).entropy));
}

TEST_CASE("theory/expected_softmax: rows that share a query agree with the table") {
  for (const auto& row : test::SharedQueryCases()) {
    CAPTURE(row.keys);
    CAPTURE(row.dimension);
    CAPTURE(row.scale);
    const ExpectedSoftmax got = ExpectedSoftmaxOfRow(row.keys, row.dimension, row.scale_value);
    CHECK(RelativeError(got.sum_squares, row.sum_squares) < 1e-9);
    CHECK(RelativeError(got.entropy, row.entropy) < 1e-10);
    CHECK(RelativeError(got.jacobian_trace, row.jacobian_trace) < 1e-10);
    CHECK(RelativeError(got.jacobian_frobenius_squared, row.jacobian_frobenius_squared) < 1e-10);
    if (!std::isnan(row.mc_maximum_probability.mean)) {
      CHECK(std::abs(got.maximum_probability - row.mc_maximum_probability.mean) <
            5.0 * row.mc_maximum_probability.standard_error);
    }
  }
}

// The chi law by the trapezoid rule in ln r. A step twice as long is good to 1e-10 only, at d = 7 and 8.
ExpectedSoftmax MixedByTrapezoid(int keys, int dimension, double scale) {
  const double d = dimension;
  const double h = std::fmin(0.075, 0.3 / std::sqrt(2.0 * d));
  ExpectedSoftmax total{};
  double mass = 0.0;
  for (int i = -600; i <= 200; ++i) {
    const double r2_over_d = std::exp(2.0 * h * i);
    const double weight = std::exp(0.5 * d * (2.0 * h * i - r2_over_d + 1.0));
    if (weight < 1e-16) continue;
    mass += weight;
    total.AddWeighted(weight, ExpectedSoftmaxOf(keys, scale * std::sqrt(d * r2_over_d)));
  }
  ExpectedSoftmax mean{};
  mean.AddWeighted(1.0 / mass, total);
  return mean;
}

double LargestError(const ExpectedSoftmax& got, const ExpectedSoftmax& want) {
  return std::max({RelativeError(got.log_partition, want.log_partition),
                   RelativeError(got.entropy, want.entropy), RelativeError(got.sum_squares, want.sum_squares),
                   RelativeError(got.sum_cubes, want.sum_cubes),
                   RelativeError(got.maximum_probability, want.maximum_probability),
                   RelativeError(got.jacobian_trace, want.jacobian_trace),
                   RelativeError(got.jacobian_frobenius_squared, want.jacobian_frobenius_squared),
                   RelativeError(got.spread_response_squared, want.spread_response_squared)});
}

TEST_CASE("theory/expected_softmax: the mean over the query's length is right for short and long queries") {
  // At and below every dimension from which fewer nodes are taken.
  for (const int d : {1, 2, 3, 7, 8, 23, 24, 47, 48, 255, 256, 1023, 1024, 4096}) {
    for (const double scale : {1.0 / d, 1.0 / std::sqrt(d), 1.0}) {
      CAPTURE(d);
      CAPTURE(scale);
      CHECK(LargestError(ExpectedSoftmaxOfRow(64, d, scale), MixedByTrapezoid(64, d, scale)) < 1e-12);
    }
  }
  // A scale far above 1 on a short query: rows hardly vary with r except where r is small.
  for (const int d : {1, 2, 3}) {
    ExpectedSoftmax got = ExpectedSoftmaxOfRow(64, d, 5.0);
    const ExpectedSoftmax want = MixedByTrapezoid(64, d, 5.0);
    CHECK(RelativeError(got.spread_response_squared, want.spread_response_squared) < 1e-5);
    got.spread_response_squared = want.spread_response_squared;
    CHECK(LargestError(got, want) < 1e-6);
  }
  CHECK(ExpectedSoftmaxOfRow(64, 16, -0.25).entropy == ExpectedSoftmaxOfRow(64, 16, 0.25).entropy);
}

}  // namespace
}  // namespace sqrtdk::theory
