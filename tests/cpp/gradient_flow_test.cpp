#include "experiments/gradient_flow.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <vector>

#include "cpp/vectors.h"
#include "random/normals.h"
#include "stats/estimate.h"
#include "stats/moments.h"

namespace sqrtdk {
namespace {

// Runs trials [0, trials) in pieces of `piece` and returns the columns.
std::vector<double> Run(const GradientFlow& e, std::uint64_t seed, std::size_t trials, std::size_t piece) {
  std::vector<float> floats(GradientFlowScratchFloats(e));
  std::vector<double> doubles(GradientFlowScratchDoubles(e));
  std::vector<double> columns(e.scales.size() * kRowQuantities * trials);
  for (std::size_t first = 0; first < trials; first += piece) {
    RunGradientTrials(e, seed, first, std::min(piece, trials - first), floats, doubles,
                      {columns.data() + first, trials});
  }
  return columns;
}

std::span<const double> Column(const std::vector<double>& columns, std::size_t trials, std::size_t scale,
                               RowQuantity quantity) {
  return std::span(columns).subspan((scale * kRowQuantities + static_cast<std::size_t>(quantity)) * trials,
                                    trials);
}

Estimate Estimated(std::span<const double> column) {
  std::vector<double> scratch(column.size());
  return EstimateOf(column, scratch);
}

// One trial by the definitions, in double, with the full n x n Jacobian.
struct PlainTrial {
  double entropy = 0, max_p = 0, sum_squares = 0, frobenius = 0, grad_query = 0, grad_key = 0;
};
PlainTrial PlainTrialOf(const GradientFlow& e, double scale, std::uint64_t seed, std::uint64_t trial) {
  const std::size_t n = e.keys, d = e.dimension, dv = e.value_dim;
  std::vector<float> drawn((n + 1) * (d + dv));
  FillNormal(drawn, seed, 1ull << 56 | std::uint64_t{e.dimension} << 32 | trial);
  const float* q = drawn.data();
  const float* g = q + d;
  const float* k = g + dv;
  const float* v = k + n * d;
  std::vector<double> s(n), p(n), dp(n), ds(n);
  double top = -1e300, z = 0;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < d; ++i)
      s[j] += scale * static_cast<double>(q[i]) * static_cast<double>(k[j * d + i]);
    for (std::size_t i = 0; i < dv; ++i)
      dp[j] += static_cast<double>(g[i]) * static_cast<double>(v[j * dv + i]);
    top = std::fmax(top, s[j]);
  }
  for (std::size_t j = 0; j < n; ++j) z += p[j] = std::exp(s[j] - top);
  PlainTrial t;
  for (double& w : p) {
    w /= z;
    if (w > 0) t.entropy -= w * std::log(w);
    t.max_p = std::fmax(t.max_p, w);
    t.sum_squares += w * w;
  }
  double q2 = 0, ds2 = 0;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      const double jacobian = (a == b ? p[a] : 0) - p[a] * p[b];
      t.frobenius += jacobian * jacobian;
      ds[a] += jacobian * dp[b];
    }
    ds2 += ds[a] * ds[a];
  }
  for (std::size_t i = 0; i < d; ++i) {
    double grad = 0;
    for (std::size_t j = 0; j < n; ++j) grad += scale * ds[j] * static_cast<double>(k[j * d + i]);
    t.grad_query += grad * grad;
    q2 += static_cast<double>(q[i]) * static_cast<double>(q[i]);
  }
  t.frobenius = std::sqrt(t.frobenius);
  t.grad_query = std::sqrt(t.grad_query);
  t.grad_key = std::fabs(scale) * std::sqrt(q2 * ds2);
  return t;
}

TEST_CASE("a trial equals its definition, at awkward sizes") {
  const std::array<double, 2> scales{1.0, 0.125};
  for (std::uint32_t d : {1u, 2u, 17u, 64u}) {
    for (std::uint32_t n : {1u, 2u, 7u, 33u}) {
      for (std::uint32_t dv : {1u, 16u, 21u}) {
        const GradientFlow e{d, n, dv, scales};
        const std::vector<double> columns = Run(e, 5, 3, 3);
        for (std::size_t s = 0; s < 2; ++s) {
          const PlainTrial want = PlainTrialOf(e, scales[s], 5, 2);
          const auto got = [&](RowQuantity quantity) { return Column(columns, 3, s, quantity)[2]; };
          CAPTURE(d);
          CAPTURE(n);
          // Scores are float32 sums; their error, some 1e-6 of |s|, passes on to the weights.
          CHECK(got(RowQuantity::kEntropy) == doctest::Approx(want.entropy).epsilon(1e-4));
          CHECK(got(RowQuantity::kMaxProbability) == doctest::Approx(want.max_p).epsilon(1e-5));
          CHECK(got(RowQuantity::kSumSquares) == doctest::Approx(want.sum_squares).epsilon(1e-5));
          CHECK(got(RowQuantity::kJacobianTrace) == doctest::Approx(1 - want.sum_squares).epsilon(1e-4));
          CHECK(got(RowQuantity::kJacobianFrobenius) == doctest::Approx(want.frobenius).epsilon(1e-4));
          CHECK(std::fabs(got(RowQuantity::kGradQueryNorm) - want.grad_query) <=
                1e-4 * want.grad_query + 1e-5);
          CHECK(std::fabs(got(RowQuantity::kGradKeyNorm) - want.grad_key) <= 1e-4 * want.grad_key + 1e-5);
        }
      }
    }
  }
}

TEST_CASE("trials cut in pieces have the same bits") {
  const std::array<double, 2> scales{1.0, 0.25};
  const GradientFlow e{16, 9, 4, scales};
  CHECK(Run(e, 3, 25, 25) == Run(e, 3, 25, 4));
}

TEST_CASE("adding a scale leaves the others as they were") {
  const std::array<double, 1> one{0.25};
  const std::array<double, 2> two{1.0, 0.25};
  const std::vector<double> alone = Run({16, 9, 4, one}, 3, 10, 10);
  const std::vector<double> both = Run({16, 9, 4, two}, 3, 10, 10);
  CHECK(std::equal(alone.begin(), alone.end(), both.begin() + static_cast<std::ptrdiff_t>(alone.size())));
}

TEST_CASE("measured sum p^2 and entropy agree with the exact values of rows that share a query") {
  constexpr std::size_t kTrials = 4000;
  for (const test::SharedQueryCase& row : test::SharedQueryCases()) {
    const std::array<double, 1> scales{row.scale_value};
    const GradientFlow e{static_cast<std::uint32_t>(row.dimension), static_cast<std::uint32_t>(row.keys), 1,
                         scales};
    const std::vector<double> columns = Run(e, 1, kTrials, kTrials);
    const Estimate squares = Estimated(Column(columns, kTrials, 0, RowQuantity::kSumSquares));
    const Estimate entropy = Estimated(Column(columns, kTrials, 0, RowQuantity::kEntropy));
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
    const std::array<double, 1> scales{row.scale == "none"   ? 1
                                       : row.scale == "sqrt" ? 1 / std::sqrt(d)
                                                             : 1 / d};
    const std::vector<double> columns =
        Run({static_cast<std::uint32_t>(row.dimension), static_cast<std::uint32_t>(row.keys),
             static_cast<std::uint32_t>(row.value_dimension), scales},
            2, kTrials, kTrials);
    const std::span<const double> norms = Column(columns, kTrials, 0, RowQuantity::kGradQueryNorm);
    const Estimate query = Estimated(norms);
    const Estimate key = Estimated(Column(columns, kTrials, 0, RowQuantity::kGradKeyNorm));
    std::vector<double> squares;
    for (double norm : norms) squares.push_back(norm * norm);
    const Estimate square = Estimated(squares);
    CAPTURE(row.dimension);
    CAPTURE(row.scale);
    const auto agree = [](const Estimate& got, const test::Estimate& want) {
      return std::fabs(got.mean - want.mean) < 5 * std::hypot(got.standard_error, want.standard_error);
    };
    CHECK(agree(query, row.dq_norm));
    CHECK(agree(key, row.dk_norm));
    CHECK(agree(square, row.dq_norm_squared));
    // The median of a skewed law has about pi/2 times the variance of the mean, more where it is nearly 0.
    CHECK(std::fabs(query.median - row.dq_norm_median) < 10 * query.standard_error);
  }
}

TEST_CASE("unscaled rows at d_k = 512 die; scaled ones do not") {
  // n = 64: 43 % of rows have |J|_F < 1e-3 (4 standard errors of 500 trials: 9 %).
  constexpr std::size_t kTrials = 500;
  const std::array<double, 2> scales{1.0, 1 / std::sqrt(512.0)};
  const std::vector<double> columns = Run({512, 64, 1, scales}, 3, kTrials, kTrials);
  CHECK(std::fabs(Estimated(Column(columns, kTrials, 0, RowQuantity::kDead)).mean - 0.43) < 0.09);
  CHECK(Estimated(Column(columns, kTrials, 1, RowQuantity::kDead)).mean == 0);
  // 2.1 % of the unscaled weights are exactly 0 in float32.
  const Estimate zeros = Estimated(Column(columns, kTrials, 0, RowQuantity::kExactZeros));
  CHECK(std::fabs(zeros.mean - 0.021) < 5 * zeros.standard_error);
}

TEST_CASE("a single key takes all the weight and sends nothing back") {
  const std::array<double, 1> scales{1.0};
  const std::vector<double> columns = Run({8, 1, 4, scales}, 1, 5, 5);
  for (std::size_t t = 0; t < 5; ++t) {
    CHECK(Column(columns, 5, 0, RowQuantity::kMaxProbability)[t] == 1);
    CHECK(Column(columns, 5, 0, RowQuantity::kEntropy)[t] == 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kGradQueryNorm)[t] == 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kDead)[t] == 1);
  }
}

}  // namespace
}  // namespace sqrtdk
