// Softmax rows against the readable reference in long double, and the edge rules of softmax/softmax.h.
#include "softmax/softmax.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpp/numbers.h"
#include "cpp/vectors.h"
#include "reference/softmax.h"

namespace sqrtdk {
namespace {

using test::kInf;
using test::kNan;
using test::TestNumbers;
using test::UlpOf;
using Exact = std::vector<long double>;

std::vector<float> SoftmaxOf(const std::vector<float>& scores, double scale = 1) {
  std::vector<float> p(scores.size());
  Softmax({1, scores.size()}, {scores.data(), scores.size()}, scale, {p.data(), p.size()});
  return p;
}
std::vector<float> LogSoftmaxOf(const std::vector<float>& scores, double scale = 1) {
  std::vector<float> log_p(scores.size());
  LogSoftmax({1, scores.size()}, {scores.data(), scores.size()}, scale, {log_p.data(), log_p.size()});
  return log_p;
}
float LogSumExpOf(const std::vector<float>& scores, double scale = 1) {
  float lse = 0;
  LogSumExp({1, scores.size()}, {scores.data(), scores.size()}, scale, &lse);
  return lse;
}
std::vector<float> BackwardOf(const std::vector<float>& g, const std::vector<float>& p, double scale = 1) {
  std::vector<float> dz(p.size());
  SoftmaxBackward({1, p.size()}, {g.data(), g.size()}, {p.data(), p.size()}, scale, {dz.data(), dz.size()});
  return dz;
}

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

TEST_CASE("VJP is the Jacobian times the upstream gradient, times scale, at every length") {
  TestNumbers numbers(2);
  for (std::size_t n : test::Sizes{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 511, 1025}) {
    for (float spread : {1.0f, 8.0f, 30.0f}) {
      const auto p = SoftmaxOf(numbers.Normals(n, spread));
      const auto g = numbers.Normals(n);
      // The reference takes the same float32 weights but needs them to sum to 1, as the shifted form assumes.
      Exact exact_p = Widen(p);
      long double sum = 0;
      for (long double x : exact_p) sum += x;
      for (long double& x : exact_p) x /= sum;
      Exact want = reference::SoftmaxBackward(Widen(g), exact_p);
      for (long double& x : want) x *= -0.7L;
      CAPTURE(n);
      CAPTURE(spread);
      // Weights off by 2^-24 each; gradients are sums of n of them with mixed signs.
      CHECK(test::NormError(BackwardOf(g, p, -0.7), want) <= 1e-6);
    }
  }
}

TEST_CASE("VJP of a saturated row does not cancel") {
  // p_top rounds to 1, where the plain form p (g - p.g) gives noise of 1e-7.
  const std::vector<float> p = {1e-12f, 1.0f, 3e-10f, 2e-11f, 5e-13f}, g = {0.3f, 7.7f, -1.9f, 0.2f, 4.0f};
  const auto got = BackwardOf(g, p);
  double others = 0;
  for (std::size_t j : {0u, 2u, 3u, 4u}) {
    const double want = static_cast<double>(p[j]) * (static_cast<double>(g[j]) - static_cast<double>(g[1]));
    CHECK(test::RelativeError(static_cast<double>(got[j]), want) <= 3e-7);
    others += want;
  }
  CHECK(test::RelativeError(static_cast<double>(got[1]), -others) <= 3e-7);
}

TEST_CASE("Jacobian is diag(p) - p p^T with an accurate diagonal and rows that sum to 0") {
  TestNumbers numbers(3);
  for (std::size_t n : test::Sizes{0, 1, 2, 3, 5, 17}) {
    const auto p = SoftmaxOf(numbers.Normals(n, 2));
    std::vector<float> jacobian(n * n);
    SoftmaxJacobian(p, jacobian.data());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += static_cast<double>(jacobian[i * n + j]);
        if (i != j) CHECK(jacobian[i * n + j] == -(p[i] * p[j]));
      }
      CHECK(std::fabs(sum) <= 1e-7 * static_cast<double>(p[i]));
    }
  }
  float saturated[4];
  SoftmaxJacobian(std::vector<float>{1.0f, 1e-12f}, saturated);
  CHECK(saturated[0] == 1e-12f);  // p (1 - p) would be 0
}

TEST_CASE("A masked key gets weight 0 and a row of masked keys gets zeros") {
  for (double scale : {1.0, 0.0, 1e-200}) {
    CHECK(SoftmaxOf({1.0f, -kInf, 1.0f}, scale) == std::vector<float>{0.5f, 0.0f, 0.5f});
    CHECK(SoftmaxOf(std::vector<float>(7, -kInf), scale) == std::vector<float>(7, 0.0f));
    CHECK(LogSoftmaxOf(std::vector<float>(7, -kInf), scale) == std::vector<float>(7, -kInf));
    CHECK(LogSumExpOf(std::vector<float>(7, -kInf), scale) == -kInf);
  }
  CHECK(SoftmaxOf({kInf, 2.0f, kInf, 2.0f, kInf}, -1) == std::vector<float>{0.0f, 0.5f, 0.0f, 0.5f, 0.0f});
  CHECK(LogSumExpOf({}) == -kInf);
  CHECK(SoftmaxOf({}).empty());
  CHECK(BackwardOf({1, 2, 3}, {0, 0, 0}) == std::vector<float>(3, 0.0f));
}

TEST_CASE("NaN and +infinity make their row NaN and no other, at any place") {
  for (std::size_t n : test::Sizes{1, 3, 4, 5, 8, 11, 257}) {
    for (std::size_t at = 0; at < n; ++at) {
      for (float poison : {kNan, -kNan, kInf}) {
        for (float rest : {1.0f, -kInf}) {
          std::vector<float> scores(3 * n, 0.5f), p(3 * n), log_p(3 * n), lse(3);
          std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(n), n, rest);
          scores[n + at] = poison;
          Softmax({3, n}, {scores.data(), n}, 1, {p.data(), n});
          LogSoftmax({3, n}, {scores.data(), n}, 1, {log_p.data(), n});
          LogSumExp({3, n}, {scores.data(), n}, 1, lse.data());
          bool row_is_nan = true, others_are_finite = true;
          for (std::size_t j = 0; j < n; ++j) {
            row_is_nan = row_is_nan && std::isnan(p[n + j]) && std::isnan(log_p[n + j]);
            others_are_finite = others_are_finite && std::isfinite(p[j]) && std::isfinite(p[2 * n + j]) &&
                                std::isfinite(log_p[j]) && std::isfinite(log_p[2 * n + j]);
          }
          CHECK(row_is_nan);
          CHECK(others_are_finite);
          CHECK(std::isfinite(lse[0]));
          CHECK(std::isfinite(lse[2]));
          // The logarithm of an infinite sum is infinite; only the weights have no value.
          CHECK((poison == kInf ? lse[1] == kInf : std::isnan(lse[1])));
        }
      }
    }
  }
  CHECK(std::isnan(LogSumExpOf({kInf, kNan})));
  CHECK(std::isnan(BackwardOf({1.0f, kNan, 2.0f}, {0.2f, 0.3f, 0.5f})[0]));
}

TEST_CASE("Ties get equal weights, bit for bit, and equal scores the uniform distribution") {
  for (std::size_t n : test::Sizes{1, 2, 4, 8, 64, 1024, 4096}) {
    CHECK(SoftmaxOf(std::vector<float>(n, -3.25f)) == std::vector<float>(n, 1.0f / static_cast<float>(n)));
  }
  const auto p = SoftmaxOf({2, 1, 2, 1, 0, 2, 1, 2, 1});
  CHECK(p[0] == p[2]);
  CHECK(p[0] == p[5]);
  CHECK(p[0] == p[7]);
  CHECK(p[1] == p[8]);
}

TEST_CASE("No weight is subnormal") {
  std::vector<float> scores;
  for (int i = 0; i < 1100; ++i) scores.push_back(-0.1f * static_cast<float>(i));
  for (std::size_t n : test::Sizes{1000, 1023, 1024, 1100}) {
    scores.resize(n);
    for (float x : SoftmaxOf(scores)) CHECK((x == 0.0f || std::isnormal(x)));
  }
  scores.assign(1024, 0.0f);  // the smallest weights for the largest sum
  for (int i = 0; i < 100; ++i) scores[static_cast<std::size_t>(i)] = -80.0f - 0.1f * static_cast<float>(i);
  for (float x : SoftmaxOf(scores)) CHECK((x == 0.0f || std::isnormal(x)));
}

TEST_CASE("The weights of a long row sum to 1") {
  TestNumbers numbers(4);
  double sum = 0;
  for (float x : SoftmaxOf(numbers.Normals(1000003))) sum += static_cast<double>(x);
  CHECK(std::fabs(sum - 1) <= 1e-7);  // a plain float sum is off by 1e-6 and more
}

TEST_CASE("Rows apart, unaligned and in place give the same bits as rows packed and aligned") {
  TestNumbers numbers(5);
  for (std::size_t n : test::Sizes{1, 5, 8, 19}) {
    const std::size_t rows = 3, stride = n + 3;
    const auto scores = numbers.Normals(rows * stride + 1), g = numbers.Normals(rows * stride + 1);
    std::vector<float> apart(rows * stride + 1, 99.0f), in_place = scores, back(rows * stride + 1, 99.0f),
                                                        back_in_place = g;
    Softmax({rows, n}, {scores.data() + 1, stride}, 0.5, {apart.data() + 1, stride});
    Softmax({rows, n}, {in_place.data() + 1, stride}, 0.5, {in_place.data() + 1, stride});
    SoftmaxBackward({rows, n}, {g.data() + 1, stride}, {apart.data() + 1, stride}, 2,
                    {back.data() + 1, stride});
    SoftmaxBackward({rows, n}, {back_in_place.data() + 1, stride}, {apart.data() + 1, stride}, 2,
                    {back_in_place.data() + 1, stride});
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = static_cast<std::ptrdiff_t>(1 + r * stride),
                 end = begin + static_cast<std::ptrdiff_t>(n);
      const auto cut = [&](const std::vector<float>& v) {
        return std::vector<float>(v.begin() + begin, v.begin() + end);
      };
      const auto p = SoftmaxOf(cut(scores), 0.5);
      CHECK(cut(apart) == p);
      CHECK(cut(in_place) == p);
      CHECK(cut(back) == BackwardOf(cut(g), p, 2));
      CHECK(cut(back_in_place) == cut(back));
      if (r + 1 < rows) CHECK(apart[1 + r * stride + n] == 99.0f);  // the gap between rows is left alone
      if (r + 1 < rows) CHECK(back[1 + r * stride + n] == 99.0f);
    }
  }
}

}  // namespace
}  // namespace sqrtdk
