// Z = sum_j e^{s_j}. The gamma integral Z^-m = int_0^inf t^{m-1} e^{-tZ} dt / Gamma(m), with t = e^u, makes
// the independent scores factorise. With w = u + s ~ N(u, sigma^2) and
//
//   L(u) = E exp(-e^w),  G_m(u) = E e^{mw} exp(-e^w),  B(u) = E A(w)   (A: gumbel_kernel.h)
//
// every expectation is one integral over u:
//
//   E S_2    = n int G_2 L^{n-1}                 E tr J    = n(n-1) int G_1^2 L^{n-2}
//   E S_3    = n/2 int G_3 L^{n-1}               E H       = n(n-1) int B G_1 L^{n-2}
//   E |J|_F^2 = n(n-1)/3 int G_2^2 L^{n-2} + n(n-1)(n-2)/6 int G_2 G_1^2 L^{n-3}
//   E ln Z   = E H + sigma^2 E tr J              (Gaussian integration by parts of E sum p_j s_j)
//   E |J x|^2 = n(n-1)/3 int (G_2 X_22 - X_21^2) L^{n-2}
//              + n(n-1)(n-2)/6 int (X_22 G_1^2 - 2 X_21 X_11 G_1 + G_2 X_11^2) L^{n-3}
//
// with X_mb(u) = E x^b e^{mw} exp(-e^w) for any x linear in the score: J takes no notice of where x is
// counted from. All but these terms are positive, so small values keep their digits: 1 - E S_2 would lose
// them for large sigma. |J|_F^2 = 2 sum_{i != j} p_i^2 p_j^2 + sum_{i,j,k distinct} p_i^2 p_j p_k, and |J
// x|^2 is sum_{i != j} p_i^2 p_j^2 (x_i - x_j)^2 + sum_{i,j,k distinct} p_i^2 p_j p_k (x_i - x_j)(x_i - x_k).
// E H: Z^-1 ln Z = int (-gamma - ln t) e^{-tZ} dt gives n int E[A'(w)] L^{n-1}, integrated by parts with L' =
// -G_1.
//
// Both the integral over u and the averages over w are trapezoid sums, spectrally accurate for these analytic
// functions. An average is sum_j h phi((w_j - u)/sigma)/sigma kernel(w_j). Of the two factors the broader one
// is tabulated: for a narrow normal density the density, around each u; otherwise the kernels, and the
// density slides along them, each value being computed once. A first version evaluated both factors at every
// pair: 10 times slower.
#include "theory/expected_softmax.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "theory/chi_quadrature.h"
#include "theory/gumbel_kernel.h"
#include "theory/maximum_probability.h"

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kReach = 9.4;  // standard deviations: one of 65536 scores lies beyond with probability 4e-16

// The averages of the kernels at one u.
using Averages = KernelValues;

double NormalWeight(double z) { return std::exp(-0.5 * z * z); }

// The integrals over u, as sums still to be multiplied by the step.
struct Integrals {
  double sum_squares = 0, sum_cubes = 0, trace = 0, entropy = 0, frobenius = 0, response = 0;
};

// Adds one u. False once L^n is so small that all further (larger) u add nothing.
bool Accumulate(const Averages& a, double n, Integrals& total) {
  const double log_l = std::log1p(-std::min(a[kMissing], 1.0));
  const double l1 = n * std::exp((n - 1.0) * log_l);
  const double l2 = n * (n - 1.0) * std::exp((n - 2.0) * log_l);
  const double l3 = n > 2.0 ? n * (n - 1.0) * (n - 2.0) * std::exp((n - 3.0) * log_l) : 0.0;
  const double g1 = a[kFirst], g2 = a[kSecond];
  const double trace = l2 * g1 * g1;
  total.sum_squares += l1 * g2;
  total.sum_cubes += 0.5 * l1 * a[kThird];
  total.trace += trace;
  total.entropy += l2 * a[kEntropy] * g1;
  total.frobenius += l2 * g2 * g2 / 3.0 + l3 * g2 * g1 * g1 / 6.0;
  const double x11 = a[kFirstTimesX], x21 = a[kSecondTimesX], x22 = a[kSecondTimesXSquared];
  total.response +=
      l2 * (g2 * x22 - x21 * x21) / 3.0 + l3 * ((x22 * g1 - 2.0 * x21 * x11) * g1 + g2 * x11 * x11) / 6.0;
  return trace + l1 * g2 > 1e-18 * (total.trace + total.sum_squares) || log_l > -1.0 / n;
}

// Far enough left that E[Z^-2 ...] has decayed: u = ln t - ln Z, and ln Z < ln n + kReach sigma.
double LowestU(double n, double sigma) { return -(17.0 + std::log(n) + kReach * sigma); }

// sigma < kNarrow: the normal density is tabulated, the kernels are evaluated around each u.
constexpr double kNarrow = 0.35;
constexpr double kNarrowStep = 0.25;

Integrals NarrowIntegrals(double n, double sigma) {
  constexpr double kStep = 0.7;  // in z = (w - u) / sigma
  constexpr int kHalf = 13;      // 0.7 * 13 = 9.1
  std::array<double, 2 * kHalf + 1> density;
  double sum = 0.0;
  for (int j = -kHalf; j <= kHalf; ++j) {
    density[static_cast<std::size_t>(j + kHalf)] = NormalWeight(kStep * j);
    sum += NormalWeight(kStep * j);
  }
  Integrals total;
  for (double u = LowestU(n, sigma);; u += kNarrowStep) {
    Averages a{};
    for (int j = -kHalf; j <= kHalf; ++j) {
      const KernelValues kernel = GumbelKernel(u + sigma * kStep * j, kStep * j);
      const double weight = density[static_cast<std::size_t>(j + kHalf)] / sum;
      for (std::size_t k = 0; k < kKernels; ++k) a[k] += weight * kernel[k];
    }
    if (!Accumulate(a, n, total) || u > 8.0) break;
  }
  return total;
}

// sigma >= kNarrow: the kernels are tabulated on w_j = j kStep, which covers all w where they matter.
struct KernelTable {
  static constexpr double kStep = 0.25;
  // w in [-47.5, 4]: n keys of e^w < e^-36 / n each are not seen beside one of 1, and e^-e^4 is 2e-24.
  static constexpr int kFirstNode = -190, kLastNode = 16;
  static constexpr std::size_t kNodes = kLastNode - kFirstNode + 1;
  std::array<KernelValues, kNodes> values;

  KernelTable() {
    for (std::size_t j = 0; j < kNodes; ++j) {
      const double w = kStep * (static_cast<int>(j) + kFirstNode);
      values[j] = GumbelKernel(w, w);
    }
  }
};

// The integrand varies over sigma / sqrt(2 ln n), the width of the largest score's law. 0.4 of that is exact
// to 1e-13 for n = 4096, to 1e-12 for 65536; 0.7 to 1e-9, 1 to 1e-5.
double WideStep(double n, double sigma) {
  const double step = 0.36 * sigma / std::sqrt(2.0 * std::log(n));
  return KernelTable::kStep * std::max(1.0, std::floor(step / KernelTable::kStep));
}

Integrals WideIntegrals(const KernelTable& table, double n, double sigma) {
  constexpr double kStep = KernelTable::kStep;
  constexpr int kNodes = static_cast<int>(KernelTable::kNodes);
  const int shift = static_cast<int>(WideStep(n, sigma) / kStep + 0.5);
  const int first_u = static_cast<int>(LowestU(n, sigma) / WideStep(n, sigma)) * shift;
  const double normalise = kStep / (sigma * std::sqrt(2.0 * std::numbers::pi));
  const auto density_at = [&](int offset) { return normalise * NormalWeight(kStep * offset / sigma); };
  const int reach = static_cast<int>(kReach * sigma / kStep) + 1;
  const int lowest = std::max(0, static_cast<int>(-(36.0 + std::log(n)) / kStep) - KernelTable::kFirstNode);
  std::array<double, KernelTable::kNodes> density;  // at w_j - u
  for (int j = 0; j < kNodes; ++j) {
    density[static_cast<std::size_t>(j)] = density_at(j + KernelTable::kFirstNode - first_u);
  }
  // sum of the density over w beyond the table, where exp(-e^w) = 0: nothing at first, then what slides out.
  double beyond = 0.0;
  Integrals total;
  for (int u = first_u;; u += shift) {
    Averages a{};
    const int low = std::max(lowest, u - reach - KernelTable::kFirstNode);
    const int high = std::min(kNodes - 1, u + reach - KernelTable::kFirstNode);
    for (int j = low; j <= high; ++j) {
      const double weight = density[static_cast<std::size_t>(j)];
      const KernelValues& kernel = table.values[static_cast<std::size_t>(j)];
      for (std::size_t k = 0; k < kKernels; ++k) a[k] += weight * kernel[k];
    }
    a[kMissing] += beyond;
    if (!Accumulate(a, n, total) || u * kStep > 4.0 + 9.0 * sigma) break;
    // Slide: the density at w - u - shift. The top `shift` offsets leave the table, new ones enter below.
    const int kept = std::max(0, kNodes - shift);
    const int top = KernelTable::kLastNode - u;
    for (int offset = top; offset > top - shift; --offset) {
      const int j = offset - KernelTable::kFirstNode + u;
      beyond += j >= 0 ? density[static_cast<std::size_t>(j)] : density_at(offset);
    }
    std::copy_backward(density.begin(), density.begin() + kept, density.end());
    for (int j = 0; j < kNodes - kept; ++j) {
      density[static_cast<std::size_t>(j)] = density_at(j + KernelTable::kFirstNode - u - shift);
    }
  }
  return total;
}

ExpectedSoftmax Uniform(int keys) {
  const double p = 1.0 / keys;
  return {std::log(keys), std::log(keys), p, p * p, p, 1.0 - p, p * (1.0 - p), p * (1.0 - p)};
}

ExpectedSoftmax Everything(double value) { return {value, value, value, value, value, value, value, value}; }

// unit: the score's standard deviation in x.
ExpectedSoftmax Assemble(const Integrals& total, double step, double maximum, double sigma, double unit) {
  ExpectedSoftmax e;
  e.sum_squares = step * total.sum_squares;
  e.sum_cubes = step * total.sum_cubes;
  e.jacobian_trace = step * total.trace;
  e.entropy = step * total.entropy;
  e.jacobian_frobenius_squared = step * total.frobenius;
  e.spread_response_squared = step * total.response / (unit * unit);
  e.log_partition = e.entropy + sigma * sigma * e.jacobian_trace;
  e.maximum_probability = maximum;
  return e;
}

// keys >= 2, score_std in (0, kMaximumScoreStd].
ExpectedSoftmax Evaluate(const KernelTable& table, int keys, double score_std) {
  const double maximum = ExpectedMaximumProbability(keys, score_std);
  if (score_std < kNarrow) {
    return Assemble(NarrowIntegrals(keys, score_std), kNarrowStep, maximum, score_std, 1.0);
  }
  return Assemble(WideIntegrals(table, keys, score_std), WideStep(keys, score_std), maximum, score_std,
                  score_std);
}

}  // namespace

void ExpectedSoftmax::AddWeighted(double weight, const ExpectedSoftmax& other) {
  log_partition += weight * other.log_partition;
  entropy += weight * other.entropy;
  sum_squares += weight * other.sum_squares;
  sum_cubes += weight * other.sum_cubes;
  maximum_probability += weight * other.maximum_probability;
  jacobian_trace += weight * other.jacobian_trace;
  jacobian_frobenius_squared += weight * other.jacobian_frobenius_squared;
  spread_response_squared += weight * other.spread_response_squared;
}

ExpectedSoftmax ExpectedSoftmaxOf(int keys, double score_std) {
  if (keys < 1 || keys > kMaximumRowKeys || !(score_std >= 0.0 && score_std <= kMaximumScoreStd)) {
    return Everything(kNan);
  }
  if (keys == 1) return {0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  // Subnormal numbers have too few digits to divide by, and differ from 0 in no digit of the results.
  if (score_std < std::numeric_limits<double>::min()) return Uniform(keys);
  return Evaluate(KernelTable(), keys, score_std);
}

ExpectedSoftmax ExpectedSoftmaxOfRow(int keys, int dimension, double scale) {
  const double magnitude = std::abs(scale);
  if (keys < 1 || keys > kMaximumRowKeys || dimension < 1 ||
      !(magnitude * std::sqrt(dimension) <= kMaximumRowScoreStd)) {
    return Everything(kNan);
  }
  if (keys == 1 || scale == 0.0) return ExpectedSoftmaxOf(keys, 0.0);
  const ChiRule rule = ChiQuadrature(dimension);
  const KernelTable table;
  ExpectedSoftmax total = Everything(0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rule.size); ++i) {
    total.AddWeighted(rule.weight[i], Evaluate(table, keys, magnitude * rule.radius[i]));
  }
  return total;
}

double QueryGradientSquared(const ExpectedSoftmax& row, int dimension, double scale, int value_dimension) {
  const double across = (dimension - 1.0) * row.jacobian_frobenius_squared;
  return scale * scale * value_dimension * (across + row.spread_response_squared);
}

}  // namespace sqrtdk::theory
