// What saturation does to one softmax row, in double precision and with the same bits on every target.
#pragma once

#include <cstdint>
#include <span>

namespace sqrtdk {

// p = softmax(scale * scores), J = diag(p) - p p^T. Entropies in nats. Every field keeps its relative
// accuracy (about 1e-13, times the largest |scale * difference of scores| over 100) in saturated rows too,
// where 1 - max p or J vanish.
struct SoftmaxDiagnostics {
  double log_sum_exp;         // ln sum_j exp(scale * score_j)
  double entropy;             // H = -sum p ln p
  double perplexity;          // exp(H)
  double effective_keys;      // 1 / sum p^2
  double sum_squares;         // sum p^2
  double max_probability;     // max p
  double max_complement;      // 1 - max p
  double jacobian_trace;      // tr J = 1 - sum p^2
  double jacobian_frobenius;  // sqrt(sum_ij J_ij^2)
  double jacobian_spectral;   // largest eigenvalue of J; NaN where it was not asked for
  // Weights that a float32 softmax with IEEE rounding and subnormals returns as exactly 0: p < 2^-150, masked
  // keys included. (The float32 kernel of this library flushes earlier, see softmax.h.)
  std::uint32_t exact_zeros;
};

// The spectral norm costs as much as all the rest; it is computed where `spectral_scratch` holds
// scores.size() doubles (contents do not matter) and is NaN where it is empty.
//
// NaN or +infinity among the products scale * score: every field is NaN, exact_zeros 0. No key at all (empty
// row, or all -infinity): log_sum_exp is -infinity, exact_zeros the row length and every other field 0.
SoftmaxDiagnostics DiagnoseRow(std::span<const float> scores, double scale,
                               std::span<double> spectral_scratch = {});
SoftmaxDiagnostics DiagnoseRow(std::span<const double> scores, double scale,
                               std::span<double> spectral_scratch = {});

}  // namespace sqrtdk
