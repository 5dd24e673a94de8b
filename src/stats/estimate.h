// A mean over independent trials with its standard error, and the median.
#pragma once

#include <span>

namespace sqrtdk {

struct Estimate {
  double mean = 0;
  double standard_error = 0;  // NaN for fewer than two trials
  double median = 0;          // of an even number: the mean of the middle two
};

// `scratch` holds as many values as `values` (the median is selected there). No values: all NaN.
Estimate EstimateOf(std::span<const double> values, std::span<double> scratch);

}  // namespace sqrtdk
