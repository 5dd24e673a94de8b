// Softmax rows, forward. Shapes: scores and outputs [rows, columns], row strides in floats.
//
// Versions tried (4096 x 512 in V8, CPU time against this one):
//   exp by Cody and Waite instead of 2^x with log2(e) in the scale        1.3
//   every row through a factor, so that negative scales need no case      1.1
//   one vector after the other instead of four side by side               1.2
//   a polynomial of degree 5, and no flush in rows too narrow to need it  0.96, and weights 1.5 ULP worse
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

// A scale split as |scale| = magnitude / |factor|. Scores are read times the factor, a power of two with the
// sign of scale: the largest reading is then the largest product, and no difference of readings overflows.
struct SplitScale {
  float factor;
  float magnitude;
  double size;  // |scale|

  explicit SplitScale(double scale) : size(scale < 0 ? -scale : scale) {
    // Half is enough against overflow, and only where a factor follows that does not overflow anyway. Small
    // scales would make the magnitude subnormal, hence imprecise; large ones make subnormal scores count. So
    // each has its power, under which no score that matters loses bits.
    const double power = size < 0x1p-100 ? 0x1p-64 : size < 0x1p64 ? 0.5 : 1.0;
    factor = static_cast<float>(scale < 0 ? -power : power);
    // A magnitude of 0 would make the 0 weight of a masked key NaN; 2^-126 instead changes no weight.
    magnitude = static_cast<float>(std::clamp(size / power, 0x1p-126, 0x1p127));
  }

  // The readings of scores j .. j + count - 1 of a row; lanes beyond are -infinity.
  F32x4 Read(const float* row, std::size_t j, std::size_t count) const {
    return LoadPartial(row + j, count, factor < 0 ? kInfinity : -kInfinity) * Splat(factor);
  }
  // scale * score, exact but for one rounding to double.
  double Product(float reading) const {
    return size * (static_cast<double>(reading) / static_cast<double>(factor < 0 ? -factor : factor));
  }
};

// The largest number that is not NaN; -infinity if there is none. read(j, count) gives the numbers.
template <class Read>
float Largest(std::size_t columns, Read read) {
  const auto combine = [&](F32x4 most, std::size_t j, std::size_t count) {
    return Max(most, read(j, count));
  };
  const auto merge = [](F32x4 a, F32x4 b) { return Max(a, b); };
  return MaxLanes(ReduceVectors(0, columns, Splat(-kInfinity), combine, merge));
}

void Fill(float* row, std::size_t columns, float value) { std::fill_n(row, columns, value); }

bool HasNaN(const float* row, std::size_t columns) {
  return std::any_of(row, row + columns, [](float x) { return x != x; });
}

// Scores are taken as they are: differences that overflow must have weight 0 at this magnitude.
void SoftmaxRow(const float* scores, std::size_t columns, float magnitude_in_bits, float* probabilities) {
  // Pass 1: the largest score, so that no exponential overflows and the largest is exactly 1.
  const auto read = [=](std::size_t j, std::size_t count) {
    return LoadPartial(scores + j, count, -kInfinity);
  };
  const float largest = Largest(columns, read);
  if (largest == -kInfinity) return Fill(probabilities, columns, HasNaN(scores, columns) ? kNaN : 0.0f);

  // Pass 2: powers of two and their sum. The sum is at most 2^bits, so no quotient of what is not flushed is
  // subnormal.
  const auto bits = static_cast<float>(std::bit_width(columns));
  const F32x4 flush_below = Splat(-126.0f + bits), top = Splat(largest), factor = Splat(magnitude_in_bits);
  const auto power = [=](F32x4 z) { return Exp2((z - top) * factor, flush_below); };
  const auto write = [=](std::size_t j, std::size_t count, F32x4 e) {
    StorePartial(e, probabilities + j, count);
  };
  const double sum = TransformVectors(columns, read, power, write);

  // Pass 3: a NaN anywhere has made the sum NaN and so the row.
  const F32x4 inverse = Splat(static_cast<float>(1.0 / sum));
  const auto read_power = [=](std::size_t j, std::size_t count) {
    return LoadPartial(probabilities + j, count, 0.0f);
  };
  TransformVectors(columns, read_power, [=](F32x4 e) { return e * inverse; }, write);
}

// log sum_j exp(product_j - largest product) = log1p(sum over all keys but one of largest product), which
// keeps its relative accuracy where one key takes almost all the weight.
double LogOfRest(const float* scores, std::size_t columns, const SplitScale& scale, float largest) {
  const F32x4 top = Splat(largest), magnitude = Splat(scale.magnitude);
  const auto read = [&](std::size_t j, std::size_t count) { return scale.Read(scores, j, count); };
  const auto exp_below_top = [&](F32x4 z) { return ZeroWhere(z == top, Exp((z - top) * magnitude)); };
  const double below = TransformVectors(columns, read, exp_below_top, [](std::size_t, std::size_t, F32x4) {});
  const double ties = SumInBlocks(columns, [&](F32x4 partial, std::size_t j, std::size_t count) {
    return partial + Select(read(j, count) == top, Splat(1.0f), Splat(0.0f));
  });
  return Log1p(below + (ties - 1));
}

void LogSoftmaxRow(const float* scores, std::size_t columns, const SplitScale& given,
                   float* log_probabilities) {
  const SplitScale scale =
      given;  // a copy: the stores below could change the original, and each would force a reload
  const auto read = [=](std::size_t j, std::size_t count) { return scale.Read(scores, j, count); };
  const float largest = Largest(columns, read);
  if (largest == -kInfinity) {
    return Fill(log_probabilities, columns, HasNaN(scores, columns) ? kNaN : -kInfinity);
  }
  if (largest == kInfinity) return Fill(log_probabilities, columns, kNaN);
  const F32x4 log_rest = Splat(static_cast<float>(LogOfRest(scores, columns, scale, largest)));
  const F32x4 top = Splat(largest), magnitude = Splat(scale.magnitude);
  const auto apply = [=](F32x4 z) { return (z - top) * magnitude - log_rest; };
  const auto write = [=](std::size_t j, std::size_t count, F32x4 x) {
    StorePartial(x, log_probabilities + j, count);
  };
  TransformVectors(columns, read, apply, write);
}

float LogSumExpOfRow(const float* scores, std::size_t columns, const SplitScale& scale) {
  const float largest =
      Largest(columns, [&](std::size_t j, std::size_t count) { return scale.Read(scores, j, count); });
  if (largest == -kInfinity) return HasNaN(scores, columns) ? kNaN : -kInfinity;
  return static_cast<float>(scale.Product(largest) + LogOfRest(scores, columns, scale, largest));
}

}  // namespace

void Softmax(RowShape shape, ConstRows scores, double scale, Rows probabilities) {
  const std::size_t columns = shape.columns;
  // At these scales scores need no factor: a difference of them that overflows has weight 0 anyway.
  const bool plain = scale >= 0x1p-100 && scale < 0x1p64;
  const SplitScale split(scale);
  const double magnitude = plain ? scale : static_cast<double>(split.magnitude);
  const float magnitude_in_bits = ToFiniteFloat(magnitude * 1.4426950408889634);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    const float* from = scores.data + r * scores.stride;
    float* to = probabilities.data + r * probabilities.stride;
    if (!plain) {
      // The readings go to the output first: rare scales pay for themselves.
      for (std::size_t j = 0; j < columns; ++j) to[j] = from[j] * split.factor;
      from = to;
    }
    SoftmaxRow(from, columns, magnitude_in_bits, to);
  }
}

void LogSoftmax(RowShape shape, ConstRows scores, double scale, Rows log_probabilities) {
  const SplitScale split(scale);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    LogSoftmaxRow(scores.data + r * scores.stride, shape.columns, split,
                  log_probabilities.data + r * log_probabilities.stride);
  }
}

void LogSumExp(RowShape shape, ConstRows scores, double scale, float* log_sums) {
  const SplitScale split(scale);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    log_sums[r] = LogSumExpOfRow(scores.data + r * scores.stride, shape.columns, split);
  }
}

}  // namespace sqrtdk
