#include "theory/entropy_floor.h"

#include <cmath>
#include <limits>

namespace sqrtdk::theory {

double EntropyFloor(double keys, double score_norm) {
  if (!(keys >= 1.0 && score_norm >= 0.0)) return std::numeric_limits<double>::quiet_NaN();
  if (keys == 1.0) return 0.0;
  const double others = keys - 1.0;
  const double gap = score_norm * std::sqrt(keys / others);  // of the top score over the others
  const double weight = others * std::exp(-gap);             // of all others, that of the top being 1
  if (weight == 0.0) return 0.0;                             // infinity times 0 otherwise
  return std::log1p(weight) + gap * weight / (1.0 + weight);
}

}  // namespace sqrtdk::theory
