#include <emscripten/bind.h>

#include <array>

#include "bindings/memory.h"
#include "experiments/dot_products.h"
#include "experiments/gradient_flow.h"
#include "simd/math64.h"
#include "stats/estimate.h"

namespace sqrtdk {
namespace {

// DotProducts and the part of it to run; integers beyond 2^32 as double.
struct DotProductsCall {
  std::uint32_t dimension;
  int law;
  double degrees_of_freedom, correlation;
  double mean, query_std, key_std, scale;
  double seed, first_block, samples;
  double low, high;  // of the histogram
};

// `moments` (7 doubles) and `counts` (one a bin, then underflow and overflow) hold what earlier blocks gave,
// and are updated. `values` (one double a sample) may be 0: not wanted.
void SampleDotProductsAt(const DotProductsCall& call, Address moments, Address counts, std::size_t bins,
                         Address values) {
  const DotProducts experiment{call.dimension,
                               static_cast<ComponentLaw>(call.law),
                               call.degrees_of_freedom,
                               call.correlation,
                               call.mean,
                               call.query_std,
                               call.key_std,
                               call.scale};
  const std::uint64_t samples = ToInteger(call.samples);
  std::uint32_t* const tails = At<std::uint32_t>(counts) + bins;
  Histogram histogram{call.low, call.high, SpanAt<std::uint32_t>(counts, bins), tails[0], tails[1]};
  SampleDotProducts(experiment, ToInteger(call.seed), ToInteger(call.first_block), samples,
                    *At<Moments>(moments), histogram,
                    SpanAt<double>(values, values == 0 ? 0 : static_cast<std::size_t>(samples)));
  tails[0] = histogram.underflow;
  tails[1] = histogram.overflow;
}

double VarianceAt(Address moments) { return Variance(*At<Moments>(moments)); }
double SkewnessAt(Address moments) { return Skewness(*At<Moments>(moments)); }
double ExcessKurtosisAt(Address moments) { return ExcessKurtosis(*At<Moments>(moments)); }
double VarianceStandardErrorAt(Address moments) { return VarianceStandardError(*At<Moments>(moments)); }

// GradientFlow and the trials of it to run.
struct GradientFlowCall {
  std::uint32_t dimension, keys, value_dim;
  double dead_threshold, seed;
  std::size_t first_trial, trials;
};

GradientFlow ExperimentOf(const GradientFlowCall& call, std::span<const ScoreRule> rules) {
  return {call.dimension, call.keys, call.value_dim, rules, call.dead_threshold};
}

// Three doubles a rule: scale, softcap, and 1 for qk_norm or 0.
constexpr std::size_t kMaximumRules = 16, kRuleNumbers = 3;
class Rules {
 public:
  Rules(Address address, std::size_t count) : count_(count) {
    for (std::size_t r = 0; r < count; ++r) {
      const double* const numbers = At<const double>(address) + r * kRuleNumbers;
      rules_[r] = {numbers[0], numbers[1], numbers[2] != 0};
    }
  }
  std::span<const ScoreRule> span() const { return {rules_.data(), count_}; }

 private:
  std::array<ScoreRule, kMaximumRules> rules_;
  std::size_t count_;
};

// What fits into memory.
std::size_t ToLength(std::uint64_t floats) { return static_cast<std::size_t>(floats); }

// With any rules, of which some have a softcap or qk_norm or none.
double ScratchFloats(const GradientFlowCall& call, bool softcap, bool qk_norm) {
  const ScoreRule rule{1.0, softcap ? 1.0 : 0.0, qk_norm};
  return static_cast<double>(GradientFlowScratchFloats(ExperimentOf(call, {&rule, 1})));
}
std::size_t ScratchDoubles(const GradientFlowCall& call) {
  return GradientFlowScratchDoubles(ExperimentOf(call, {}));
}

// Fills `columns` (doubles): call.trials values for each quantity of each rule.
void RunGradientTrialsAt(const GradientFlowCall& call, Address rule_numbers, std::size_t rule_count,
                         Address float_scratch, Address double_scratch, Address columns) {
  const Rules rules(rule_numbers, rule_count);
  const GradientFlow experiment = ExperimentOf(call, rules.span());
  RunGradientTrials(experiment, ToInteger(call.seed), call.first_trial, call.trials,
                    SpanAt<float>(float_scratch, ToLength(GradientFlowScratchFloats(experiment))),
                    SpanAt<double>(double_scratch, GradientFlowScratchDoubles(experiment)),
                    {At<double>(columns), call.trials});
}

// Scores and probabilities (doubles, one a key) of trial call.first_trial under one rule.
void SampleRowAt(const GradientFlowCall& call, Address rule_numbers, Address float_scratch,
                 Address double_scratch, Address scores, Address probabilities) {
  const Rules rules(rule_numbers, 1);
  const GradientFlow experiment = ExperimentOf(call, rules.span());
  SampleRow(experiment, ToInteger(call.seed), call.first_trial,
            SpanAt<float>(float_scratch, ToLength(GradientFlowScratchFloats(experiment))),
            SpanAt<double>(double_scratch, GradientFlowScratchDoubles(experiment)),
            SpanAt<double>(scores, call.keys), SpanAt<double>(probabilities, call.keys));
}

// `quantiles`: five doubles each, as in Quantile, of which the first is given.
Estimate EstimateAt(Address values, std::size_t length, Address scratch, Address quantiles,
                    std::size_t quantile_count) {
  return EstimateOf(SpanAt<const double>(values, length), SpanAt<double>(scratch, length),
                    SpanAt<Quantile>(quantiles, quantile_count));
}

// The same bits everywhere, which Math.log does not promise.
double LogOf(double x) { return Log(x); }

EMSCRIPTEN_BINDINGS(experiments) {
  emscripten::value_object<DotProductsCall>("DotProductsCall")
      .field("dimension", &DotProductsCall::dimension)
      .field("law", &DotProductsCall::law)
      .field("degreesOfFreedom", &DotProductsCall::degrees_of_freedom)
      .field("correlation", &DotProductsCall::correlation)
      .field("mean", &DotProductsCall::mean)
      .field("queryStd", &DotProductsCall::query_std)
      .field("keyStd", &DotProductsCall::key_std)
      .field("scale", &DotProductsCall::scale)
      .field("seed", &DotProductsCall::seed)
      .field("firstBlock", &DotProductsCall::first_block)
      .field("samples", &DotProductsCall::samples)
      .field("low", &DotProductsCall::low)
      .field("high", &DotProductsCall::high);
  emscripten::constant("samplesPerBlock", double{kSamplesPerBlock});
  emscripten::function("sampleDotProducts", &SampleDotProductsAt);
  emscripten::function("variance", &VarianceAt);
  emscripten::function("skewness", &SkewnessAt);
  emscripten::function("excessKurtosis", &ExcessKurtosisAt);
  emscripten::function("varianceStandardError", &VarianceStandardErrorAt);

  emscripten::value_object<GradientFlowCall>("GradientFlowCall")
      .field("dimension", &GradientFlowCall::dimension)
      .field("keys", &GradientFlowCall::keys)
      .field("valueDim", &GradientFlowCall::value_dim)
      .field("deadThreshold", &GradientFlowCall::dead_threshold)
      .field("seed", &GradientFlowCall::seed)
      .field("firstTrial", &GradientFlowCall::first_trial)
      .field("trials", &GradientFlowCall::trials);
  emscripten::value_object<Estimate>("Estimate")
      .field("mean", &Estimate::mean)
      .field("standardError", &Estimate::standard_error)
      .field("median", &Estimate::median)
      .field("medianStandardError", &Estimate::median_standard_error)
      .field("rms", &Estimate::rms)
      .field("rmsStandardError", &Estimate::rms_standard_error);
  emscripten::function("gradientFlowScratchFloats", &ScratchFloats);
  emscripten::function("gradientFlowScratchDoubles", &ScratchDoubles);
  emscripten::function("runGradientTrials", &RunGradientTrialsAt);
  emscripten::function("sampleRow", &SampleRowAt);
  emscripten::function("estimate", &EstimateAt);
  emscripten::function("log", &LogOf);
}

}  // namespace
}  // namespace sqrtdk
