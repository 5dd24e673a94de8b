#include "theory/moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool IsStd(double std) { return std >= 0.0 && std::isfinite(std); }

bool Valid(const DotProductMomentsOptions& o) {
  return o.dimension >= 1 && IsStd(o.query_std) && IsStd(o.key_std) && std::isfinite(o.query_mean) &&
         std::isfinite(o.key_mean) && o.correlation >= LowestCorrelation(o.dimension) &&
         o.correlation <= 1.0 && !std::isnan(ComponentExcessKurtosis(o.law, o.degrees_of_freedom));
}

double Square(double x) { return x * x; }

}  // namespace

double LowestCorrelation(int dimension) { return dimension > 1 ? -1.0 / (dimension - 1.0) : -1.0; }

double ComponentExcessKurtosis(ComponentLaw law, double degrees_of_freedom) {
  switch (law) {
    case ComponentLaw::kNormal:
      return 0.0;
    case ComponentLaw::kUniform:
      return -1.2;
    case ComponentLaw::kRademacher:
      return -2.0;
    case ComponentLaw::kLaplace:
      return 3.0;
    case ComponentLaw::kStudentT:
      if (!(degrees_of_freedom > 2.0)) return kNan;
      return degrees_of_freedom > 4.0 ? 6.0 / (degrees_of_freedom - 4.0) : kInfinity;
  }
  return kNan;
}

DotProductMoments DotProductMomentsOf(const DotProductMomentsOptions& o) {
  if (!Valid(o)) return {kNan, kNan, kNan};
  const double d = o.dimension, rho = o.correlation;
  const double lambda = std::max(0.0, 1.0 + (d - 1.0) * rho);  // largest eigenvalue of Sigma, for rho > 0
  const double t2 = d * (1.0 + (d - 1.0) * rho * rho);
  const double t4 = (d - 1.0) * Square(Square(1.0 - rho)) + Square(Square(lambda));

  // The three parts of the variance: of the query alone, of the key alone, of their product.
  const double query = d * lambda * Square(o.key_mean * o.query_std);
  const double key = d * lambda * Square(o.query_mean * o.key_std);
  const double product = t2 * Square(o.query_std * o.key_std);

  DotProductMoments s{d * o.query_mean * o.key_mean, query + key + product, kNan};
  const double kappa = ComponentExcessKurtosis(o.law, o.degrees_of_freedom);
  if (kappa == kInfinity) {
    if (s.variance > 0.0) s.excess_kurtosis = kInfinity;
    return s;
  }
  // Shares of the variance rather than its parts: their squares cannot overflow. 0/0 of a constant is NaN.
  const double a = query / s.variance, b = key / s.variance, c = product / s.variance;
  s.excess_kurtosis = kappa * (a * a + b * b) / d +
                      (a + b) * c * (12.0 * lambda * lambda / t2 + 6.0 * kappa / d) +
                      c * c *
                          (6.0 * t4 / (t2 * t2) + 6.0 * kappa / d +
                           kappa * kappa * d * (1.0 + (d - 1.0) * Square(rho * rho)) / (t2 * t2));
  return s;
}

double VarianceStandardError(const DotProductMoments& moments, double samples) {
  if (!(samples >= 2.0) || !std::isfinite(samples)) return kNan;
  if (moments.variance == 0.0) return 0.0;
  // Not below 0 by rounding, for a coin's kurtosis of -2.
  const double relative = 2.0 / (samples - 1.0) + moments.excess_kurtosis / samples;
  return moments.variance * std::sqrt(std::max(relative, 0.0));
}

double ScoreMatrixVarianceError(double rows, double keys, double dimension) {
  if (!(rows >= 1.0 && keys >= 1.0 && dimension >= 1.0)) return kNan;
  return std::sqrt(2.0 * (1.0 / (rows * dimension) + 1.0 / (keys * dimension) + 1.0 / (rows * keys) +
                          1.0 / (rows * keys * dimension)));
}

}  // namespace sqrtdk::theory
