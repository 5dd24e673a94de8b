// E |J z|^2, how the weights answer to a wider spread of scores: against other ways to the same number.
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include "cpp/numbers.h"
#include "theory/expected_softmax.h"

namespace sqrtdk::theory {
namespace {

using test::RelativeError;

// Two keys: p_1 = -dp_2/dD and J z = p (1 - p) D (1, -1), D = z_1 - z_2 ~ N(0, 2); one smooth integral.
double TwoKeys(double sigma) {
  double sum = 0.0, mass = 0.0;
  const double step = 0.02 / std::fmax(1.0, sigma);
  for (double x = -9.0; x <= 9.0; x += step) {
    const double difference = std::sqrt(2.0) * x;
    const double slope = 0.25 / std::pow(std::cosh(0.5 * sigma * difference), 2.0);
    const double weight = std::exp(-0.5 * x * x);
    mass += weight;
    sum += weight * 2.0 * std::pow(slope * difference, 2.0);
  }
  return sum / mass;
}

// The same integral over u with every average summed over z directly: finer steps, wider ranges, no table,
// and as variances, so that nothing cancels. That the integral is the right one is seen with two keys above
// and with three in theory_expected_softmax_test.cpp.
double Direct(int keys, double sigma) {
  const double n = keys;
  const double z_step = std::fmin(0.05, 0.06 / sigma), u_step = std::fmin(0.1, 0.05 * std::fmax(1.0, sigma));
  double sum = 0.0;
  for (double u = -(20.0 + std::log(n) + 9.5 * sigma); u < 5.0 + 9.0 * sigma; u += u_step) {
    double left = 0.0, g1 = 0.0, g2 = 0.0, x11 = 0.0, x21 = 0.0, x22 = 0.0, mass = 0.0;
    for (double z = -10.0; z <= 10.0; z += z_step) {
      const double t = std::exp(u + sigma * z), weight = std::exp(-0.5 * z * z);
      mass += weight;
      if (t > 740.0) continue;
      const double first = weight * t * std::exp(-t), second = first * t;
      left += weight * std::exp(-t);
      g1 += first, g2 += second, x11 += z * first, x21 += z * second, x22 += z * z * second;
    }
    left /= mass, g1 /= mass, g2 /= mass, x11 /= mass, x21 /= mass, x22 /= mass;
    if (left <= 0.0) break;
    if (g1 <= 0.0 || g2 <= 0.0) continue;
    const double mean1 = x11 / g1, mean2 = x21 / g2, variance2 = x22 / g2 - mean2 * mean2;
    const double pairs = n * (n - 1.0) * std::pow(left, n - 2.0) * g2 * g2 * variance2 / 3.0;
    const double shift = mean1 - mean2;
    const double triples = n < 3.0 ? 0.0
                                   : n * (n - 1.0) * (n - 2.0) * std::pow(left, n - 3.0) * g2 * g1 * g1 *
                                         (variance2 + shift * shift) / 6.0;
    sum += pairs + triples;
  }
  return sum * u_step;
}

TEST_CASE("theory/spread_response: two keys agree with the integral over their difference") {
  for (const double sigma : {1e-6, 0.1, 0.34, 0.36, 1.0, 3.0, 8.0, 22.6, 64.0}) {
    CAPTURE(sigma);
    CHECK(RelativeError(ExpectedSoftmaxOf(2, sigma).spread_response_squared, TwoKeys(sigma)) < 1e-11);
  }
}

TEST_CASE("theory/spread_response: many keys agree with the double sum over its definition") {
  for (const int keys : {2, 3, 8, 64, 1000, 65536}) {
    for (const double sigma : {0.01, 0.3, 1.0, 4.0, 22.6, 80.0}) {
      CAPTURE(keys);
      CAPTURE(sigma);
      CHECK(RelativeError(ExpectedSoftmaxOf(keys, sigma).spread_response_squared, Direct(keys, sigma)) <
            1e-9);
    }
  }
}

TEST_CASE("theory/spread_response: right where scores are near equal, and in the frozen phase") {
  for (const int keys : {2, 64, 4096}) {
    const ExpectedSoftmax flat = ExpectedSoftmaxOf(keys, 1e-4);
    CHECK(RelativeError(flat.spread_response_squared, (keys - 1.0) / keys / keys) < 1e-6);
    // In the frozen phase a row answers only where two scores lie within 1 of each other, a share of 1/sigma
    // of all rows, and these by z differing by 1/sigma: sigma^-3 in all.
    const double at = ExpectedSoftmaxOf(keys, 200.0).spread_response_squared;
    const double twice = ExpectedSoftmaxOf(keys, 400.0).spread_response_squared;
    CHECK(std::fabs(at / twice - 8.0) < 0.5);
  }
}

TEST_CASE("theory/query_gradient: of one-dimensional keys only the part along the query is left") {
  const ExpectedSoftmax row = ExpectedSoftmaxOfRow(8, 1, 2.0);
  CHECK(QueryGradientSquared(row, 1, 2.0, 5) == 20.0 * row.spread_response_squared);
  CHECK(QueryGradientSquared(ExpectedSoftmaxOfRow(1, 64, 0.125), 64, 0.125, 64) == 0.0);
}

}  // namespace
}  // namespace sqrtdk::theory
