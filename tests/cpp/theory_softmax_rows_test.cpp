// Expected rows against quadruple precision, and the identities that tie the expectations together.
#include <doctest/doctest.h>

#include <cmath>

#include "cpp/numbers.h"
#include "cpp/softmax_rows.h"
#include "theory/expected_softmax.h"
#include "theory/softmax_table.h"

namespace sqrtdk::theory {
namespace {

using test::RelativeError;

TEST_CASE("theory/expected_softmax: rows of 2 to 65536 keys agree with quadruple precision") {
  for (const test::SoftmaxRow& row : test::kSoftmaxRows) {
    CAPTURE(row.keys);
    CAPTURE(row.score_std);
    const ExpectedSoftmax got = ExpectedSoftmaxOf(row.keys, row.score_std);
    CHECK(RelativeError(got.maximum_probability, row.maximum_probability) < 1e-12);
    CHECK(RelativeError(got.log_partition, row.log_partition) < 1e-12);
    CHECK(RelativeError(got.entropy, row.entropy) < 1e-12);
    CHECK(RelativeError(got.sum_squares, row.sum_squares) < 1e-12);
    CHECK(RelativeError(got.sum_cubes, row.sum_cubes) < 1.5e-11);
    CHECK(RelativeError(got.jacobian_trace, row.jacobian_trace) < 1e-12);
    CHECK(RelativeError(got.jacobian_frobenius_squared, row.jacobian_frobenius_squared) < 1e-12);
  }
  for (const test::MaximumProbabilityRow& row : test::kMaximumProbabilityRows) {
    CAPTURE(row.keys);
    CHECK(RelativeError(ExpectedSoftmaxOf(row.keys, row.score_std).maximum_probability,
                        row.maximum_probability) < 1e-12);
  }
}

TEST_CASE("theory/softmax_table: the table is as good, near enough") {
  for (const int keys : {2, 64, 65536}) {
    SoftmaxTable table(keys);
    for (const test::SoftmaxRow& row : test::kSoftmaxRows) {
      if (row.keys != keys) continue;
      CAPTURE(row.keys);
      CAPTURE(row.score_std);
      const ExpectedSoftmax got = table.Of(row.score_std);
      CHECK(RelativeError(got.maximum_probability, row.maximum_probability) < 1e-11);
      CHECK(RelativeError(got.entropy, row.entropy) < 1e-11);
      CHECK(RelativeError(got.sum_squares, row.sum_squares) < 1e-11);
      CHECK(RelativeError(got.jacobian_trace, row.jacobian_trace) < 1e-11);
      CHECK(RelativeError(got.jacobian_frobenius_squared, row.jacobian_frobenius_squared) < 1e-11);
    }
  }
}

// E ln Z by its own integral, int (exp(-e^u) - L(u)^n) du, against the two others it is the sum of in the
// library.
TEST_CASE("theory/expected_softmax: E H = E ln Z - sigma^2 E tr J, the three from separate integrals") {
  for (const int n : {2, 3, 17, 256, 4096}) {
    for (const double sigma : {0.25, 1.0, 3.0, 8.0}) {
      CAPTURE(n);
      CAPTURE(sigma);
      const double step = 0.0625, h = std::fmin(0.25, 0.125 / sigma);
      double log_partition = 0.0;
      for (double u = -(36.0 + std::log(n) + 9.0 * sigma); u < 4.0 + 10.0 * sigma; u += step) {
        double missing = 0.0;  // 1 - L(u)
        for (int i = static_cast<int>(-9.4 / h); h * i < 9.4; ++i) {
          const double z = h * i, w = u + sigma * z;
          missing -= h * std::exp(-0.5 * z * z) / 2.5066282746310002 * std::expm1(-std::exp(w));
        }
        const double other = (n * std::log1p(-std::fmin(missing, 1.0)));
        // exp(-e^u) - L^n, without cancellation where both are near 1.
        log_partition += step * (std::expm1(-std::exp(u)) - std::expm1(other));
      }
      const ExpectedSoftmax e = ExpectedSoftmaxOf(n, sigma);
      CHECK(RelativeError(e.entropy, log_partition - sigma * sigma * e.jacobian_trace) <
            1e-10 * std::fmax(1.0, log_partition / e.entropy));
    }
  }
}

}  // namespace
}  // namespace sqrtdk::theory
