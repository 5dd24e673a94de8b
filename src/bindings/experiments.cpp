#include <emscripten/bind.h>

#include "bindings/memory.h"
#include "experiments/dot_products.h"
#include "experiments/gradient_flow.h"
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
  double seed;
  std::size_t first_trial, trials;
};

GradientFlow ExperimentOf(const GradientFlowCall& call, std::span<const double> scales) {
  return {call.dimension, call.keys, call.value_dim, scales};
}

std::size_t ScratchFloats(const GradientFlowCall& call) {
  return GradientFlowScratchFloats(ExperimentOf(call, {}));
}
std::size_t ScratchDoubles(const GradientFlowCall& call) {
  return GradientFlowScratchDoubles(ExperimentOf(call, {}));
}

// Fills `columns` (doubles): call.trials values for each quantity of each scale.
void RunGradientTrialsAt(const GradientFlowCall& call, Address scales, std::size_t scale_count,
                         Address float_scratch, Address double_scratch, Address columns) {
  const GradientFlow experiment = ExperimentOf(call, SpanAt<const double>(scales, scale_count));
  RunGradientTrials(experiment, ToInteger(call.seed), call.first_trial, call.trials,
                    SpanAt<float>(float_scratch, GradientFlowScratchFloats(experiment)),
                    SpanAt<double>(double_scratch, GradientFlowScratchDoubles(experiment)),
                    {At<double>(columns), call.trials});
}

Estimate EstimateAt(Address values, std::size_t length, Address scratch) {
  return EstimateOf(SpanAt<const double>(values, length), SpanAt<double>(scratch, length));
}

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
      .field("seed", &GradientFlowCall::seed)
      .field("firstTrial", &GradientFlowCall::first_trial)
      .field("trials", &GradientFlowCall::trials);
  emscripten::value_object<Estimate>("Estimate")
      .field("mean", &Estimate::mean)
      .field("standardError", &Estimate::standard_error)
      .field("median", &Estimate::median);
  emscripten::function("gradientFlowScratchFloats", &ScratchFloats);
  emscripten::function("gradientFlowScratchDoubles", &ScratchDoubles);
  emscripten::function("runGradientTrials", &RunGradientTrialsAt);
  emscripten::function("estimate", &EstimateAt);
}

}  // namespace
}  // namespace sqrtdk
