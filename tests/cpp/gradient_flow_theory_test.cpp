// Measured against exact expectations, which share no code with the sampling, and against an independent
// simulation.
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <span>
#include <vector>

#include "cpp/gradient_flow_runs.h"
#include "cpp/vectors.h"
#include "theory/expected_softmax.h"

namespace sqrtdk {
namespace {

using test::Column;
using test::EstimateOf;
using test::Run;

TEST_CASE("measured means and root mean squares agree with the exact ones, for a grid of d_k, n and scale") {
  constexpr std::size_t kTrials = 2000;
  constexpr std::uint32_t kValueDim = 3;
  for (std::uint32_t d : {1u, 4u, 16u, 128u}) {
    for (std::uint32_t n : {2u, 8u, 50u}) {
      const ScoreRule rules[] = {{1.0}, {1 / std::sqrt(d)}, {1.0 / d}, {std::log(n) / std::sqrt(d)}};
      const std::vector<double> columns = Run({d, n, kValueDim, rules}, 11, kTrials);
      for (std::size_t r = 0; r < std::size(rules); ++r) {
        const double c = rules[r].scale;
        const int keys = static_cast<int>(n), dimension = static_cast<int>(d);
        const theory::ExpectedSoftmax exact = theory::ExpectedSoftmaxOfRow(keys, dimension, c);
        const auto got = [&](RowQuantity quantity) {
          return EstimateOf(Column(columns, kTrials, r, quantity));
        };
        CAPTURE(d);
        CAPTURE(n);
        CAPTURE(c);
        const auto mean_is = [&](RowQuantity quantity, double want) {
          const Estimate e = got(quantity);
          return std::fabs(e.mean - want) < 5 * e.standard_error + 1e-6;
        };
        const auto mean_square_is = [&](RowQuantity quantity, double want) {
          const Estimate e = got(quantity);
          // To first order in the error, 5 standard errors of the mean square.
          return std::fabs(e.rms * e.rms - want) < 5 * 2 * e.rms * e.rms_standard_error + 1e-6;
        };
        CHECK(mean_is(RowQuantity::kEntropy, exact.entropy));
        CHECK(mean_is(RowQuantity::kMaxProbability, exact.maximum_probability));
        CHECK(mean_is(RowQuantity::kSumSquares, exact.sum_squares));
        CHECK(mean_is(RowQuantity::kJacobianTrace, exact.jacobian_trace));
        CHECK(mean_square_is(RowQuantity::kJacobianFrobenius, exact.jacobian_frobenius_squared));
        // dV = p dO^T with dO independent of p.
        CHECK(mean_square_is(RowQuantity::kGradValueNorm, kValueDim * exact.sum_squares));
        CHECK(mean_square_is(RowQuantity::kGradQueryNorm,
                             theory::QueryGradientSquared(exact, dimension, c, kValueDim)));
        // dK = c dS q^T with |dS|^2 = d_v |J|_F^2 in the mean. |q|^2 under the mean makes of the chi law of
        // |q| with d degrees of freedom d times that with d + 2.
        const theory::ExpectedSoftmax wider = theory::ExpectedSoftmaxOfRow(keys, dimension + 2, c);
        CHECK(mean_square_is(RowQuantity::kGradKeyNorm,
                             c * c * kValueDim * d * wider.jacobian_frobenius_squared));
      }
    }
  }
}

TEST_CASE("measured sum p^2 and entropy agree with the exact values of rows that share a query") {
  constexpr std::size_t kTrials = 4000;
  for (const test::SharedQueryCase& row : test::SharedQueryCases()) {
    const ScoreRule rule{row.scale_value};
    const std::vector<double> columns =
        Run({static_cast<std::uint32_t>(row.dimension), static_cast<std::uint32_t>(row.keys), 1, {&rule, 1}},
            1, kTrials);
    const Estimate squares = EstimateOf(Column(columns, kTrials, 0, RowQuantity::kSumSquares));
    const Estimate entropy = EstimateOf(Column(columns, kTrials, 0, RowQuantity::kEntropy));
    CAPTURE(row.keys);
    CAPTURE(row.dimension);
    CHECK(std::fabs(squares.mean - row.sum_squares) < 5 * squares.standard_error);
    CHECK(std::fabs(entropy.mean - row.entropy) < 5 * entropy.standard_error);
  }
}

TEST_CASE("gradient norms agree with an independent simulation: mean, median and mean square") {
  constexpr std::size_t kTrials = 2000;
  for (const test::GradientCase& row : test::GradientCases()) {
    const double d = row.dimension;
    const ScoreRule rule{row.scale == "none" ? 1 : row.scale == "sqrt" ? 1 / std::sqrt(d) : 1 / d};
    const std::vector<double> columns = Run({static_cast<std::uint32_t>(row.dimension),
                                             static_cast<std::uint32_t>(row.keys),
                                             static_cast<std::uint32_t>(row.value_dimension),
                                             {&rule, 1}},
                                            2, kTrials);
    const Estimate query = EstimateOf(Column(columns, kTrials, 0, RowQuantity::kGradQueryNorm));
    const Estimate key = EstimateOf(Column(columns, kTrials, 0, RowQuantity::kGradKeyNorm));
    CAPTURE(row.dimension);
    CAPTURE(row.scale);
    const auto agree = [](double got, double error, const test::Estimate& want) {
      return std::fabs(got - want.mean) < 5 * std::hypot(error, want.standard_error);
    };
    CHECK(agree(query.mean, query.standard_error, row.dq_norm));
    CHECK(agree(key.mean, key.standard_error, row.dk_norm));
    CHECK(agree(query.rms * query.rms, 2 * query.rms * query.rms_standard_error, row.dq_norm_squared));
    // That of the simulation, of ten times as many rows, adds little.
    CHECK(std::fabs(query.median - row.dq_norm_median) < 5 * 1.2 * query.median_standard_error);
  }
}

// Where the claim "gradients vanish" is true and where it is not: unscaled the median goes to nothing, the
// mean does not and the mean square grows; scaled, all three stay.
TEST_CASE("unscaled, the typical gradient dies while its mean stays and its mean square grows") {
  struct Row {
    std::uint32_t dimension;
    double mean[2], median[2], rms[2];  // unscaled, scaled: measured elsewhere on 20000 rows
  };
  constexpr Row kRows[] = {{4, {3.45, 1.34}, {2.92, 1.18}, {4.1, 1.53}},
                           {64, {11.3, 1.41}, {6.61, 1.33}, {17.4, 1.49}},
                           {512, {13.9, 1.41}, {0.42, 1.34}, {32.2, 1.47}}};
  constexpr std::size_t kTrials = 3000;
  Estimate found[3][2];
  for (std::size_t i = 0; i < 3; ++i) {
    const Row& row = kRows[i];
    const ScoreRule rules[] = {{1.0}, {1 / std::sqrt(row.dimension)}};
    const std::vector<double> columns = Run({row.dimension, 64, 64, rules}, 1, kTrials);
    for (std::size_t r = 0; r < 2; ++r) {
      const Estimate e = EstimateOf(Column(columns, kTrials, r, RowQuantity::kGradQueryNorm));
      found[i][r] = e;
      CAPTURE(row.dimension);
      CAPTURE(r);
      // Five of our standard errors, 1.07 for the other sample's, and half of the last digit given.
      CHECK(std::fabs(e.mean - row.mean[r]) < 5 * 1.07 * e.standard_error + 0.05);
      CHECK(std::fabs(e.median - row.median[r]) < 5 * 1.07 * e.median_standard_error + 0.005);
      CHECK(std::fabs(e.rms - row.rms[r]) < 5 * 1.07 * e.rms_standard_error + 0.05);
    }
  }
  CHECK(found[2][0].median < 0.2 * found[1][0].median);
  CHECK(found[2][0].mean > found[1][0].mean);
  CHECK(found[2][0].rms > 1.5 * found[1][0].rms);
  CHECK(std::fabs(found[2][1].median / found[0][1].median - 1) < 0.25);
}

TEST_CASE("unscaled rows at d_k = 512 die; scaled ones do not") {
  // n = 64: 43 % of rows have |J|_F < 1e-3 (4 standard errors of 500 trials: 9 %).
  constexpr std::size_t kTrials = 500;
  const ScoreRule rules[] = {{1.0}, {1 / std::sqrt(512.0)}};
  const std::vector<double> columns = Run({512, 64, 1, rules}, 3, kTrials);
  CHECK(std::fabs(EstimateOf(Column(columns, kTrials, 0, RowQuantity::kDead)).mean - 0.43) < 0.09);
  CHECK(EstimateOf(Column(columns, kTrials, 1, RowQuantity::kDead)).mean == 0);
  // 2.1 % of the unscaled weights are exactly 0 in float32, and in 14 % of the rows the largest is exactly 1.
  const Estimate zeros = EstimateOf(Column(columns, kTrials, 0, RowQuantity::kExactZeros));
  CHECK(std::fabs(zeros.mean - 0.021) < 5 * zeros.standard_error);
  const Estimate ones = EstimateOf(Column(columns, kTrials, 0, RowQuantity::kPrintsOne));
  CHECK(std::fabs(ones.mean - 0.14) < 5 * ones.standard_error);
}

}  // namespace
}  // namespace sqrtdk
