#include <emscripten/bind.h>

#include <new>

#include "bindings/memory.h"
#include "experiments/gradient_flow.h"
#include "theory/entropy_floor.h"
#include "theory/expected_softmax.h"
#include "theory/moments.h"
#include "theory/normal_limit.h"
#include "theory/random_energy.h"
#include "theory/softmax_table.h"
#include "theory/variance_gamma.h"

namespace sqrtdk {
namespace {

// Query and key have one law and one mean.
theory::DotProductMoments MomentsOf(int law, double degrees_of_freedom, int dimension, double mean,
                                    double query_std, double key_std, double correlation) {
  return theory::DotProductMomentsOf({.law = static_cast<theory::ComponentLaw>(law),
                                      .degrees_of_freedom = degrees_of_freedom,
                                      .dimension = dimension,
                                      .query_mean = mean,
                                      .key_mean = mean,
                                      .query_std = query_std,
                                      .key_std = key_std,
                                      .correlation = correlation});
}

// `density` or `tail` may be 0: not wanted.
void DotProductLawAt(Address x, std::size_t length, int dimension, double scale, Address density,
                     Address tail) {
  theory::DotProductLaw(SpanAt<const double>(x, length), dimension, scale,
                        SpanAt<double>(density, density == 0 ? 0 : length),
                        SpanAt<double>(tail, tail == 0 ? 0 : length));
}

// A table lives in memory that the caller owns, and needs no end.
std::size_t SoftmaxTableBytes() { return sizeof(theory::SoftmaxTable); }
void OpenSoftmaxTable(Address table, int keys) { ::new (At<void>(table)) theory::SoftmaxTable(keys); }
theory::ExpectedSoftmax ExpectedRow(Address table, int dimension, double scale) {
  return At<theory::SoftmaxTable>(table)->OfRow(dimension, scale);
}

// Of two keys |J|_F = 2 p(1-p): dead below half of what counts as dead in the experiments.
theory::TwoKeyRow TwoKeys(double difference_std) { return theory::TwoKeys(difference_std, kDeadRow / 2); }

EMSCRIPTEN_BINDINGS(theory) {
  emscripten::value_object<theory::DotProductMoments>("DotProductMoments")
      .field("mean", &theory::DotProductMoments::mean)
      .field("variance", &theory::DotProductMoments::variance)
      .field("excessKurtosis", &theory::DotProductMoments::excess_kurtosis);
  emscripten::function("dotProductMoments", &MomentsOf);
  emscripten::function("varianceStandardErrorOf", &theory::VarianceStandardError);
  emscripten::function("scoreMatrixVarianceError", &theory::ScoreMatrixVarianceError);

  emscripten::function("dotProductLaw", &DotProductLawAt);
  emscripten::function("dotProductDensity", &theory::DotProductDensity);
  emscripten::function("dotProductTail", &theory::DotProductTail);
  emscripten::function("dotProductQuantile", &theory::DotProductQuantile);

  emscripten::function("normalDensity", &theory::NormalDensity);
  emscripten::function("normalTail", &theory::NormalTail);
  emscripten::value_object<theory::NormalDistance>("NormalDistance")
      .field("distance", &theory::NormalDistance::distance)
      .field("at", &theory::NormalDistance::at);
  emscripten::function("normalDistance", &theory::NormalDistanceOf);

  emscripten::constant("maximumRowKeys", theory::kMaximumRowKeys);
  emscripten::constant("maximumScoreStd", theory::kMaximumScoreStd);
  emscripten::constant("maximumRowScoreStd", theory::kMaximumRowScoreStd);
  emscripten::value_object<theory::ExpectedSoftmax>("ExpectedSoftmax")
      .field("logPartition", &theory::ExpectedSoftmax::log_partition)
      .field("entropy", &theory::ExpectedSoftmax::entropy)
      .field("sumSquares", &theory::ExpectedSoftmax::sum_squares)
      .field("sumCubes", &theory::ExpectedSoftmax::sum_cubes)
      .field("maxProbability", &theory::ExpectedSoftmax::maximum_probability)
      .field("jacobianTrace", &theory::ExpectedSoftmax::jacobian_trace)
      .field("jacobianFrobeniusSquared", &theory::ExpectedSoftmax::jacobian_frobenius_squared)
      .field("spreadResponseSquared", &theory::ExpectedSoftmax::spread_response_squared);
  emscripten::function("queryGradientSquared", &theory::QueryGradientSquared);
  emscripten::function("expectedSoftmax", &theory::ExpectedSoftmaxOf);
  emscripten::function("softmaxTableBytes", &SoftmaxTableBytes);
  emscripten::function("openSoftmaxTable", &OpenSoftmaxTable);
  emscripten::function("expectedRow", &ExpectedRow);

  emscripten::function("expectedMaximum", &theory::ExpectedMaximum);
  emscripten::function("freezingStd", &theory::FreezingStd);
  emscripten::function("freezingDimension", &theory::FreezingDimension);
  emscripten::value_object<theory::FrozenRow>("FrozenRow")
      .field("sumSquares", &theory::FrozenRow::sum_squares)
      .field("sumCubes", &theory::FrozenRow::sum_cubes)
      .field("squaredSumSquares", &theory::FrozenRow::squared_sum_squares)
      .field("maxProbability", &theory::FrozenRow::maximum_probability)
      .field("entropy", &theory::FrozenRow::entropy)
      .field("jacobianTrace", &theory::FrozenRow::jacobian_trace)
      .field("jacobianFrobeniusSquared", &theory::FrozenRow::jacobian_frobenius_squared);
  emscripten::function("poissonDirichlet", &theory::PoissonDirichlet);
  emscripten::function("entropyFloor", &theory::EntropyFloor);

  emscripten::constant("maximumDifferenceStd", theory::kMaximumDifferenceStd);
  emscripten::value_object<theory::TwoKeyRow>("TwoKeyRow")
      .field("product", &theory::TwoKeyRow::expected_product)
      .field("medianProduct", &theory::TwoKeyRow::median_product)
      .field("entropy", &theory::TwoKeyRow::expected_entropy)
      .field("maxProbability", &theory::TwoKeyRow::expected_maximum_probability)
      .field("deadShare", &theory::TwoKeyRow::share_below);
  emscripten::function("twoKeys", &TwoKeys);
}

}  // namespace
}  // namespace sqrtdk
