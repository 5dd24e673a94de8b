// Any of the n keys may be the strongest; let its score be s = sigma v. The others are then iid, each below
// s, and p_max = 1/(1+Y), Y = sum e^{s_j - s}. With 1/(1+Y) = int_0^inf e^{-x(1+Y)} dx the others factorise:
//
//   E p_max = int_0^inf dx e^-x  n int dv phi(v) B(x, v)^{n-1}
//   B(x, v) = int_0^inf phi(v - y/sigma) exp(-x e^-y) dy/sigma = Phi(v) - int_0^inf phi(v - y/sigma) (1 -
//   exp(-x e^-y)) dy/sigma
//
// with y >= 0 the distance below the top. v: trapezoid, the integrand being smooth and decaying at both ends.
// x: the double exponential rule x = exp(z - e^-z), as its scale runs from 1 to 1/n. y: Gauss-Legendre, since
// the integrand is cut off at 0 where it is largest; the second form of B is smooth and short-ranged however
// large sigma.
#include "theory/maximum_probability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "theory/gauss_legendre.h"

namespace sqrtdk::theory {
namespace {

constexpr std::size_t kDepths = 2 * kGaussLegendre32.size();  // nodes in y
constexpr std::size_t kMaximumRates = 44;                     // nodes in x
constexpr double kRateStep = 0.3;
constexpr double kLowestRate = -3.5;  // e^-e^3.5 < 1e-14

}  // namespace

double ExpectedMaximumProbability(int keys, double score_std) {
  const double n = keys;
  // Deeper than this, a key is either improbable or its weight is below 1e-13 / n of the top.
  const double depth = std::min(17.0 * score_std, 34.0 + std::log(n));
  // 1/(1+Y) is typically this for v near sqrt(2 ln n); x must be resolved around it and up to about 36.
  const double frozen = std::sqrt(2.0 * std::log(n));
  const double log_scale = -0.5 * std::pow(std::max(0.0, frozen - score_std), 2);
  const double log_range = 3.6 + std::min(-log_scale, 6.0 * score_std);
  const std::size_t rates =
      std::min(kMaximumRates, static_cast<std::size_t>((log_range - kLowestRate) / kRateStep) + 1);

  std::array<double, kDepths> y, relative;                         // relative = e^-y
  std::array<std::array<double, kMaximumRates>, kDepths> missing;  // weight (1 - exp(-x e^-y)) / sigma
  std::array<double, kMaximumRates> rate_weight;
  for (std::size_t i = 0; i < kGaussLegendre32.size(); ++i) {
    y[2 * i] = 0.5 * depth * (1.0 - kGaussLegendre32[i].node);
    y[2 * i + 1] = 0.5 * depth * (1.0 + kGaussLegendre32[i].node);
  }
  for (std::size_t i = 0; i < kDepths; ++i) relative[i] = std::exp(-y[i]);
  for (std::size_t r = 0; r < rates; ++r) {
    const double z = kLowestRate + kRateStep * static_cast<double>(r);
    const double rate = std::exp(log_scale + z - std::exp(-z));
    rate_weight[r] = kRateStep * rate * (1.0 + std::exp(-z)) * std::exp(-rate);
    for (std::size_t i = 0; i < kDepths; ++i) {
      const double weight = 0.5 * depth * kGaussLegendre32[i / 2].weight / score_std;
      missing[i][r] = -weight * std::expm1(-rate * relative[i]);
    }
  }
  const double step = 0.45 / frozen;
  double expected = 0.0;
  for (int i = static_cast<int>(-8.0 / step); step * i < 9.0; ++i) {
    const double v = step * i;
    const double above = 0.5 * std::erfc(v / std::numbers::sqrt2);
    const double density = n * std::exp(-0.5 * v * v) / std::sqrt(2.0 * std::numbers::pi);
    if (density * std::exp((n - 1.0) * std::log1p(-above)) < 1e-15) continue;
    std::array<double, kMaximumRates> lost{};
    for (std::size_t k = 0; k < kDepths; ++k) {
      const double offset = v - y[k] / score_std;
      if (std::abs(offset) > 9.0) continue;
      const double phi = std::exp(-0.5 * offset * offset) / std::sqrt(2.0 * std::numbers::pi);
      for (std::size_t r = 0; r < rates; ++r) lost[r] += phi * missing[k][r];
    }
    double sum = 0.0;
    for (std::size_t r = 0; r < rates; ++r) {
      const double below = 1.0 - (above + lost[r]);
      const double log_power = below > 0.0 ? (n - 1.0) * std::log(below) : -100.0;
      if (log_power < -40.0) break;  // B falls with x: no later node adds anything
      sum += rate_weight[r] * std::exp(log_power);
    }
    expected += step * density * sum;
  }
  return expected;
}

}  // namespace sqrtdk::theory
