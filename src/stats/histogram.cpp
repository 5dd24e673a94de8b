#include "stats/histogram.h"

#include <cmath>

namespace sqrtdk {

void AddTo(Histogram& histogram, std::span<const double> values) {
  const double bins = static_cast<double>(histogram.counts.size());
  const double per_unit = bins / (histogram.high - histogram.low);
  for (const double value : values) {
    const double position = (value - histogram.low) * per_unit;
    if (position < 0) {
      ++histogram.underflow;
    } else if (position < bins) {
      ++histogram.counts[static_cast<std::size_t>(position)];
    } else {
      ++histogram.overflow;
    }
  }
}

}  // namespace sqrtdk
