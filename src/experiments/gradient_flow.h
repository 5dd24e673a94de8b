// Gradient collapse: what comes back through the softmax of one attention row, by sampling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sqrtdk {

// A trial is one query, `keys` keys of its own, their values and an upstream gradient dL/dO, all N(0, 1).
// Every scale sees the same trial: score j is scale * q.k_j.
struct GradientFlow {
  std::uint32_t dimension = 1;  // d_k, at least 1
  std::uint32_t keys = 1;       // n, at least 1
  std::uint32_t value_dim = 1;  // d_v, at least 1
  std::span<const double> scales;
};

// What is measured in each trial and scale, in the order of the columns.
enum class RowQuantity : int {
  kEntropy,            // nats
  kMaxProbability,     // largest weight
  kSumSquares,         // sum p^2
  kJacobianTrace,      // tr J = 1 - sum p^2, J = diag(p) - p p^T
  kJacobianFrobenius,  // |J|_F
  kDead,               // 1 if |J|_F < kDeadRow, else 0
  kExactZeros,         // share of weights that are exactly 0 in float32
  kGradQueryNorm,      // |dL/dq|
  kGradKeyNorm,        // |dL/dK|_F
};
inline constexpr int kRowQuantities = 9;
inline constexpr double kDeadRow = 1e-3;

// Numbers of scratch values that RunGradientTrials needs.
std::size_t GradientFlowScratchFloats(const GradientFlow& experiment);
std::size_t GradientFlowScratchDoubles(const GradientFlow& experiment);

// Where results go: column c = scale index * kRowQuantities + quantity holds trial t at values[c * stride +
// t].
struct TrialColumns {
  double* values = nullptr;
  std::size_t stride = 0;  // trials a column has room for
};

// Runs trials [first, first + count). Trial t of a (seed, dimension, keys, value_dim) is always the same.
void RunGradientTrials(const GradientFlow& experiment, std::uint64_t seed, std::size_t first,
                       std::size_t count, std::span<float> float_scratch, std::span<double> double_scratch,
                       TrialColumns columns);

}  // namespace sqrtdk
