// Runs of the gradient-flow experiment, for its tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "experiments/gradient_flow.h"
#include "stats/estimate.h"

namespace sqrtdk::test {

// Runs trials [0, trials) in pieces of `piece` and returns the columns.
inline std::vector<double> Run(const GradientFlow& e, std::uint64_t seed, std::size_t trials,
                               std::size_t piece) {
  std::vector<float> floats(static_cast<std::size_t>(GradientFlowScratchFloats(e)));
  std::vector<double> doubles(GradientFlowScratchDoubles(e));
  std::vector<double> columns(e.rules.size() * kRowQuantities * trials);
  for (std::size_t first = 0; first < trials; first += piece) {
    RunGradientTrials(e, seed, first, std::min(piece, trials - first), floats, doubles,
                      {columns.data() + first, trials});
  }
  return columns;
}
inline std::vector<double> Run(const GradientFlow& e, std::uint64_t seed, std::size_t trials) {
  return Run(e, seed, trials, trials);
}

inline std::span<const double> Column(const std::vector<double>& columns, std::size_t trials,
                                      std::size_t rule, RowQuantity quantity) {
  return std::span(columns).subspan((rule * kRowQuantities + static_cast<std::size_t>(quantity)) * trials,
                                    trials);
}

inline Estimate EstimateOf(std::span<const double> column) {
  std::vector<double> scratch(column.size());
  return sqrtdk::EstimateOf(column, scratch);
}

}  // namespace sqrtdk::test
