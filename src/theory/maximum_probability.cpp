// Any of the n keys may be the strongest; let its score be s = sigma v. The others are then iid, each below
// s, and p_max = 1/(1+Y), Y = sum e^{s_j - s}. With 1/(1+Y) = int_0^inf e^{-x(1+Y)} dx the others factorise:
//
//   E p_max = int_0^inf dx e^-x  n int dv phi(v) B(x, v)^{n-1}
//   B(x, v) = int_0^inf phi(v - y/sigma) exp(-x e^-y) dy/sigma
//           = Phi(v) - int_0^inf phi(v - y/sigma) (1 - exp(-x e^-y)) dy/sigma
//
// with y >= 0 the distance below the top. v: trapezoid, the integrand being smooth and decaying at both ends.
// x, whose scale runs from 1 to 1/n, and y, whose integrand is cut off at 0 where it is largest: the double
// exponential rule, x and y = exp(z - e^-z). The second form of B is smooth and short-ranged however large
// sigma. (64 points of Gauss-Legendre in y were good to 5e-11 only.)
#include "theory/maximum_probability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sqrtdk::theory {
namespace {

// Each step is a tenth or so below the one at which the error shows in the thirteenth digit.
constexpr double kRateStep = 0.25, kScoreStep = 0.38;
constexpr double kLowest = -3.6;  // e^-e^3.6 < 2e-16
constexpr std::size_t kMaximumDepths = 80, kMaximumRates = 80;

// For small sigma the normal density ends the integrand in y. Off the real axis e^-y^2 stops decaying earlier
// than e^-y does, so the steps must be smaller.
double DepthStep(double score_std) { return score_std < 2.0 ? 0.09 : 0.14; }

// A node of the double exponential rule and its weight, for unit step.
struct HalfLineNode {
  double value, weight;
};

HalfLineNode NodeAt(double z) {
  const double stretch = std::exp(-z), value = std::exp(z - stretch);
  return {value, value * (1.0 + stretch)};
}

}  // namespace

double ExpectedMaximumProbability(int keys, double score_std) {
  const double n = keys;
  const double frozen = std::sqrt(2.0 * std::log(n));
  // 1/(1+Y) is typically this for v near sqrt(2 ln n); x must be resolved around it and up to about 36.
  const double log_scale = -0.5 * std::pow(std::max(0.0, frozen - score_std), 2);
  const double log_range = 3.7 + std::min(-log_scale, 6.0 * score_std);
  const std::size_t rates =
      std::min(kMaximumRates, static_cast<std::size_t>((log_range - kLowest) / kRateStep) + 1);
  std::array<double, kMaximumRates> rate, rate_weight;
  for (std::size_t r = 0; r < rates; ++r) {
    const HalfLineNode node = NodeAt(kLowest + kRateStep * static_cast<double>(r));
    rate[r] = std::exp(log_scale) * node.value;
    rate_weight[r] = kRateStep * std::exp(log_scale - rate[r]) * node.weight;
  }

  // Deeper than this, a key is either improbable or its weight is below 1e-15 / n of the top.
  const double deepest = std::min(17.0 * score_std, 36.0 + std::log(n));
  const double depth_scale = std::min(1.0, score_std), depth_step = DepthStep(score_std);
  std::array<double, kMaximumDepths> offset;                              // y / sigma
  std::array<std::array<double, kMaximumRates>, kMaximumDepths> missing;  // weight (1 - exp(-x e^-y)) / sigma
  std::size_t depths = 0;
  for (; depths < kMaximumDepths; ++depths) {
    const HalfLineNode node = NodeAt(kLowest + depth_step * static_cast<double>(depths));
    const double y = depth_scale * node.value;
    if (y > deepest) break;
    const double weight = depth_step * depth_scale * node.weight / score_std, relative = std::exp(-y);
    offset[depths] = y / score_std;
    for (std::size_t r = 0; r < rates; ++r) missing[depths][r] = -weight * std::expm1(-rate[r] * relative);
  }

  const double step = kScoreStep / frozen;
  const double normalise = 1.0 / std::sqrt(2.0 * std::numbers::pi);
  double expected = 0.0;
  for (int i = static_cast<int>(-8.0 / step); step * i < 9.0; ++i) {
    const double v = step * i;
    const double above = 0.5 * std::erfc(v / std::numbers::sqrt2);
    const double density = normalise * n * std::exp(-0.5 * v * v);
    if (density * std::exp((n - 1.0) * std::log1p(-above)) < 1e-16) continue;
    std::array<double, kMaximumRates> lost{};
    for (std::size_t k = 0; k < depths; ++k) {
      const double w = v - offset[k];
      if (std::abs(w) > 9.0) continue;
      const double phi = normalise * std::exp(-0.5 * w * w);
      for (std::size_t r = 0; r < rates; ++r) lost[r] += phi * missing[k][r];
    }
    double sum = 0.0;
    for (std::size_t r = 0; r < rates; ++r) {
      const double log_power = (n - 1.0) * std::log1p(-std::min(above + lost[r], 1.0));
      if (log_power < -40.0) break;  // B falls with x: no later node adds anything
      sum += rate_weight[r] * std::exp(log_power);
    }
    expected += step * density * sum;
  }
  return expected;
}

}  // namespace sqrtdk::theory
