// The table against the exact values it interpolates.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cpp/numbers.h"
#include "theory/softmax_table.h"

namespace sqrtdk::theory {
namespace {

using test::RelativeError;

// The largest relative error, that of sum_cubes over the hundred times by which it may be larger.
double LargestError(const ExpectedSoftmax& a, const ExpectedSoftmax& b) {
  return std::max({RelativeError(a.log_partition, b.log_partition), RelativeError(a.entropy, b.entropy),
                   RelativeError(a.sum_squares, b.sum_squares),
                   RelativeError(a.sum_cubes, b.sum_cubes) / 100.0,
                   RelativeError(a.maximum_probability, b.maximum_probability),
                   RelativeError(a.jacobian_trace, b.jacobian_trace),
                   RelativeError(a.jacobian_frobenius_squared, b.jacobian_frobenius_squared)});
}

TEST_CASE("theory/softmax_table: any deviation, on and between the panels' edges") {
  for (const int keys : {2, 3, 8, 64, 512, 4096, 65536}) {
    SoftmaxTable table(keys);
    double worst = 0.0, at = 0.0;
    const auto check = [&](double score_std) {
      const double off = LargestError(table.Of(score_std), ExpectedSoftmaxOf(keys, score_std));
      if (!(off <= worst)) {
        worst = off;
        at = score_std;
      }
    };
    for (double score_std = 1e-4; score_std < 1000.0; score_std *= 1.29) check(score_std);
    for (const double score_std : {1e-12, 0.25, 0.4999, 0.5, 0.5001, 1.0, 22.627417, 999.999, 1000.0})
      check(score_std);
    CAPTURE(keys);
    CAPTURE(at);
    CHECK(worst < 1e-11);
  }
}

TEST_CASE("theory/softmax_table: rows are those of ExpectedSoftmaxOfRow") {
  for (const int keys : {2, 64, 4096, 65536}) {
    SoftmaxTable table(keys);
    for (const int dimension : {1, 2, 16, 24, 64, 512, 4096}) {
      for (const double scale : {1.0, -1.0, 1.0 / std::sqrt(dimension), 1.0 / dimension}) {
        CAPTURE(keys);
        CAPTURE(dimension);
        CAPTURE(scale);
        CHECK(LargestError(table.OfRow(dimension, scale), ExpectedSoftmaxOfRow(keys, dimension, scale)) <
              1e-11);
      }
    }
  }
}

TEST_CASE("theory/softmax_table: exact and invalid rows are handed on") {
  SoftmaxTable table(8), one(1), none(0), many(kMaximumRowKeys + 1);
  CHECK(table.Of(0.0).sum_squares == 0.125);
  CHECK(table.OfRow(64, 0.0).sum_squares == 0.125);
  CHECK(one.Of(3.0).maximum_probability == 1.0);
  CHECK(one.OfRow(64, 1.0).entropy == 0.0);
  for (const double bad : {-1.0, 1001.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(std::isnan(table.Of(bad).entropy));
    CHECK(std::isnan(none.Of(bad).entropy));
  }
  CHECK(std::isnan(none.Of(1.0).entropy));
  CHECK(std::isnan(many.Of(1.0).entropy));
  CHECK(std::isnan(many.OfRow(64, 1.0).entropy));
  CHECK(std::isnan(table.OfRow(0, 1.0).entropy));
  CHECK(std::isnan(table.OfRow(64, 13.0).entropy));
}

}  // namespace
}  // namespace sqrtdk::theory
