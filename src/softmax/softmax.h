// Softmax over rows: forward, logarithm, log-sum-exp and backward, in float32.
//
// What is computed is the softmax of scale * score for any finite scale. Differences to the row's largest
// product are taken before scaling, so no finite score overflows, however large score and scale are (|scale|
// beyond 2^127 counts as 2^127). Edge rules:
//
//   score times sign of scale   what its row gives
//   NaN                         NaN throughout; no other row changes
//   +infinity                   NaN throughout, as in PyTorch and JAX: between two of them the weights
//                               have no limit. Only log-sum-exp has one, +infinity
//   -infinity                   weight 0: a masked key, at scale 0 too
//   -infinity throughout        zeros, log-sum-exp -infinity: no key to attend to
//   ties                        equal weights, bit for bit
//
// Weights below n 2^-125 times the largest are 0: subnormal numbers would cost up to 50 times more in every
// product that follows. Rows may have any length n from 0. Pointers need no alignment. An output may be the
// very same rows as an input (same pointer and stride) but must not overlap it otherwise.
#pragma once

#include <cstddef>
#include <span>

namespace sqrtdk {

// Row r starts at data + r * stride; stride in floats, at least the row length.
struct ConstRows {
  const float* data;
  std::size_t stride;
};
struct Rows {
  float* data;
  std::size_t stride;
};

struct RowShape {
  std::size_t rows;
  std::size_t columns;
};

// probabilities[r][j] = exp(scale * scores[r][j]) / sum_k exp(scale * scores[r][k]).
// Within 4 ULP or 1e-7 of the exact value, whichever is larger.
void Softmax(RowShape shape, ConstRows scores, double scale, Rows probabilities);

// log_probabilities[r][j] = scale * scores[r][j] - log sum_k exp(scale * scores[r][k]).
// Within 3 ULP of the larger of |scale * (score - largest score)| and |result|, plus (1 - max p) 2^-22 times
// the gap between the two largest products: the key that takes almost all the weight keeps its relative
// accuracy, since log p = -log1p(sum of the others over it). Masked keys give -infinity, and so do rows of
// them.
void LogSoftmax(RowShape shape, ConstRows scores, double scale, Rows log_probabilities);

// log_sums[r] = log sum_j exp(scale * scores[r][j]); `log_sums` holds shape.rows floats.
// Within 2 ULP of the larger of |scale * largest score| and |result|, plus the same share of the gap as
// LogSoftmax; infinite only where the true value exceeds float32.
void LogSumExp(RowShape shape, ConstRows scores, double scale, float* log_sums);

// Vector-Jacobian product from the output of Softmax: the gradient with respect to the UNSCALED scores,
//   grad_scores[r][j] = scale * p_j * (g_j - sum_k p_k g_k),   p = probabilities[r], g = grad_output[r].
// Where a key t holds more than half of the weight, evaluated as p_j ((g_j - g_t) - sum_k p_k (g_k - g_t)):
// saturated rows, where the plain form is the difference of two nearly equal numbers, keep their accuracy. A
// row of zeros (masked) gives zeros.
void SoftmaxBackward(RowShape shape, ConstRows grad_output, ConstRows probabilities, double scale,
                     Rows grad_scores);

// jacobian[i * n + j] = p_i ((i == j) - p_j) for n = probabilities.size(); `jacobian` holds n * n floats. The
// diagonal is p_i times the sum of the other weights, not p_i (1 - p_i), which cancels for a weight near 1.
void SoftmaxJacobian(std::span<const float> probabilities, float* jacobian);

}  // namespace sqrtdk
