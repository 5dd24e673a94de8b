#include "stats/histogram.h"

#include <algorithm>
#include <cstddef>

namespace sqrtdk {

void AddTo(Histogram& histogram, std::span<const double> values) {
  const double bins = static_cast<double>(histogram.counts.size());
  const double per_unit = bins / (histogram.high - histogram.low);
  const std::size_t last = histogram.counts.size() - 1;
  for (const double value : values) {
    if (value < histogram.low) {
      ++histogram.underflow;
    } else if (value < histogram.high) {
      // Just below the end, rounding may name a bin too many.
      const std::size_t bin = static_cast<std::size_t>((value - histogram.low) * per_unit);
      ++histogram.counts[std::min(bin, last)];
    } else {
      ++histogram.overflow;
    }
  }
}

}  // namespace sqrtdk
