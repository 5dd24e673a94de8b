#include "theory/softmax_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "theory/chi_quadrature.h"

namespace sqrtdk::theory {
namespace {

// E p_max is linear in sigma near 0 and all else even, so the first panel is in sigma itself; beyond, the
// scale of variation grows with sigma. There sums of powers of many weights grow a millionfold within a
// panel, and only their logarithms are smooth enough to keep the digits of the small ones.
constexpr double kFirstPanel = 0.5;

// Where on [-1, 1] of its panel a score_std lies.
struct Place {
  std::size_t panel;
  double x;
};

double LogPanelWidth(std::size_t panels) {
  return std::log(kMaximumScoreStd / kFirstPanel) / static_cast<double>(panels - 1);
}

Place PlaceOf(double score_std, std::size_t panels) {
  if (score_std <= kFirstPanel) return {0, 4.0 * score_std - 1.0};
  const double position = std::log(score_std / kFirstPanel) / LogPanelWidth(panels);
  const double index = std::min(std::floor(position), static_cast<double>(panels - 2));
  return {1 + static_cast<std::size_t>(index), 2.0 * (position - index) - 1.0};
}

double ScoreStdAt(Place place, std::size_t panels) {
  if (place.panel == 0) return 0.25 * (place.x + 1.0);
  const double position = static_cast<double>(place.panel - 1) + 0.5 * (place.x + 1.0);
  return std::min(kMaximumScoreStd, kFirstPanel * std::exp(position * LogPanelWidth(panels)));
}

// f of every field.
template <class Function>
ExpectedSoftmax Map(const ExpectedSoftmax& e, Function f) {
  return {f(e.log_partition),
          f(e.entropy),
          f(e.sum_squares),
          f(e.sum_cubes),
          f(e.maximum_probability),
          f(e.jacobian_trace),
          f(e.jacobian_frobenius_squared),
          f(e.spread_response_squared)};
}

}  // namespace

ExpectedSoftmax SoftmaxTable::Of(double score_std) {
  // Nothing to interpolate: exact, or out of range.
  if (keys_ <= 1 || keys_ > kMaximumRowKeys || !(score_std > 0.0 && score_std <= kMaximumScoreStd)) {
    return ExpectedSoftmaxOf(keys_, score_std);
  }
  const Place place = PlaceOf(score_std, kPanels);
  Panel& panel = panels_[place.panel];
  const auto angle = [](std::size_t k) { return std::numbers::pi * (static_cast<double>(k) + 0.5) / kNodes; };
  if (!panel.filled) {
    for (std::size_t k = 0; k < kNodes; ++k) {
      const double node = ScoreStdAt({place.panel, std::cos(angle(k))}, kPanels);
      panel.logarithms[k] = Map(ExpectedSoftmaxOf(keys_, node), [](double x) { return std::log(x); });
    }
    panel.filled = true;
  }
  // Barycentric formula at Chebyshev points of the first kind: sum w_k f_k / (x - x_k) over sum w_k / (x -
  // x_k), w_k = (-1)^k sin(angle_k). (Berrut & Trefethen 2004.)
  ExpectedSoftmax sum{};
  double total = 0.0;
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double distance = place.x - std::cos(angle(k));
    if (distance == 0.0) return Map(panel.logarithms[k], [](double x) { return std::exp(x); });
    const double weight = (k % 2 == 0 ? 1.0 : -1.0) * std::sin(angle(k)) / distance;
    sum.AddWeighted(weight, panel.logarithms[k]);
    total += weight;
  }
  return Map(sum, [total](double x) { return std::exp(x / total); });
}

ExpectedSoftmax SoftmaxTable::OfRow(int dimension, double scale) {
  const double magnitude = std::abs(scale);
  if (keys_ <= 1 || keys_ > kMaximumRowKeys || dimension < 1 || scale == 0.0 ||
      !(magnitude * std::sqrt(dimension) <= kMaximumRowScoreStd)) {
    return ExpectedSoftmaxOfRow(keys_, dimension, scale);
  }
  const ChiRule rule = ChiQuadrature(dimension);
  ExpectedSoftmax total{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rule.size); ++i) {
    total.AddWeighted(rule.weight[i], Of(magnitude * rule.radius[i]));
  }
  return total;
}

}  // namespace sqrtdk::theory
