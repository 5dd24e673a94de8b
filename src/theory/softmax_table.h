// Many rows with the same number of keys, for curves and sweeps: each expectation is a smooth function of the
// scores' standard deviation, so some twenty exact values a panel give all others.
#pragma once

#include <array>
#include <cstddef>

#include "theory/expected_softmax.h"

namespace sqrtdk::theory {

// Chebyshev interpolation of the logarithms of ExpectedSoftmaxOf(keys, .) on panels that are filled when
// first asked for. A sweep of scaled and unscaled attention over d = 1..4096 fills nine panels of 22 exact
// values, whatever the number of rows: some 50 ms in wasm for 50 rows, where 26 rows one by one take 100 to
// 200 ms. 15 KB, to be owned by the caller; not for use by two threads at once.
class SoftmaxTable {
 public:
  // keys in 1..kMaximumRowKeys; otherwise every value is NaN.
  explicit SoftmaxTable(int keys) : keys_(keys) {}

  // As ExpectedSoftmaxOf(keys, score_std), same range. Relative error below 1e-11, of sum_cubes and
  // spread_response_squared 1e-9, most below 1e-13.
  ExpectedSoftmax Of(double score_std);

  // As ExpectedSoftmaxOfRow(keys, dimension, scale), same range and error; 10 to 60 us once the panels are
  // there.
  ExpectedSoftmax OfRow(int dimension, double scale);

 private:
  static constexpr std::size_t kNodes = 22;
  // [0, 1/2] in score_std, then equal steps in its logarithm up to kMaximumScoreStd.
  static constexpr std::size_t kPanels = 12;

  struct Panel {
    bool filled = false;
    std::array<ExpectedSoftmax, kNodes> logarithms;
  };

  int keys_;
  std::array<Panel, kPanels> panels_{};
};

}  // namespace sqrtdk::theory
