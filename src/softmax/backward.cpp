// Backward pass of softmax rows and the full Jacobian. Shapes: all [rows, columns], row strides in floats.
//
// Versions tried (4096 x 512 in V8, CPU time against this one):
//   g_t of every row found first, 0 where no key holds more than half of the weight: 1.25
#include <algorithm>

#include "simd/f32x4.h"
#include "simd/math64.h"
#include "softmax/row_loops.h"
#include "softmax/softmax.h"

namespace sqrtdk {
namespace {

struct DotAndLargest {
  F32x4 dot;      // of p and g
  F32x4 largest;  // of p
};

void BackwardRow(const float* g, const float* p, std::size_t columns, float scale, float* grad_scores) {
  // Pass 1: sum_k p_k g_k, in float over blocks and in double over the blocks, and the largest weight.
  constexpr std::size_t kBlock = 512;
  const auto combine = [=](DotAndLargest so_far, std::size_t j, std::size_t count) {
    const F32x4 weight = LoadPartial(p + j, count, 0.0f);
    return DotAndLargest{MulAdd(weight, LoadPartial(g + j, count, 0.0f), so_far.dot),
                         Max(so_far.largest, weight)};
  };
  const auto merge = [](DotAndLargest a, DotAndLargest b) {
    return DotAndLargest{a.dot + b.dot, Max(a.largest, b.largest)};
  };
  double dot = 0;
  F32x4 largest = Splat(0.0f), shift = Splat(0.0f);
  for (std::size_t begin = 0; begin < columns; begin += kBlock) {
    const std::size_t end = std::min(columns, begin + kBlock);
    const DotAndLargest block =
        ReduceVectors(begin, end, DotAndLargest{Splat(0.0f), Splat(0.0f)}, combine, merge);
    dot += static_cast<double>(SumLanes(block.dot));
    largest = Max(largest, block.largest);
  }

  // Pass 2, where a key t holds more than half of the weight: sum_k p_k (g_k - g_t), to which t adds exactly
  // 0. Elsewhere nothing cancels.
  if (MaxLanes(largest) > 0.5f) {
    const auto top = std::find_if(p, p + columns, [](float weight) { return weight > 0.5f; }) - p;
    shift = Splat(g[top]);
    dot = SumInBlocks(columns, [=](F32x4 sum, std::size_t j, std::size_t count) {
      return MulAdd(LoadPartial(p + j, count, 0.0f), LoadPartial(g + j, count, 0.0f) - shift, sum);
    });
  }

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
