// What independent trials say about a quantity: mean, median, root mean square and quantiles, each with its
// standard error.
#pragma once

#include <span>

#include "stats/quantiles.h"

namespace sqrtdk {

struct Estimate {
  double mean = 0;
  double standard_error = 0;         // NaN for fewer than two trials
  double median = 0;                 // of an even number: the mean of the middle two
  double median_standard_error = 0;  // see Quantile
  double rms = 0;                    // sqrt(mean of the squares)
  double rms_standard_error = 0;     // of the mean square, over 2 rms; 0 where every value is 0
};

// `scratch` holds as many values as `values` and is reordered. `quantiles` are filled as FindQuantiles does.
// No values, or a NaN among them: all NaN.
Estimate EstimateOf(std::span<const double> values, std::span<double> scratch,
                    std::span<Quantile> quantiles = {});

}  // namespace sqrtdk
