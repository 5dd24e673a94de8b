#include "stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/moments.h"

namespace sqrtdk {

Estimate EstimateOf(std::span<const double> values, std::span<double> scratch) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {kNaN, kNaN, kNaN};
  const Moments moments = MomentsOf(values);
  // nth_element needs an order, which NaN breaks: with one the median is as undefined as the mean.
  if (std::isnan(moments.mean)) return {kNaN, kNaN, kNaN};
  const auto begin = scratch.begin();
  const auto end = std::copy(values.begin(), values.end(), begin);
  const auto middle = begin + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(begin, middle, end);
  double median = *middle;
  if (values.size() % 2 == 0) median = (median + *std::max_element(begin, middle)) / 2;
  return {moments.mean, MeanStandardError(moments), median};
}

}  // namespace sqrtdk
