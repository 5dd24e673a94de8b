// Softmax rows against the readable reference in long double and against right values.

#include "reference/softmax.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpp/numbers.h"
#include "cpp/softmax_calls.h"
#include "cpp/vectors.h"

namespace sqrtdk {
namespace {

using test::BackwardOf;
using test::kInf;
using test::LogSoftmaxOf;
using test::LogSumExpOf;
using test::SoftmaxOf;
using test::TestNumbers;
using test::UlpOf;
using Exact = std::vector<long double>;

Exact Widen(const std::vector<float>& v) { return Exact(v.begin(), v.end()); }

// A row of scaled scores in high precision, and the errors that softmax.h allows.
struct ExactRow {
  explicit ExactRow(const Exact& scaled) : z(scaled), p(reference::Softmax(scaled)) {
    const auto at = std::max_element(z.begin(), z.end());
    top = *at;
    for (auto other = z.begin(); other != z.end(); ++other) {
      if (other == at) continue;
      second = std::max(second, *other);
      others += std::exp(*other - top);
    }
  }

  double LogWeight(std::size_t j) const { return static_cast<double>(z[j] - top - std::log1p(others)); }
  double LogSum() const { return static_cast<double>(top + std::log1p(others)); }

  double WeightAllowance(std::size_t j) const { return std::max(4 * UlpOf(static_cast<double>(p[j])), 1e-7); }
  double LogWeightAllowance(std::size_t j) const {
    return 3 * UlpOf(std::max(std::fabs(static_cast<double>(z[j] - top)), std::fabs(LogWeight(j)))) +
           GapAllowance();
  }
  double LogSumAllowance() const {
    return 2 * UlpOf(std::max(std::fabs(static_cast<double>(top)), std::fabs(LogSum()))) + GapAllowance();
  }
  double GapAllowance() const {
    if (others == 0) return 0;
    const auto gap = static_cast<double>(top - second);
    if (gap > 87) return static_cast<double>(others);  // flushed
    return static_cast<double>(others / (1 + others)) * gap * 0x1p-22;
  }

  Exact z, p;
  long double top = 0, second = -std::numeric_limits<long double>::infinity(), others = 0;
};

// Worst errors as a share of what is allowed.
double WeightError(const std::vector<float>& got, const ExactRow& row) {
  double worst = 0;
  for (std::size_t j = 0; j < got.size(); ++j) {
    const auto error = static_cast<double>(std::fabs(static_cast<long double>(got[j]) - row.p[j]));
    worst = test::Worst(worst, error / row.WeightAllowance(j));
  }
  return worst;
}
double LogWeightError(const std::vector<float>& got, const ExactRow& row) {
  double worst = 0;
  for (std::size_t j = 0; j < got.size(); ++j) {
    const double want = row.LogWeight(j), error = std::fabs(static_cast<double>(got[j]) - want);
    worst = test::Worst(worst,
                        std::isinf(want) ? (got[j] == -kInf ? 0 : 1e9) : error / row.LogWeightAllowance(j));
  }
  return worst;
}
double LogSumError(float got, const ExactRow& row) {
  return std::fabs(static_cast<double>(got) - row.LogSum()) / row.LogSumAllowance();
}

void CheckPromises(const std::vector<float>& scores, double scale) {
  const ExactRow row(reference::Scaled(Widen(scores), static_cast<long double>(scale)));
  CHECK(WeightError(SoftmaxOf(scores, scale), row) <= 1);
  CHECK(LogWeightError(LogSoftmaxOf(scores, scale), row) <= 1);
  if (std::fabs(row.LogSum()) < 3.4e38) CHECK(LogSumError(LogSumExpOf(scores, scale), row) <= 1);
}

TEST_CASE("Softmax, its logarithm and log-sum-exp keep their promise at every length and scale") {
  TestNumbers numbers(1);
  // Around the vector (4), the unrolled step (8) and the summation block (256).
  for (std::size_t n : test::Sizes{1,  2,  3,  4,  5,  6,  7,   8,   9,   10,  11,  12,   13,
                                   14, 15, 16, 17, 31, 33, 255, 256, 257, 263, 513, 1000, 20011}) {
    for (double scale : {1.0, 0.125, 8.0, -1.0, -20.0, 0.0, 1e-30, 1e-40, 1e-300, 3.7e4}) {
      const auto scores = numbers.Normals(n, 3);
      CAPTURE(n);
      CAPTURE(scale);
      CheckPromises(scores, scale);
    }
  }
}

TEST_CASE("Softmax keeps its promise over many random rows") {
  TestNumbers numbers(6);
  double worst = 0;
  for (int r = 0; r < 20000; ++r) {
    const auto n = static_cast<std::size_t>(2 + r % 83);
    const auto scores = numbers.Normals(n, 0.5f + static_cast<float>(r % 11));
    worst = std::max(worst, WeightError(SoftmaxOf(scores), ExactRow(Widen(scores))));
  }
  CHECK(worst <= 1);
}

TEST_CASE("Many small weights beside one of 1 are not swallowed by it") {
  for (std::size_t n : test::Sizes{17, 80, 513, 5000}) {
    std::vector<float> scores(n, -17.5f);  // weights of 2.5e-8, less than half the last place of 1
    scores[n / 2] = 0.0f;
    CAPTURE(n);
    CheckPromises(scores, 1);
  }
}

TEST_CASE("No finite score overflows, whatever the scale") {
  const std::vector<float> scores = {3.4e38f, -3.4e38f, 3.39e38f, 0.0f, 1.0f, -1e38f, 1e-40f};
  for (double scale : {0.25, 1e-10, 1e-38, -1e-38, 3e-39, 1e-45, 1e-60, 0.0}) {
    CAPTURE(scale);
    CheckPromises(scores, scale);
  }
  // Here logarithms of weights exceed float32, weights do not.
  for (double scale : {1.0, 2.0, 1e38, -1e38, 1e300}) {
    CAPTURE(scale);
    const ExactRow row(reference::Scaled(Widen(scores), static_cast<long double>(scale)));
    CHECK(WeightError(SoftmaxOf(scores, scale), row) <= 1);
  }
  CHECK(LogSumExpOf({3e38f, 1.0f}, 2) == kInf);  // the true value exceeds float32
}

TEST_CASE("Subnormal scores count at scales that bring them into range") {
  CheckPromises({1e-40f, 3e-40f, -2e-41f}, 1e38);
  CheckPromises({1e-44f, 3e-44f, 0.0f}, 1.2e38);
  CheckPromises({1e-38f, 2e-38f, -1e-38f}, -1e38);
}

TEST_CASE("Right values: weights, log-weights, log-sum-exp and VJP") {
  std::size_t used = 0;
  for (const test::SoftmaxCase& c : test::SoftmaxCases()) {
    const std::vector<float> z(c.z.begin(), c.z.end()), g(c.g.begin(), c.g.end());
    // Scores that float32 does not hold exactly are other scores; softmax_diagnostics_test.cpp checks those
    // in double.
    bool exact = true;
    for (std::size_t j = 0; j < z.size(); ++j) exact = exact && static_cast<double>(z[j]) == c.z[j];
    if (!exact) continue;
    ++used;
    CAPTURE(c.name);
    const ExactRow row(Exact(c.z.begin(), c.z.end()));  // for the allowances only
    const auto p = SoftmaxOf(z), log_p = LogSoftmaxOf(z), jg = BackwardOf(g, p);
    double largest_jg = 0, largest_g = 0;
    for (double x : c.jacobian_times_g) largest_jg = std::max(largest_jg, std::fabs(x));
    for (double x : c.g) largest_g = std::max(largest_g, std::fabs(x));
    for (std::size_t j = 0; j < z.size(); ++j) {
      CAPTURE(j);
      CHECK(std::fabs(static_cast<double>(p[j]) - c.p[j]) <= row.WeightAllowance(j));
      if (std::isinf(c.log_p[j])) {
        CHECK(log_p[j] == -kInf);
      } else {
        CHECK(std::fabs(static_cast<double>(log_p[j]) - c.log_p[j]) <= row.LogWeightAllowance(j));
      }
      // The weights' own error is the argument of exp times 2^-23, 20 or so in rows whose gradient is still
      // normal. The flush of weights leaves 0 for gradients below 1e-33.
      CHECK(std::fabs(static_cast<double>(jg[j]) - c.jacobian_times_g[j]) <=
            1e-5 * largest_jg + 1e-33 * largest_g);
    }
    if (std::isinf(c.log_sum_exp)) {
      CHECK(LogSumExpOf(z) == static_cast<float>(c.log_sum_exp));
    } else {
      CHECK(std::fabs(static_cast<double>(LogSumExpOf(z)) - c.log_sum_exp) <= row.LogSumAllowance());
    }
  }
  CHECK(used == 46);
}

TEST_CASE("The weights of a long row sum to 1") {
  TestNumbers numbers(4);
  double sum = 0;
  for (float x : SoftmaxOf(numbers.Normals(1000003))) sum += static_cast<double>(x);
  CHECK(std::fabs(sum - 1) <= 1e-7);  // a plain float sum is off by 1e-6 and more
}

}  // namespace
}  // namespace sqrtdk
