#include "theory/moments.h"

#include <cmath>
#include <limits>

namespace sqrtdk::theory {
namespace {

Moment Missing(MomentStatus why) { return {std::numeric_limits<double>::quiet_NaN(), why}; }

Moment Present(double value) {
  return std::isfinite(value) ? Moment{value, MomentStatus::kExists}
                              : Missing(MomentStatus::kInvalidArgument);
}

bool IsStd(double std) { return std >= 0.0 && std::isfinite(std); }

bool Valid(const DotProductMomentsOptions& o) {
  return o.dimension >= 1 && IsStd(o.query_std) && IsStd(o.key_std) && std::isfinite(o.query_mean) &&
         std::isfinite(o.key_mean) && o.law >= ComponentLaw::kNormal && o.law <= ComponentLaw::kStudentT &&
         (o.law != ComponentLaw::kStudentT || o.degrees_of_freedom > 0.0);
}

}  // namespace

Moment ComponentExcessKurtosis(ComponentLaw law, double degrees_of_freedom) {
  switch (law) {
    case ComponentLaw::kNormal:
      return Present(0.0);
    case ComponentLaw::kUniform:
      return Present(-1.2);
    case ComponentLaw::kRademacher:
      return Present(-2.0);
    case ComponentLaw::kLaplace:
      return Present(3.0);
    case ComponentLaw::kStudentT:
      if (!(degrees_of_freedom > 0.0)) return Missing(MomentStatus::kInvalidArgument);
      if (degrees_of_freedom <= 1.0) return Missing(MomentStatus::kNoMean);
      if (degrees_of_freedom <= 2.0) return Missing(MomentStatus::kInfiniteVariance);
      if (degrees_of_freedom <= 4.0) return Missing(MomentStatus::kInfiniteKurtosis);
      return Present(6.0 / (degrees_of_freedom - 4.0));  // nu = inf is the normal law
  }
  return Missing(MomentStatus::kInvalidArgument);
}

DotProductMoments DotProductMomentsOf(const DotProductMomentsOptions& o) {
  if (!Valid(o)) {
    const Moment none = Missing(MomentStatus::kInvalidArgument);
    return {none, none, none};
  }
  const Moment component = ComponentExcessKurtosis(o.law, o.degrees_of_freedom);
  const double d = o.dimension;
  DotProductMoments s;
  if (component.status == MomentStatus::kNoMean) {
    s.mean = s.variance = s.excess_kurtosis = component;
    return s;
  }
  s.mean = Present(d * o.query_mean * o.key_mean);
  if (component.status == MomentStatus::kInfiniteVariance) {
    s.variance = s.excess_kurtosis = component;
    return s;
  }
  const double a2 = o.key_mean * o.key_mean * o.query_std * o.query_std;
  const double b2 = o.query_mean * o.query_mean * o.key_std * o.key_std;
  const double c2 = o.query_std * o.query_std * o.key_std * o.key_std;
  const double variance = a2 + b2 + c2;
  s.variance = Present(d * variance);
  if (component.status != MomentStatus::kExists) {
    s.excess_kurtosis = component;
  } else if (variance == 0.0) {
    s.excess_kurtosis = Missing(MomentStatus::kUndefined);
  } else {
    // Shares of the variance rather than the squares themselves: these cannot overflow.
    const double a = a2 / variance, b = b2 / variance, c = c2 / variance;
    const double fourth = component.value + 3.0;
    const double m4 = fourth * (a * a + b * b + 6.0 * c * (a + b)) + 6.0 * a * b + fourth * fourth * c * c;
    s.excess_kurtosis = Present((m4 - 3.0) / d);
  }
  return s;
}

Moment EquicorrelatedVariance(int dimension, double query_std, double key_std, double query_correlation,
                              double key_correlation) {
  const double d = dimension;
  const double lowest = dimension > 1 ? -1.0 / (d - 1.0) : -1.0;
  const auto is_correlation = [lowest](double rho) { return rho >= lowest && rho <= 1.0; };
  if (dimension < 1 || !IsStd(query_std) || !IsStd(key_std) || !is_correlation(query_correlation) ||
      !is_correlation(key_correlation)) {
    return Missing(MomentStatus::kInvalidArgument);
  }
  const double c = query_std * key_std;
  return Present(c * c * d * (1.0 + (d - 1.0) * query_correlation * key_correlation));
}

Moment VarianceStandardError(const DotProductMoments& moments, double samples) {
  if (moments.variance.status != MomentStatus::kExists) return Missing(moments.variance.status);
  if (!(samples >= 2.0) || !std::isfinite(samples)) return Missing(MomentStatus::kInvalidArgument);
  if (moments.excess_kurtosis.status == MomentStatus::kUndefined)
    return Present(0.0);  // a constant has no error
  if (moments.excess_kurtosis.status != MomentStatus::kExists) return Missing(moments.excess_kurtosis.status);
  return Present(moments.variance.value *
                 std::sqrt(2.0 / (samples - 1.0) + moments.excess_kurtosis.value / samples));
}

Moment ScoreMatrixVarianceRelativeError(int rows, int keys, int dimension) {
  if (rows < 1 || keys < 1 || dimension < 1) return Missing(MomentStatus::kInvalidArgument);
  const double t = rows, n = keys, d = dimension;
  return Present(std::sqrt(2.0 / (t * d) + 2.0 / (n * d) + 2.0 / (t * n) + 2.0 / (t * n * d)));
}

}  // namespace sqrtdk::theory
