#include "experiments/gradient_flow.h"

#include <algorithm>
#include <cmath>

#include "attention/attention.h"
#include "random/normals.h"
#include "simd/f32x4.h"
#include "simd/f64x2.h"
#include "simd/math64.h"
#include "softmax/diagnostics.h"

namespace sqrtdk {
namespace {

using Floats = std::span<float>;
using ConstFloats = std::span<const float>;

// The normals of a trial are one stream of their own, apart from those of the other experiments.
std::uint64_t StreamOfTrial(std::uint32_t dimension, std::size_t trial) {
  constexpr std::uint64_t kExperiment = 1;
  return kExperiment << 56 | std::uint64_t{dimension} << 32 | trial;
}

// One fixed order of summation on every target (see stats/moments.cpp).
float Dot(ConstFloats a, ConstFloats b) {
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
  return SumLanes((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

// In double: squares of what is left of a saturated row's gradient are no float32 numbers.
double WideDot(ConstFloats a, ConstFloats b) {
  F64x2 low = Splat(0.0), high = low;
  std::size_t i = 0;
  for (; i + kLanes <= a.size(); i += kLanes) {
    const F32x4 x = Load(&a[i]), y = Load(&b[i]);
    low += WidenLow(x) * WidenLow(y);
    high += WidenHigh(x) * WidenHigh(y);
  }
  double rest = 0;
  for (; i < a.size(); ++i) rest += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return SumLanes(low + high) + rest;
}
double Norm(ConstFloats a) { return std::sqrt(WideDot(a, a)); }

// v / |v|, zeros for zeros. Divided in double, so that a vector of one component becomes 1 or -1 exactly.
void Normalize(ConstFloats v, Floats unit) {
  const double norm = Norm(v);
  const double divisor = norm > 0 ? norm : 1;
  for (std::size_t i = 0; i < v.size(); ++i)
    unit[i] = static_cast<float>(static_cast<double>(v[i]) / divisor);
}

// |dL/dv|^2 from the gradient with respect to unit = v / |v|: (I - unit unit^T) gradient / |v|.
double SquareThroughNormalize(ConstFloats v, ConstFloats unit, ConstFloats gradient) {
  const double norm_squared = WideDot(v, v);
  if (norm_squared == 0) return 0;
  const double along = WideDot(unit, gradient);
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double across = static_cast<double>(gradient[i]) - along * static_cast<double>(unit[i]);
    sum += across * across;
  }
  return sum / norm_squared;
}

AttentionProblem ProblemOf(const GradientFlow& e, const ScoreRule& rule) {
  AttentionProblem problem;
  problem.shape.query_length = 1;
  problem.shape.key_length = e.keys;
  problem.shape.head_dim = e.dimension;
  problem.shape.value_dim = e.value_dim;
  problem.scale = rule.scale;
  problem.softcap = rule.softcap;
  problem.same_bits = true;
  return problem;
}

bool AnyQkNorm(const GradientFlow& e) {
  return std::any_of(e.rules.begin(), e.rules.end(), [](const ScoreRule& rule) { return rule.qk_norm; });
}

// Query, keys and what they give: as drawn, or divided by their lengths.
struct Vectors {
  Floats query, key;  // d_k; n x d_k
  Floats scores;      // n products q.k
};

// One trial and its scratch. Everything drawn lies together, so that one call draws it.
class Trial {
 public:
  Trial(const GradientFlow& e, Floats floats, std::span<double> doubles) : e_(e) {
    // In 64 bits: on 32-bit targets it may be more than can be had.
    const std::uint64_t n = e.keys, d = e.dimension, dv = e.value_dim;
    const auto take = [&](std::uint64_t count) {
      const auto begin = static_cast<std::size_t>(used_);
      used_ += count;
      return floats.empty() ? Floats{} : floats.subspan(begin, static_cast<std::size_t>(count));
    };
    drawn_.query = take(d);
    grad_output_ = take(dv);
    drawn_.key = take(n * d);
    value_ = take(n * dv);
    all_drawn_ = floats.first(floats.empty() ? 0 : static_cast<std::size_t>(used_));
    drawn_.scores = take(n);
    if (AnyQkNorm(e)) unit_ = {take(d), take(n * d), take(n)};
    grad_query_ = take(d);
    grad_key_ = take(n * d);
    grad_value_ = take(n * dv);
    output_ = take(dv);
    log_sum_exp_ = take(1);
    std::uint64_t attention = 0;
    for (const ScoreRule& rule : e.rules) {
      const AttentionProblem problem = ProblemOf(e, rule);
      attention = std::max(
          {attention, AttentionForwardScratchFloats(problem), AttentionBackwardScratchFloats(problem)});
    }
    attention_scratch_ = take(attention);
    if (doubles.empty()) return;
    spectral_scratch_ = doubles.first(e.keys);
    capped_ = doubles.subspan(e.keys, e.keys);
  }

  std::uint64_t floats() const { return used_; }

  void Draw(std::uint64_t seed, std::size_t trial) {
    FillNormal(all_drawn_, seed, StreamOfTrial(e_.dimension, trial));
    Multiply(drawn_);
    if (unit_.key.empty()) return;
    Normalize(drawn_.query, unit_.query);
    for (std::size_t j = 0; j < e_.keys; ++j) Normalize(Key(drawn_, j), Key(unit_, j));
    Multiply(unit_);
  }

  double Score(const ScoreRule& rule, std::size_t j) const {
    const double score = rule.scale * static_cast<double>(Of(rule).scores[j]);
    return rule.softcap > 0 ? rule.softcap * Tanh(score / rule.softcap) : score;
  }

  SoftmaxDiagnostics Diagnose(const ScoreRule& rule) const {
    if (rule.softcap <= 0) return DiagnoseRow(Of(rule).scores, rule.scale, spectral_scratch_);
    for (std::size_t j = 0; j < e_.keys; ++j) capped_[j] = Score(rule, j);
    return DiagnoseRow(capped_, 1.0, spectral_scratch_);
  }

  struct GradNorms {
    double query, key, value;
  };
  GradNorms Gradients(const ScoreRule& rule) const {
    const AttentionProblem problem = ProblemOf(e_, rule);
    const Vectors& used = Of(rule);
    const AttentionInputs inputs{used.query.data(), used.key.data(), value_.data()};
    AttentionForward(problem, inputs, {output_.data(), log_sum_exp_.data(), nullptr, Weights::kNone},
                     attention_scratch_.data());
    AttentionBackward(problem, inputs, {grad_output_.data(), output_.data(), log_sum_exp_.data()},
                      {grad_query_.data(), grad_key_.data(), grad_value_.data()}, attention_scratch_.data());
    const double value = Norm(grad_value_);
    if (!rule.qk_norm) return {Norm(grad_query_), Norm(grad_key_), value};
    double key_squared = 0;
    for (std::size_t j = 0; j < e_.keys; ++j) {
      const Floats gradient = grad_key_.subspan(j * e_.dimension, e_.dimension);
      key_squared += SquareThroughNormalize(Key(drawn_, j), Key(unit_, j), gradient);
    }
    const double query_squared = SquareThroughNormalize(drawn_.query, unit_.query, grad_query_);
    return {std::sqrt(query_squared), std::sqrt(key_squared), value};
  }

 private:
  const Vectors& Of(const ScoreRule& rule) const { return rule.qk_norm ? unit_ : drawn_; }
  Floats Key(const Vectors& v, std::size_t j) const { return v.key.subspan(j * e_.dimension, e_.dimension); }
  void Multiply(const Vectors& v) const {
    for (std::size_t j = 0; j < e_.keys; ++j) v.scores[j] = Dot(v.query, Key(v, j));
  }

  const GradientFlow& e_;
  std::uint64_t used_ = 0;
  Floats all_drawn_;
  Vectors drawn_, unit_;
  Floats grad_output_, value_;                 // d_v; n x d_v
  Floats grad_query_, grad_key_, grad_value_;  // shaped like query, key and value
  Floats output_, log_sum_exp_, attention_scratch_;
  std::span<double> spectral_scratch_, capped_;  // n; n scores after the softcap
};

void Record(const GradientFlow& e, const SoftmaxDiagnostics& row, Trial::GradNorms norms, double* column,
            std::size_t stride) {
  const auto put = [&](RowQuantity quantity, double value) {
    column[static_cast<std::size_t>(quantity) * stride] = value;
  };
  // The other weights' sum over the largest is what a float32 softmax adds to 1: up to 2^-24 it is lost.
  const double rest = row.max_complement / row.max_probability;
  put(RowQuantity::kEntropy, row.entropy);
  put(RowQuantity::kMaxProbability, row.max_probability);
  put(RowQuantity::kSumSquares, row.sum_squares);
  put(RowQuantity::kJacobianTrace, row.jacobian_trace);
  put(RowQuantity::kJacobianFrobenius, row.jacobian_frobenius);
  put(RowQuantity::kDead, row.jacobian_frobenius < e.dead_threshold ? 1 : 0);
  put(RowQuantity::kExactZeros, static_cast<double>(row.exact_zeros) / e.keys);
  put(RowQuantity::kJacobianSpectral, row.jacobian_spectral);
  put(RowQuantity::kPrintsOne, rest <= 0x1p-24 ? 1 : 0);
  put(RowQuantity::kGradQueryNorm, norms.query);
  put(RowQuantity::kGradKeyNorm, norms.key);
  put(RowQuantity::kGradValueNorm, norms.value);
}

}  // namespace

std::uint64_t GradientFlowScratchFloats(const GradientFlow& e) { return Trial(e, {}, {}).floats(); }

std::size_t GradientFlowScratchDoubles(const GradientFlow& e) { return 2 * std::size_t{e.keys}; }

void RunGradientTrials(const GradientFlow& e, std::uint64_t seed, std::size_t first, std::size_t count,
                       std::span<float> float_scratch, std::span<double> double_scratch,
                       TrialColumns columns) {
  Trial trial(e, float_scratch, double_scratch);
  for (std::size_t i = 0; i < count; ++i) {
    trial.Draw(seed, first + i);
    for (std::size_t r = 0; r < e.rules.size(); ++r) {
      const SoftmaxDiagnostics row = trial.Diagnose(e.rules[r]);
      double* const column = columns.values + r * kRowQuantities * columns.stride + i;
      Record(e, row, trial.Gradients(e.rules[r]), column, columns.stride);
    }
  }
}

void SampleRow(const GradientFlow& e, std::uint64_t seed, std::size_t trial, std::span<float> float_scratch,
               std::span<double> double_scratch, std::span<double> scores, std::span<double> probabilities) {
  const ScoreRule& rule = e.rules.front();
  Trial row(e, float_scratch, double_scratch);
  row.Draw(seed, trial);
  const double log_sum_exp = row.Diagnose(rule).log_sum_exp;
  for (std::size_t j = 0; j < e.keys; ++j) {
    scores[j] = row.Score(rule, j);
    probabilities[j] = std::min(Exp(scores[j] - log_sum_exp), 1.0);
  }
}

}  // namespace sqrtdk
