// Softmax rows, forward. Shapes: scores and outputs [rows, columns], row strides in floats.
#include "softmax/softmax.h"

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

// One row and its scale, split as |scale| = magnitude / |factor|. Scores are read times the factor, a power
// of two with the sign of scale: the largest reading is then the largest product, and no difference of
// readings overflows.
class ScaledRow {
 public:
  ScaledRow(const float* scores, std::size_t columns, double scale) : scores_(scores), columns_(columns) {
    const double size = scale < 0 ? -scale : scale;
    // Half is enough against overflow, and only where a factor follows that does not overflow anyway. Small
    // scales would make the magnitude subnormal, hence imprecise; large ones make subnormal scores count. So
    // each has its power, under which no score that matters loses bits.
    const double power = size < 0x1p-100 ? 0x1p-64 : size < 0x1p64 ? 0.5 : 1.0;
    // A magnitude of 0 would make the 0 weight of a masked key NaN; 2^-126 instead changes no weight.
    const double magnitude = size / power;
    magnitude_ = magnitude < 0x1p-126                        ? 0x1p-126f
                 : magnitude > static_cast<double>(kLargest) ? kLargest
                                                             : static_cast<float>(magnitude);
    factor_ = static_cast<float>(scale < 0 ? -power : power);
    true_magnitude_ = size;
  }

  std::size_t columns() const { return columns_; }

  // Lanes beyond the row's end read as -infinity.
  F32x4 Read(std::size_t j, std::size_t count) const {
    return LoadPartial(scores_ + j, count, factor_ < 0 ? kInfinity : -kInfinity) * Splat(factor_);
  }
  // scale * (score - largest score), for readings.
  F32x4 Difference(F32x4 reading, F32x4 largest) const { return (reading - largest) * Splat(magnitude_); }
  // scale * score, exact but for one rounding to double.
  double Product(float reading) const {
    return true_magnitude_ *
           (static_cast<double>(reading) / static_cast<double>(factor_ < 0 ? -factor_ : factor_));
  }

  // The largest reading that is not NaN; -infinity if there is none.
  float Largest() const {
    F32x4 even = Splat(-kInfinity), odd = even;
    std::size_t j = 0;
    for (; j + 2 * kLanes <= columns_; j += 2 * kLanes) {
      even = Max(even, Read(j, kLanes));
      odd = Max(odd, Read(j + kLanes, kLanes));
    }
    for (; j < columns_; j += kLanes) even = Max(even, Read(j, columns_ - j));
    return MaxLanes(Max(even, odd));
  }

 private:
  static constexpr float kLargest = std::numeric_limits<float>::max();
  const float* scores_;
  std::size_t columns_;
  float factor_;
  float magnitude_;
  double true_magnitude_;
};

void Fill(float* row, std::size_t columns, float value) {
  ForEachVector(0, columns,
                [&](std::size_t j, std::size_t count) { StorePartial(Splat(value), row + j, count); });
}

bool HasNaN(const ScaledRow& row) {
  double sum = 0;  // of zeros: NaN * 0 and, here, no infinity but -infinity as a reading
  for (std::size_t j = 0; j < row.columns(); j += kLanes) {
    const F32x4 z = row.Read(j, row.columns() - j);
    const F32x4 nan_or_zero = Select(z == z, Splat(0.0f), z);
    sum += static_cast<double>(SumLanes(nan_or_zero));
  }
  return sum != 0;
}

void SoftmaxRow(const ScaledRow& row, float* probabilities) {
  // Pass 1: the largest product, so that no exponential overflows and the largest is exactly 1.
  const float largest = row.Largest();
  if (largest == -kInfinity) return Fill(probabilities, row.columns(), HasNaN(row) ? kNaN : 0.0f);

  // Pass 2: exponentials and their sum. The sum is at most 2^bits, so no quotient of what is not flushed is
  // subnormal.
  const auto bits = static_cast<float>(std::bit_width(row.columns()));
  const F32x4 flush_below = Splat(-87.33f + 0.6931472f * bits);
  const F32x4 top = Splat(largest);
  const double sum = SumInBlocks(row.columns(), [&](F32x4 partial, std::size_t j, std::size_t count) {
    const F32x4 e = Exp(row.Difference(row.Read(j, count), top), flush_below);
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
double LogOfRest(const ScaledRow& row, float largest) {
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

void LogSoftmaxRow(const ScaledRow& row, float* log_probabilities) {
  const float largest = row.Largest();
  if (largest == -kInfinity) return Fill(log_probabilities, row.columns(), HasNaN(row) ? kNaN : -kInfinity);
  if (largest == kInfinity) return Fill(log_probabilities, row.columns(), kNaN);
  const F32x4 log_rest = Splat(static_cast<float>(LogOfRest(row, largest)));
  ForEachVector(0, row.columns(), [&](std::size_t j, std::size_t count) {
    const F32x4 difference = row.Difference(row.Read(j, count), Splat(largest));
    StorePartial(difference - log_rest, log_probabilities + j, count);
  });
}

float LogSumExpOfRow(const ScaledRow& row) {
  const float largest = row.Largest();
  if (largest == -kInfinity) return HasNaN(row) ? kNaN : -kInfinity;
  return static_cast<float>(row.Product(largest) + LogOfRest(row, largest));
}

}  // namespace

void Softmax(RowShape shape, ConstRows scores, double scale, Rows probabilities) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    SoftmaxRow(ScaledRow(scores.data + r * scores.stride, shape.columns, scale),
               probabilities.data + r * probabilities.stride);
  }
}

void LogSoftmax(RowShape shape, ConstRows scores, double scale, Rows log_probabilities) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    LogSoftmaxRow(ScaledRow(scores.data + r * scores.stride, shape.columns, scale),
                  log_probabilities.data + r * log_probabilities.stride);
  }
}

void LogSumExp(RowShape shape, ConstRows scores, double scale, float* log_sums) {
  for (std::size_t r = 0; r < shape.rows; ++r) {
    log_sums[r] = LogSumExpOfRow(ScaledRow(scores.data + r * scores.stride, shape.columns, scale));
  }
}

}  // namespace sqrtdk
