// Counts of values in bins of equal width; nothing is lost: values outside the range are counted too.
#pragma once

#include <cstdint>
#include <span>

namespace sqrtdk {

// Bins over [low, high); `counts` belongs to the caller and holds one count a bin, at least one.
struct Histogram {
  double low = 0;
  double high = 1;
  std::span<std::uint32_t> counts;
  std::uint32_t underflow = 0;  // values below low
  std::uint32_t overflow = 0;   // values at or above high, and NaN
};

// Adds every value to its bin. A value within rounding of an edge between two bins (one part in 10^7 of the
// range) may count on either side of it, the same side on every machine; the ends of the range are exact.
// Counts must not exceed 2^32 - 1 in all.
void AddTo(Histogram& histogram, std::span<const double> values);

}  // namespace sqrtdk
