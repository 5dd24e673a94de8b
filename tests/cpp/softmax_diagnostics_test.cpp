// Diagnostics of softmax rows against right values and against long double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cpp/numbers.h"
#include "cpp/vectors.h"
#include "reference/softmax.h"
#include "softmax/diagnostics.h"

namespace sqrtdk {
namespace {

using test::kInf;
using test::kNan;
using test::RelativeError;
using test::TestNumbers;

template <class Score>
SoftmaxDiagnostics Diagnose(const std::vector<Score>& scores, double scale = 1) {
  std::vector<double> scratch(scores.size());
  return DiagnoseRow(std::span<const Score>(scores), scale, scratch);
}

// The promise of diagnostics.h: products are rounded to double, so exponents are off by 2^-53 of themselves.
double Allowed(double gap) { return 4e-15 + 4e-16 * std::min(gap, 745.0); }

double GapOf(std::vector<double> products) {
  std::sort(products.begin(), products.end(), std::greater<>());
  return products.size() < 2 || std::isinf(products[1]) ? 0 : products[0] - products[1];
}

TEST_CASE("Right values of every diagnostic, saturated rows included") {
  for (const test::SoftmaxCase& c : test::SoftmaxCases()) {
    CAPTURE(c.name);
    const double tolerance = Allowed(GapOf(c.z));
    const SoftmaxDiagnostics d = Diagnose(c.z);
    const double largest = *std::max_element(c.p.begin(), c.p.end());
    // Below 1e-307 the second weight is subnormal and flushed.
    const auto check = [&](double got, double want) {
      CAPTURE(got);
      CAPTURE(want);
      CHECK((RelativeError(got, want) <= tolerance || std::fabs(got - want) < 1e-305));
    };
    check(d.log_sum_exp, c.log_sum_exp);
    check(d.entropy, c.entropy);
    check(d.perplexity, c.effective_keys_entropy);
    check(d.effective_keys, c.effective_keys_simpson);
    check(d.sum_squares, c.sum_squares);
    check(d.max_probability, largest);
    check(d.max_complement, c.one_minus_maximum);
    check(d.jacobian_trace, c.jacobian_trace);
    check(d.jacobian_frobenius, c.jacobian_frobenius);
    check(d.jacobian_spectral, c.jacobian_spectral_norm);
  }
}

// Every diagnostic straight from its definition, in long double.
struct Definition {
  explicit Definition(const std::vector<long double>& z) : p(reference::Softmax(z)) {
    for (long double x : p) {
      entropy -= x > 0 ? x * std::log(x) : 0;
      sum_squares += x * x;
      largest = std::max(largest, x);
      zeros += x < 0x1p-150L;
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < p.size(); ++j) {
        const long double entry = i == j ? p[i] * (1 - p[i]) : -p[i] * p[j];
        frobenius_squared += entry * entry;
      }
    }
  }
  // |J x - lambda x| / |x| for the eigenvector x_i = p_i / (p_i - lambda) of diag(p) - p p^T.
  long double EigenvalueResidual(long double lambda) const {
    long double dot = 0, residual = 0, size = 0;
    for (long double w : p) dot += w * w / (w - lambda);
    for (long double w : p) {
      const long double x = w / (w - lambda), r = w * x - w * dot - lambda * x;
      residual += r * r;
      size += x * x;
    }
    return std::sqrt(residual / size);
  }
  std::vector<long double> p;
  long double entropy = 0, sum_squares = 0, largest = 0, frobenius_squared = 0;
  std::uint32_t zeros = 0;
};

TEST_CASE("Diagnostics agree with their definitions at every length, spread and scale") {
  TestNumbers numbers(11);
  for (std::size_t n : test::Sizes{2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 64, 100, 257}) {
    for (double scale : {1.0, 0.25, -3.0, 16.0}) {
      const auto scores = numbers.Normals(n, 2.5f);
      const Definition want(reference::Scaled(std::vector<long double>(scores.begin(), scores.end()),
                                              static_cast<long double>(scale)));
      const SoftmaxDiagnostics d = Diagnose(scores, scale);
      CAPTURE(n);
      CAPTURE(scale);
      const auto value = [](long double x) { return static_cast<double>(x); };
      // In saturated rows the definitions cancel where the closed forms do not: 1e-19 is what long double
      // leaves on x86. In WebAssembly long double has more digits but musl's logarithm for it only those of
      // double.
      const double tolerance = Allowed(100);
      const bool exact_log = std::log(3.0L) != static_cast<long double>(std::log(3.0));
      CHECK(std::fabs(d.entropy - value(want.entropy)) <=
            (exact_log ? 2e-18 : 1e-16) + tolerance * d.entropy);
      CHECK(RelativeError(d.sum_squares, value(want.sum_squares)) <= tolerance);
      CHECK(RelativeError(d.max_probability, value(want.largest)) <= tolerance);
      CHECK(std::fabs(d.max_complement - value(1 - want.largest)) <= 2e-18 + tolerance * d.max_complement);
      CHECK(std::fabs(d.jacobian_trace - value(1 - want.sum_squares)) <=
            2e-18 + tolerance * d.jacobian_trace);
      CHECK(RelativeError(d.jacobian_frobenius, value(std::sqrt(want.frobenius_squared))) <=
            tolerance + 2e-18 / d.jacobian_frobenius);
      CHECK(value(want.EigenvalueResidual(static_cast<long double>(d.jacobian_spectral))) <=
            2e-18 + 1e-14 * d.jacobian_spectral);
      CHECK(d.jacobian_spectral <= 2 * d.max_probability * d.max_complement * (1 + 1e-14));
      CHECK(d.jacobian_spectral * (1 + 1e-14) >=
            static_cast<double>(n) / static_cast<double>(n - 1) * d.max_probability * d.max_complement);
      CHECK(d.exact_zeros == want.zeros);
    }
  }
}

TEST_CASE("Two keys: trace, Frobenius and spectral norm are 2 p (1 - p) as far as double reaches") {
  for (double difference : {0.0, 1e-9, 0.5, 3.0, 40.0, 300.0, 500.0, 700.0}) {
    const double p = 1 / (1 + std::exp(-difference)), q = std::exp(-difference) * p;
    const SoftmaxDiagnostics d = Diagnose(std::vector<double>{difference, 0.0});
    CAPTURE(difference);
    CHECK(RelativeError(d.jacobian_trace, 2 * p * q) <= Allowed(difference));
    CHECK(RelativeError(d.jacobian_frobenius, 2 * p * q) <= Allowed(difference));
    CHECK(RelativeError(d.jacobian_spectral, 2 * p * q) <= Allowed(difference));
  }
}

TEST_CASE("Equal scores: the spectral norm is 1/n, effective keys and perplexity n") {
  for (std::size_t n : test::Sizes{2, 3, 8, 1000}) {
    const auto size = static_cast<double>(n);
    const SoftmaxDiagnostics d = Diagnose(std::vector<float>(n, 1e30f), 1e30);
    CHECK(RelativeError(d.jacobian_spectral, 1 / size) <= 1e-15);
    CHECK(RelativeError(d.effective_keys, size) <= 1e-15);
    CHECK(RelativeError(d.perplexity, size) <= 1e-14);
    CHECK(RelativeError(d.jacobian_frobenius, std::sqrt(size - 1) / size) <= 1e-14);
  }
}

TEST_CASE("Nearly tied top keys: the eigenvalue between them is found") {
  for (double gap : {1e-3, 1e-8, 1e-15}) {
    const SoftmaxDiagnostics d = Diagnose(std::vector<double>{1, 1 - gap, 1 - 2 * gap, -2, -3});
    const Definition want(
        {1, 1 - static_cast<long double>(gap), 1 - 2 * static_cast<long double>(gap), -2, -3});
    CHECK(d.jacobian_spectral >= static_cast<double>(want.p[1]) * (1 - 1e-14));
    CHECK(d.jacobian_spectral <= static_cast<double>(want.p[0]) * (1 + 1e-14));
  }
}

TEST_CASE("Exact zeros are the weights below 2^-150, masked keys included") {
  // One key at 0 and others on either side of ln 2^-150 = -103.972.
  CHECK(Diagnose(std::vector<float>{0.0f, -103.9f, -104.1f, -200.0f, -kInf}).exact_zeros == 3);
  CHECK(Diagnose(std::vector<float>{0.0f, 103.9f, 104.1f, 200.0f, kInf}, -1).exact_zeros == 3);
  // Two top keys halve the weights.
  CHECK(Diagnose(std::vector<float>{0.0f, 0.0f, -103.2f, -103.4f}).exact_zeros == 1);
  CHECK(Diagnose(std::vector<float>{5.0f}).exact_zeros == 0);
}

TEST_CASE("Rows without a distribution and rows with NaN or +infinity") {
  for (double scale : {1.0, 0.0}) {
    for (std::size_t n : test::Sizes{0, 1, 2, 7}) {
      const SoftmaxDiagnostics d = Diagnose(std::vector<float>(n, -kInf), scale);
      CHECK(d.log_sum_exp == -static_cast<double>(kInf));
      CHECK(d.exact_zeros == n);
      CHECK(d.entropy + d.perplexity + d.effective_keys + d.sum_squares + d.max_probability +
                d.max_complement + d.jacobian_trace + d.jacobian_frobenius +
                (n > 0 ? d.jacobian_spectral : 0) ==
            0);
    }
    for (float poison : {kNan, kInf}) {
      for (float rest : {0.5f, -kInf}) {
        for (std::size_t at : {0u, 3u, 4u}) {
          std::vector<float> scores(5, rest);
          scores[at] = poison;
          const SoftmaxDiagnostics d = Diagnose(scores, scale);
          CHECK(std::isnan(d.log_sum_exp));
          CHECK(std::isnan(d.entropy));
          CHECK(std::isnan(d.jacobian_frobenius));
          CHECK(std::isnan(d.jacobian_spectral));
          CHECK(d.exact_zeros == 0);
        }
      }
    }
  }
  const SoftmaxDiagnostics alone = Diagnose(std::vector<float>{-kInf, 2.0f, -kInf});
  CHECK(alone.entropy == 0);
  CHECK(alone.max_probability == 1);
  CHECK(alone.max_complement == 0);
  CHECK(alone.jacobian_spectral == 0);
  CHECK(alone.log_sum_exp == 2);
  CHECK(alone.exact_zeros == 2);
}

TEST_CASE("Scores a power of two larger with the scale as much smaller give the same bits") {
  TestNumbers numbers(12);
  std::vector<float> scores = numbers.Normals(33, 5), larger = scores;
  for (float& x : larger) x *= -1024;
  const SoftmaxDiagnostics a = Diagnose(scores, 0.7), b = Diagnose(larger, -0.7 / 1024);
  CHECK(a.entropy == b.entropy);
  CHECK(a.jacobian_frobenius == b.jacobian_frobenius);
  CHECK(a.jacobian_spectral == b.jacobian_spectral);
  CHECK(a.log_sum_exp == b.log_sum_exp);
}

TEST_CASE(
    "Without scratch only the spectral norm is left out; double scores give the same bits as float scores") {
  TestNumbers numbers(13);
  const auto scores = numbers.Normals(21, 3);
  const SoftmaxDiagnostics with = Diagnose(scores), without = DiagnoseRow(std::span<const float>(scores), 1);
  const SoftmaxDiagnostics wide = Diagnose(std::vector<double>(scores.begin(), scores.end()));
  CHECK(std::isnan(without.jacobian_spectral));
  CHECK(with.jacobian_spectral > 0);
  CHECK(with.entropy == without.entropy);
  CHECK(with.jacobian_frobenius == without.jacobian_frobenius);
  CHECK(wide.entropy == with.entropy);
  CHECK(wide.jacobian_spectral == with.jacobian_spectral);
}

TEST_CASE("The bits of a row of diagnostics are the same on every target") {
  std::vector<float> scores(77);
  for (std::size_t j = 0; j < scores.size(); ++j) scores[j] = static_cast<float>((j * 37) % 101) * 0.21f;
  const SoftmaxDiagnostics d = Diagnose(scores, 0.37);
  CHECK(d.entropy == 0x1.a39ffa646fff6p+1);
  CHECK(d.jacobian_frobenius == 0x1.bb54643835e86p-3);
  CHECK(d.jacobian_spectral == 0x1.8aaf175df1b36p-4);
  CHECK(d.log_sum_exp == 0x1.42a817086fcd9p+3);
}

}  // namespace
}  // namespace sqrtdk
