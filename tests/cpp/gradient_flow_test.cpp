// A trial against its definition, in double, with derivatives by complex step.
#include "experiments/gradient_flow.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "cpp/gradient_flow_runs.h"
#include "random/normals.h"
#include "reference/attention.h"
#include "softmax/softmax.h"

namespace sqrtdk {
namespace {

using test::Column;
using test::Run;
using Complex = std::complex<double>;

// What a trial draws.
struct Drawn {
  std::vector<float> query, grad_output, key, value;
};
Drawn DrawnBy(const GradientFlow& e, std::uint64_t seed, std::uint64_t trial) {
  const std::size_t n = e.keys, d = e.dimension, dv = e.value_dim;
  std::vector<float> all((n + 1) * (d + dv));
  FillNormal(all, seed, 1ull << 56 | std::uint64_t{e.dimension} << 32 | trial);
  auto from = all.begin();
  const auto take = [&from](std::size_t count) {
    from += static_cast<std::ptrdiff_t>(count);
    return std::vector<float>(from - static_cast<std::ptrdiff_t>(count), from);
  };
  Drawn drawn;
  drawn.query = take(d);
  drawn.grad_output = take(dv);
  drawn.key = take(n * d);
  drawn.value = take(n * dv);
  return drawn;
}

template <class T>
std::vector<T> Normalized(const std::vector<T>& rows, std::size_t length) {
  std::vector<T> unit(rows);
  for (std::size_t start = 0; start < rows.size(); start += length) {
    T square{};
    for (std::size_t i = 0; i < length; ++i) square += rows[start + i] * rows[start + i];
    for (std::size_t i = 0; i < length; ++i) unit[start + i] /= std::sqrt(square);
  }
  return unit;
}

// Attention of one row under a rule, as an analytic function of q, K and V.
reference::Result<Complex> Forward(const GradientFlow& e, const ScoreRule& rule,
                                   const reference::Arrays<Complex>& in) {
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 1, e.keys, e.dimension, e.value_dim};
  problem.scale = rule.scale;
  problem.softcap = rule.softcap;
  if (!rule.qk_norm) return reference::Attention<Complex>(problem, in).Forward();
  const reference::Arrays<Complex> unit{Normalized(in.query, e.dimension), Normalized(in.key, e.dimension),
                                        in.value};
  return reference::Attention<Complex>(problem, unit).Forward();
}

struct PlainTrial {
  std::vector<double> scores, probabilities;
  double entropy = 0, max_p = 0, sum_squares = 0, frobenius = 0, spectral = 0;
  double grad_query = 0, grad_key = 0, grad_value = 0;
};

// The largest eigenvalue of J = diag(p) - p p^T by the power method.
double LargestEigenvalue(const std::vector<double>& p) {
  std::vector<double> v(p.size(), 0.0);
  for (std::size_t j = 0; j < p.size(); ++j) v[j] = std::sin(static_cast<double>(j) + 1);
  double length = 0;
  for (int step = 0; step < 3000; ++step) {
    double mean = 0, square = 0;
    for (std::size_t j = 0; j < p.size(); ++j) mean += p[j] * v[j];
    for (std::size_t j = 0; j < p.size(); ++j) {
      v[j] = p[j] * (v[j] - mean);
      square += v[j] * v[j];
    }
    length = std::sqrt(square);
    if (length == 0) return 0;
    for (double& x : v) x /= length;
  }
  return length;
}

PlainTrial PlainTrialOf(const GradientFlow& e, const ScoreRule& rule, std::uint64_t seed,
                        std::uint64_t trial) {
  const Drawn drawn = DrawnBy(e, seed, trial);
  reference::Arrays<Complex> in{{drawn.query.begin(), drawn.query.end()},
                                {drawn.key.begin(), drawn.key.end()},
                                {drawn.value.begin(), drawn.value.end()}};
  const reference::Result<Complex> forward = Forward(e, rule, in);
  PlainTrial t;
  for (const Complex& score : forward.capped) t.scores.push_back(score.real());
  for (const Complex& p : forward.probabilities) t.probabilities.push_back(p.real());
  for (double p : t.probabilities) {
    if (p > 0) t.entropy -= p * std::log(p);
    t.max_p = std::fmax(t.max_p, p);
    t.sum_squares += p * p;
    for (double other : t.probabilities) t.frobenius += p * p * other * other;
    t.frobenius += p * p * (1 - 2 * p);
  }
  t.frobenius = std::sqrt(std::fmax(t.frobenius, 0));
  t.spectral = LargestEigenvalue(t.probabilities);

  // d sum(O * dO) / dx for every component x of a vector.
  const auto norm_of_gradient = [&](std::vector<Complex>& vector) {
    constexpr double kStep = 1e-100;
    double square = 0;
    for (Complex& x : vector) {
      x += Complex(0, kStep);
      const reference::Result<Complex> moved = Forward(e, rule, in);
      double slope = 0;
      for (std::size_t c = 0; c < e.value_dim; ++c) {
        slope += static_cast<double>(drawn.grad_output[c]) * moved.output[c].imag() / kStep;
      }
      square += slope * slope;
      x = x.real();
    }
    return std::sqrt(square);
  };
  t.grad_query = norm_of_gradient(in.query);
  t.grad_key = norm_of_gradient(in.key);
  t.grad_value = norm_of_gradient(in.value);
  return t;
}

constexpr ScoreRule kRules[] = {
    {1.0},                           // unscaled
    {-0.125},                        // a factor
    {1.0, 1.5},                      // softcap
    {.scale = 3.0, .qk_norm = true}  // QK-norm
};

TEST_CASE("a trial equals its definition under every rule, at awkward sizes") {
  for (std::uint32_t d : {1u, 2u, 17u}) {
    for (std::uint32_t n : {1u, 2u, 7u, 21u}) {
      for (std::uint32_t dv : {1u, 16u, 21u}) {
        const GradientFlow e{d, n, dv, kRules};
        const std::vector<double> columns = Run(e, 5, 3, 3);
        for (std::size_t r = 0; r < std::size(kRules); ++r) {
          const PlainTrial want = PlainTrialOf(e, kRules[r], 5, 2);
          const auto got = [&](RowQuantity quantity) { return Column(columns, 3, r, quantity)[2]; };
          CAPTURE(d);
          CAPTURE(n);
          CAPTURE(dv);
          CAPTURE(r);
          // Scores are float32 sums; their error, some 1e-6 of |s|, passes on to the weights.
          CHECK(got(RowQuantity::kEntropy) == doctest::Approx(want.entropy).epsilon(1e-4));
          CHECK(got(RowQuantity::kMaxProbability) == doctest::Approx(want.max_p).epsilon(1e-5));
          CHECK(got(RowQuantity::kSumSquares) == doctest::Approx(want.sum_squares).epsilon(1e-5));
          CHECK(got(RowQuantity::kJacobianTrace) == doctest::Approx(1 - want.sum_squares).epsilon(1e-4));
          CHECK(got(RowQuantity::kJacobianFrobenius) == doctest::Approx(want.frobenius).epsilon(1e-4));
          CHECK(got(RowQuantity::kJacobianSpectral) == doctest::Approx(want.spectral).epsilon(1e-4));
          // 1e-4 of the gradient, 1e-6 where parts of it cancel: with one key, or one component of unit
          // length.
          const auto agree = [](double norm, double exact) {
            return std::fabs(norm - exact) <= 1e-4 * exact + 1e-6;
          };
          CHECK(agree(got(RowQuantity::kGradQueryNorm), want.grad_query));
          CHECK(agree(got(RowQuantity::kGradKeyNorm), want.grad_key));
          CHECK(agree(got(RowQuantity::kGradValueNorm), want.grad_value));
        }
      }
    }
  }
}

TEST_CASE("a sampled row is the sweep's trial: its weights sum to 1 and give the sweep's numbers") {
  for (const ScoreRule& rule : kRules) {
    const GradientFlow e{17, 23, 4, {&rule, 1}};
    std::vector<float> floats(static_cast<std::size_t>(GradientFlowScratchFloats(e)));
    std::vector<double> doubles(GradientFlowScratchDoubles(e)), scores(23), probabilities(23);
    SampleRow(e, 5, 2, floats, doubles, scores, probabilities);
    const PlainTrial want = PlainTrialOf(e, rule, 5, 2);
    double sum = 0, squares = 0;
    for (std::size_t j = 0; j < 23; ++j) {
      CHECK(std::fabs(scores[j] - want.scores[j]) < 2e-6 * (1 + std::fabs(want.scores[j])));
      CHECK(std::fabs(probabilities[j] - want.probabilities[j]) < 1e-5);
      sum += probabilities[j];
      squares += probabilities[j] * probabilities[j];
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-14));
    const std::vector<double> columns = Run(e, 5, 3, 3);
    CHECK(squares == doctest::Approx(Column(columns, 3, 0, RowQuantity::kSumSquares)[2]).epsilon(1e-13));
  }
}

TEST_CASE("trials cut in pieces have the same bits") {
  const GradientFlow e{16, 9, 4, kRules};
  CHECK(Run(e, 3, 25, 25) == Run(e, 3, 25, 4));
}

TEST_CASE("adding a rule leaves the others as they were") {
  const std::vector<double> all = Run({16, 9, 4, kRules}, 3, 10);
  for (std::size_t r = 0; r < std::size(kRules); ++r) {
    const std::vector<double> alone = Run({16, 9, 4, {&kRules[r], 1}}, 3, 10);
    CHECK(std::equal(alone.begin(), alone.end(),
                     all.begin() + static_cast<std::ptrdiff_t>(r * kRowQuantities * 10)));
  }
}

TEST_CASE("a single key takes all the weight and sends nothing back but to its value") {
  const std::vector<double> columns = Run({8, 1, 4, {kRules, 1}}, 1, 5);
  for (std::size_t t = 0; t < 5; ++t) {
    CHECK(Column(columns, 5, 0, RowQuantity::kMaxProbability)[t] == 1);
    CHECK(Column(columns, 5, 0, RowQuantity::kPrintsOne)[t] == 1);
    CHECK(Column(columns, 5, 0, RowQuantity::kEntropy)[t] == 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kJacobianSpectral)[t] == 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kGradQueryNorm)[t] == 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kGradKeyNorm)[t] == 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kGradValueNorm)[t] > 0);
    CHECK(Column(columns, 5, 0, RowQuantity::kDead)[t] == 1);
  }
}

TEST_CASE("QK-norm of one component is a sign: no gradient at all") {
  const ScoreRule rule{.scale = 1, .qk_norm = true};
  const std::vector<double> columns = Run({1, 6, 4, {&rule, 1}}, 1, 20);
  for (std::size_t t = 0; t < 20; ++t) {
    CHECK(Column(columns, 20, 0, RowQuantity::kGradQueryNorm)[t] == 0);
    CHECK(Column(columns, 20, 0, RowQuantity::kGradKeyNorm)[t] == 0);
    CHECK(Column(columns, 20, 0, RowQuantity::kGradValueNorm)[t] > 0);
  }
}

TEST_CASE("rows are dead below the threshold that was asked for") {
  constexpr std::size_t kTrials = 300;
  for (double threshold : {0.0, 1e-6, 1e-3, 0.1, 2.0}) {
    const std::vector<double> columns = Run({64, 8, 1, {kRules, 1}, threshold}, 1, kTrials);
    const std::span<const double> norms = Column(columns, kTrials, 0, RowQuantity::kJacobianFrobenius);
    const std::span<const double> dead = Column(columns, kTrials, 0, RowQuantity::kDead);
    for (std::size_t t = 0; t < kTrials; ++t) CHECK(dead[t] == (norms[t] < threshold ? 1 : 0));
  }
}

TEST_CASE("a weight prints as 1 where the float32 softmax says so") {
  constexpr std::size_t kTrials = 400;
  const ScoreRule rule{};
  const GradientFlow e{64, 8, 1, {&rule, 1}};
  const std::vector<double> columns = Run(e, 4, kTrials);
  std::vector<float> floats(static_cast<std::size_t>(GradientFlowScratchFloats(e))), scores(8), weights(8);
  std::vector<double> doubles(GradientFlowScratchDoubles(e)), exact(8), unused(8);
  std::size_t ones = 0;
  for (std::size_t t = 0; t < kTrials; ++t) {
    SampleRow(e, 4, t, floats, doubles, exact, unused);
    for (std::size_t j = 0; j < 8; ++j) scores[j] = static_cast<float>(exact[j]);
    Softmax({1, 8}, {scores.data(), 8}, 1.0, {weights.data(), 8});
    const bool one = *std::max_element(weights.begin(), weights.end()) == 1.0f;
    CHECK(Column(columns, kTrials, 0, RowQuantity::kPrintsOne)[t] == (one ? 1 : 0));
    ones += one;
  }
  CHECK(ones > 0);
}

TEST_CASE("a gradient too small for float32 squares is still there") {
  // n = 2 and d = 4096: differences of some 90, and gradients down to 2^-100.
  constexpr std::size_t kTrials = 60;
  const ScoreRule rule{};
  const GradientFlow e{4096, 2, 4, {&rule, 1}};
  const std::vector<double> columns = Run(e, 1, kTrials);
  const std::span<const double> norms = Column(columns, kTrials, 0, RowQuantity::kGradQueryNorm);
  const std::span<const double> jacobian = Column(columns, kTrials, 0, RowQuantity::kJacobianFrobenius);
  std::size_t tiny = 0;
  for (std::size_t t = 0; t < kTrials; ++t) {
    if (jacobian[t] < 2e-30) continue;  // weights below 2^-100 count as 0
    CHECK(norms[t] > 0);
    if (norms[t] < 1e-23) ++tiny;  // its square is no float32 number
  }
  CHECK(tiny > 0);
}

}  // namespace
}  // namespace sqrtdk
