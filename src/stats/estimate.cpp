#include "stats/estimate.h"

#include <algorithm>
#include <cmath>

#include "stats/moments.h"

namespace sqrtdk {

Estimate EstimateOf(std::span<const double> values, std::span<double> scratch,
                    std::span<Quantile> quantiles) {
  const std::span<double> own = scratch.first(values.size());
  std::transform(values.begin(), values.end(), own.begin(), [](double value) { return value * value; });
  const Moments squares = MomentsOf(std::span<const double>(own));
  std::copy(values.begin(), values.end(), own.begin());
  Quantile median{.probability = 0.5};
  FindQuantiles(own, {&median, 1});
  FindQuantiles(own, quantiles);

  if (std::isnan(median.value)) {
    const double undefined = median.value;
    return {undefined, undefined, undefined, undefined, undefined, undefined};
  }
  const Moments moments = MomentsOf(values);
  const double rms = std::sqrt(squares.mean);
  const double square_error = MeanStandardError(squares);
  return {moments.mean, MeanStandardError(moments),
          median.value, median.standard_error,
          rms,          square_error == 0 ? 0 : square_error / (2 * rms)};
}

}  // namespace sqrtdk
