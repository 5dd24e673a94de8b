// Softmax rows, forward. Shapes: scores and outputs [rows, columns], row strides in floats.
#include "softmax/softmax.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "simd/f32x4.h"
#include "simd/math.h"
#include "simd/math64.h"
#include "softmax/row_loops.h"

namespace sqrtdk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Scales at which differences of scores themselves can be taken: one that overflows has weight 0 anyway, and
// scores need no sign. Reading through a factor costs a softmax 7 %.
bool IsPlain(double scale) { return scale >= 0x1p-100 && scale < 0x1p64; }

// One row and its scale, split as |scale| = magnitude / |factor|. Scores are read times the factor, a power
// of two with the sign of scale: the largest reading is then the largest product, and no difference of
// readings overflows. In a plain row the factor is 1.
template <bool kPlain>
class ScaledRow {
 public:
  ScaledRow(const float* scores, std::size_t columns, double scale) : scores_(scores), columns_(columns) {
    const double size = scale < 0 ? -scale : scale;
    // Half is enough against overflow, and only where a factor follows that does not overflow anyway. Small
    // scales would make the magnitude subnormal, hence imprecise; large ones make subnormal scores count. So
    // each has its power, under which no score that matters loses bits.
    const double power = kPlain ? 1.0 : size < 0x1p-100 ? 0x1p-64 : size < 0x1p64 ? 0.5 : 1.0;
    factor_ = static_cast<float>(scale < 0 ? -power : power);
    // A magnitude of 0 would make the 0 weight of a masked key NaN; 2^-126 instead changes no weight.
    const double magnitude = std::clamp(size / power, 0x1p-126, 0x1p127);
    magnitude_ = static_cast<float>(magnitude);
    magnitude_in_bits_ = ToFiniteFloat(magnitude * 1.4426950408889634);
    size_ = size;
  }

  std::size_t columns() const { return columns_; }

  // Lanes beyond the row's end read as -infinity.
  F32x4 Read(std::size_t j, std::size_t count) const {
    if constexpr (kPlain) return LoadPartial(scores_ + j, count, -kInfinity);
    return LoadPartial(scores_ + j, count, factor_ < 0 ? kInfinity : -kInfinity) * Splat(factor_);
  }
  // scale * (score - largest score), for readings.
  F32x4 Difference(F32x4 reading, F32x4 largest) const { return (reading - largest) * Splat(magnitude_); }
  // The same times log2(e), for Exp2.
  F32x4 DifferenceInBits(F32x4 reading, F32x4 largest) const {
    return (reading - largest) * Splat(magnitude_in_bits_);
  }
  // scale * score, exact but for one rounding to double.
  double Product(float reading) const {
    return size_ * (static_cast<double>(reading) / static_cast<double>(factor_ < 0 ? -factor_ : factor_));
  }

  // The largest reading that is not NaN; -infinity if there is none.
  float Largest() const {
    const ScaledRow row = *this;
    const auto merge = [](F32x4 a, F32x4 b) { return Max(a, b); };
    const auto combine = [&](F32x4 most, std::size_t j, std::size_t count) {
      return Max(most, row.Read(j, count));
    };
    return MaxLanes(ReduceVectors(0, columns_, Splat(-kInfinity), combine, merge));
  }

 private:
  const float* scores_;
  std::size_t columns_;
  float factor_;
  float magnitude_;
  float magnitude_in_bits_;
  double size_;
};

void Fill(float* row, std::size_t columns, float value) {
  ForEachVector(0, columns,
                [&](std::size_t j, std::size_t count) { StorePartial(Splat(value), row + j, count); });
}

template <bool kPlain>
bool HasNaN(const ScaledRow<kPlain>& row) {
  double sum = 0;  // of zeros: NaN * 0 and, here, no infinity but -infinity as a reading
  for (std::size_t j = 0; j < row.columns(); j += kLanes) {
    const F32x4 z = row.Read(j, row.columns() - j);
    const F32x4 nan_or_zero = Select(z == z, Splat(0.0f), z);
    sum += static_cast<double>(SumLanes(nan_or_zero));
  }
  return sum != 0;
}

template <bool kPlain>
void SoftmaxRow(const ScaledRow<kPlain>& given, float* probabilities) {
  const ScaledRow row =
      given;  // a copy: stores of floats could change the original, and each would force a reload
  // Pass 1: the largest product, so that no exponential overflows and the largest is exactly 1.
  const float largest = row.Largest();
  if (largest == -kInfinity) return Fill(probabilities, row.columns(), HasNaN(row) ? kNaN : 0.0f);

  // Pass 2: exponentials and their sum. The sum is at most 2^bits, so no quotient of what is not flushed is
  // subnormal.
  const auto bits = static_cast<float>(std::bit_width(row.columns()));
  const F32x4 flush_below = Splat(-126.0f + bits);
  const F32x4 top = Splat(largest);
  const double sum = SumInBlocks(row.columns(), [&](F32x4 partial, std::size_t j, std::size_t count) {
    const F32x4 e = Exp2(row.DifferenceInBits(row.Read(j, count), top), flush_below);
    StorePartial(e, probabilities + j, count);
    return partial + e;
  });

  // Pass 3: a NaN anywhere has made the sum NaN and so the row.
  const F32x4 inverse = Splat(static_cast<float>(1.0 / sum));
  ForEachVector(0, row.columns(), [&](std::size_t j, std::size_t count) {
    StorePartial(LoadPartial(probabilities + j, count, 0.0f) * inverse, probabilities + j, count);
  });
}

// log sum_j exp(product_j - largest product) = log1p(sum over all keys but one of largest product), which
// keeps its relative accuracy where one key takes almost all the weight.
double LogOfRest(const ScaledRow<false>& row, float largest) {
  const F32x4 top = Splat(largest);
  const double below = SumInBlocks(row.columns(), [&](F32x4 partial, std::size_t j, std::size_t count) {
    const F32x4 z = row.Read(j, count);
    return partial + Select(z == top, Splat(0.0f), Exp(row.Difference(z, top)));
  });
  const double ties = SumInBlocks(row.columns(), [&](F32x4 partial, std::size_t j, std::size_t count) {
    return partial + Select(row.Read(j, count) == top, Splat(1.0f), Splat(0.0f));
  });
  return Log1p(below + (ties - 1));
}

void LogSoftmaxRow(const ScaledRow<false>& row, float* log_probabilities) {
  const float largest = row.Largest();
  if (largest == -kInfinity) return Fill(log_probabilities, row.columns(), HasNaN(row) ? kNaN : -kInfinity);
  if (largest == kInfinity) return Fill(log_probabilities, row.columns(), kNaN);
  const F32x4 log_rest = Splat(static_cast<float>(LogOfRest(row, largest)));
  ForEachVector(0, row.columns(), [&](std::size_t j, std::size_t count) {
    const F32x4 difference = row.Difference(row.Read(j, count), Splat(largest));
    StorePartial(difference - log_rest, log_probabilities + j, count);
  });
}

float LogSumExpOfRow(const ScaledRow<false>& row) {
  const float largest = row.Largest();
  if (largest == -kInfinity) return HasNaN(row) ? kNaN : -kInfinity;
  return static_cast<float>(row.Product(largest) + LogOfRest(row, largest));
}

}  // namespace

void Softmax(RowShape shape, ConstRows scores, double scale, Rows probabilities) {
  const bool plain = IsPlain(scale);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float* from = scores.data + r * scores.stride;
    float* to = probabilities.data + r * probabilities.stride;
    if (plain) {
      SoftmaxRow(ScaledRow<true>(from, shape.columns, scale), to);
    } else {
      SoftmaxRow(ScaledRow<false>(from, shape.columns, scale), to);
    }
  }
}

void LogSoftmax(RowShape shape, ConstRows scores, double scale, Rows log_probabilities) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    LogSoftmaxRow(ScaledRow<false>(scores.data + r * scores.stride, shape.columns, scale),
                  log_probabilities.data + r * log_probabilities.stride);
  }
}

void LogSumExp(RowShape shape, ConstRows scores, double scale, float* log_sums) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    log_sums[r] = LogSumExpOfRow(ScaledRow<false>(scores.data + r * scores.stride, shape.columns, scale));
  }
}

}  // namespace sqrtdk
