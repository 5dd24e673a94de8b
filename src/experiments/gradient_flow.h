// Gradient collapse: what comes back through the softmax of one attention row, by sampling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sqrtdk {

// How a query and a key make a score: x = scale * q.k, with qk_norm of q and k divided by their Euclidean
// lengths; then softcap * tanh(x / softcap) where there is a softcap.
struct ScoreRule {
  double scale = 1;      // any finite number
  double softcap = 0;    // 0: none
  bool qk_norm = false;  // Henry et al. 2020, arXiv:2010.04245, with `scale` for their gain
};

inline constexpr double kDeadRow = 1e-3;

// A trial is one query, `keys` keys of its own, their values and an upstream gradient dL/dO, all N(0, 1).
// Every rule sees the same trial.
struct GradientFlow {
  std::uint32_t dimension = 1;  // d_k, at least 1
  std::uint32_t keys = 1;       // n, at least 1
  std::uint32_t value_dim = 1;  // d_v, at least 1
  std::span<const ScoreRule> rules;
  double dead_threshold = kDeadRow;
};

// What is measured in each trial and rule, in the order of the columns. Weights and Jacobian are those of
// softmax/diagnostics, in double.
//
// Gradients are those of the library's own attention (float32, without fused multiply-add): relative error
// some 1e-5 in saturated rows too, but weights below 2^-100 of a row's largest count as 0 there, so that a
// gradient below some 1e-30 is 0.
enum class RowQuantity : int {
  kEntropy,            // nats
  kMaxProbability,     // largest weight
  kSumSquares,         // sum p^2
  kJacobianTrace,      // tr J = 1 - sum p^2, J = diag(p) - p p^T
  kJacobianFrobenius,  // |J|_F
  kDead,               // 1 if |J|_F < dead_threshold, else 0
  kExactZeros,         // share of weights that are exactly 0 in float32
  kJacobianSpectral,   // |J|_2, the largest eigenvalue of J
  kPrintsOne,          // 1 if a float32 softmax gives a weight of exactly 1, else 0
  kGradQueryNorm,      // |dL/dq|
  kGradKeyNorm,        // |dL/dK|_F
  kGradValueNorm,      // |dL/dV|_F
};
inline constexpr int kRowQuantities = 12;

// Numbers of scratch values that the calls below need: two copies of keys and values, three with a rule of
// qk_norm, and a little. In 64 bits, for on 32-bit targets it may be more than can be had.
std::uint64_t GradientFlowScratchFloats(const GradientFlow& experiment);
std::size_t GradientFlowScratchDoubles(const GradientFlow& experiment);

// Where results go: trial t of column c = rule index * kRowQuantities + quantity is values[c * stride + t].
struct TrialColumns {
  double* values = nullptr;
  std::size_t stride = 0;  // trials a column has room for
};

// Runs trials [first, first + count). Trial t of a (seed, dimension, keys, value_dim) is always the same,
// whatever the rules.
void RunGradientTrials(const GradientFlow& experiment, std::uint64_t seed, std::size_t first,
                       std::size_t count, std::span<float> float_scratch, std::span<double> double_scratch,
                       TrialColumns columns);

// Scores and weights of trial `trial` under the experiment's first rule, `keys` values each, in the order of
// the keys.
void SampleRow(const GradientFlow& experiment, std::uint64_t seed, std::size_t trial,
               std::span<float> float_scratch, std::span<double> double_scratch, std::span<double> scores,
               std::span<double> probabilities);

}  // namespace sqrtdk
