#include "experiments/gradient_flow.h"

#include <algorithm>
#include <cmath>

#include "random/normals.h"
#include "simd/f32x4.h"
#include "simd/math64.h"
#include "softmax/diagnostics.h"

namespace sqrtdk {
namespace {

// The normals of a trial are one stream of their own, apart from those of the other experiments.
std::uint64_t StreamOfTrial(std::uint32_t dimension, std::size_t trial) {
  constexpr std::uint64_t kExperiment = 1;
  return kExperiment << 56 | std::uint64_t{dimension} << 32 | trial;
}

// One fixed order of summation on every target (see stats/moments.cpp).
double Dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kStep = 4 * kLanes;
  F32x4 sum[4] = {};
  std::size_t i = 0;
  for (; i + kStep <= a.size(); i += kStep) {
    for (std::size_t chain = 0; chain < 4; ++chain) {
      sum[chain] += Load(&a[i + chain * kLanes]) * Load(&b[i + chain * kLanes]);
    }
  }
  float rest = 0;
  for (; i < a.size(); ++i) rest += a[i] * b[i];
  return static_cast<double>(SumLanes((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest);
}

double Norm(std::span<const float> a) { return std::sqrt(Dot(a, a)); }

// sum += factor * row
void AddScaled(float factor, std::span<const float> row, std::span<float> sum) {
  std::size_t i = 0;
  for (; i + kLanes <= row.size(); i += kLanes) Store(Load(&sum[i]) + Splat(factor) * Load(&row[i]), &sum[i]);
  for (; i < row.size(); ++i) sum[i] += factor * row[i];
}

// The scratch of one trial. Everything drawn comes first and lies together, so that one call draws it.
struct Trial {
  std::span<float> drawn;                           // query, grad_output, keys, values
  std::span<float> query, grad_output, key, value;  // d_k; d_v; n x d_k; n x d_v
  std::span<float> scores, grad_query;              // n unscaled scores; d_k
  std::span<double> grad_probability, grad_score;   // dL/dp and dL/d(scaled score), n each

  Trial(const GradientFlow& e, std::span<float> floats, std::span<double> doubles) {
    const std::size_t n = e.keys, d = e.dimension, dv = e.value_dim;
    const auto take = [&floats](std::size_t count) {
      const std::span<float> part = floats.first(count);
      floats = floats.subspan(count);
      return part;
    };
    drawn = floats.first((n + 1) * (d + dv));
    query = take(d);
    grad_output = take(dv);
    key = take(n * d);
    value = take(n * dv);
    scores = take(n);
    grad_query = take(d);
    grad_probability = doubles.first(n);
    grad_score = doubles.subspan(n, n);
  }
};

// The backward pass of one row, as in the textbook: dS = p * (dP - sum p dP), dq = c dS K, dK = c dS^T q.
struct GradNorms {
  double query, key;
};
GradNorms Backward(const GradientFlow& e, double scale, double log_sum_exp, const Trial& trial) {
  // 1. Weights, and the mean of dP under them.
  double mean = 0;
  for (std::size_t j = 0; j < e.keys; ++j) {
    const double p = Exp(scale * static_cast<double>(trial.scores[j]) - log_sum_exp);
    trial.grad_score[j] = p;
    mean += p * trial.grad_probability[j];
  }
  // 2. dS, and dq as the sum of the keys it weighs. What is too small to change a float32 sum is left out: in
  // a saturated row that is nearly every key, and subnormal factors would be slow.
  std::fill(trial.grad_query.begin(), trial.grad_query.end(), 0.0f);
  double square = 0;
  for (std::size_t j = 0; j < e.keys; ++j) {
    const double grad = trial.grad_score[j] * (trial.grad_probability[j] - mean);
    square += grad * grad;
    if (std::fabs(grad) > 1e-30) {
      AddScaled(static_cast<float>(grad), trial.key.subspan(j * e.dimension, e.dimension), trial.grad_query);
    }
  }
  const double c = std::fabs(scale);
  return {c * Norm(trial.grad_query), c * Norm(trial.query) * std::sqrt(square)};
}

void Record(const SoftmaxDiagnostics& row, GradNorms norms, std::uint32_t keys, double* column,
            std::size_t stride) {
  const auto put = [&](RowQuantity quantity, double value) {
    column[static_cast<std::size_t>(quantity) * stride] = value;
  };
  put(RowQuantity::kEntropy, row.entropy);
  put(RowQuantity::kMaxProbability, row.max_probability);
  put(RowQuantity::kSumSquares, row.sum_squares);
  put(RowQuantity::kJacobianTrace, row.jacobian_trace);
  put(RowQuantity::kJacobianFrobenius, row.jacobian_frobenius);
  put(RowQuantity::kDead, row.jacobian_frobenius < kDeadRow ? 1 : 0);
  put(RowQuantity::kExactZeros, static_cast<double>(row.exact_zeros) / keys);
  put(RowQuantity::kGradQueryNorm, norms.query);
  put(RowQuantity::kGradKeyNorm, norms.key);
}

}  // namespace

std::size_t GradientFlowScratchFloats(const GradientFlow& e) {
  const std::size_t n = e.keys, d = e.dimension, dv = e.value_dim;
  return (n + 1) * (d + dv) + n + d;
}

std::size_t GradientFlowScratchDoubles(const GradientFlow& e) { return 2 * std::size_t{e.keys}; }

void RunGradientTrials(const GradientFlow& e, std::uint64_t seed, std::size_t first, std::size_t count,
                       std::span<float> float_scratch, std::span<double> double_scratch,
                       TrialColumns columns) {
  const Trial trial(e, float_scratch, double_scratch);
  for (std::size_t i = 0; i < count; ++i) {
    FillNormal(trial.drawn, seed, StreamOfTrial(e.dimension, first + i));
    for (std::size_t j = 0; j < e.keys; ++j) {
      const std::span<const float> key = trial.key.subspan(j * e.dimension, e.dimension);
      const std::span<const float> value = trial.value.subspan(j * e.value_dim, e.value_dim);
      trial.scores[j] = static_cast<float>(Dot(trial.query, key));
      trial.grad_probability[j] = Dot(trial.grad_output, value);
    }
    for (std::size_t s = 0; s < e.scales.size(); ++s) {
      const SoftmaxDiagnostics row = DiagnoseRow(trial.scores, e.scales[s]);
      const GradNorms norms = Backward(e, e.scales[s], row.log_sum_exp, trial);
      Record(row, norms, e.keys, columns.values + s * kRowQuantities * columns.stride + i, columns.stride);
    }
  }
}

}  // namespace sqrtdk
