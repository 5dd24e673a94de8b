// Backward pass of softmax rows and the full Jacobian. Shapes: all [rows, columns], row strides in floats.
#include "simd/f32x4.h"
#include "simd/math64.h"
#include "softmax/row_loops.h"
#include "softmax/softmax.h"

namespace sqrtdk {
namespace {

void BackwardRow(const float* g, const float* p, std::size_t columns, float scale, float* grad_scores) {
  // Pass 1: g_t, the upstream gradient of the key that holds more than half of the weight; 0 where there is
  // none, since then nothing cancels. At most one term of the sum is not 0, so it needs no search for an
  // index.
  const double g_top = SumInBlocks(columns, [&](F32x4 sum, std::size_t j, std::size_t count) {
    const I32x4 is_top = LoadPartial(p + j, count, 0.0f) > Splat(0.5f);
    return sum + Select(is_top, LoadPartial(g + j, count, 0.0f), Splat(0.0f));
  });
  const F32x4 shift = Splat(static_cast<float>(g_top));

  // Pass 2: sum_k p_k (g_k - g_t), to which the key t adds exactly 0.
  const double dot = SumInBlocks(columns, [&](F32x4 sum, std::size_t j, std::size_t count) {
    return MulAdd(LoadPartial(p + j, count, 0.0f), LoadPartial(g + j, count, 0.0f) - shift, sum);
  });

  // Pass 3.
  const F32x4 mean = Splat(static_cast<float>(dot)), factor = Splat(scale);
  const auto gradient = [=](std::size_t j, std::size_t count) {
    const F32x4 centred = (LoadPartial(g + j, count, 0.0f) - shift) - mean;
    return LoadPartial(p + j, count, 0.0f) * centred * factor;
  };
  const auto write = [=](std::size_t j, std::size_t count, F32x4 d) {
    StorePartial(d, grad_scores + j, count);
  };
  TransformVectors(columns, gradient, [](F32x4 d) { return d; }, write);
}

}  // namespace

void SoftmaxBackward(RowShape shape, ConstRows grad_output, ConstRows probabilities, double scale,
                     Rows grad_scores) {
  const float factor = ToFiniteFloat(scale);
  for (std::size_t r = 0; r < shape.rows; ++r) {
    BackwardRow(grad_output.data + r * grad_output.stride, probabilities.data + r * probabilities.stride,
                shape.columns, factor, grad_scores.data + r * grad_scores.stride);
  }
}

void SoftmaxJacobian(std::span<const float> probabilities, float* jacobian) {
  const std::size_t n = probabilities.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double p = static_cast<double>(probabilities[i]);
    float* row = jacobian + i * n;
    double others = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) others += static_cast<double>(probabilities[j]);
      row[j] = -(probabilities[i] * probabilities[j]);
    }
    row[i] = static_cast<float>(p * others);
  }
}

}  // namespace sqrtdk
