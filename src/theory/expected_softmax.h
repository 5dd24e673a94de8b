// What a softmax row is expected to be when its scores are random: exact at finite n, no sampling.
#pragma once

namespace sqrtdk::theory {

inline constexpr int kMaximumRowKeys = 1 << 16;
inline constexpr double kMaximumScoreStd = 1000.0;
inline constexpr double kMaximumRowScoreStd = 100.0;

// Expectations over rows; S_m = sum_j p_j^m, J = diag(p) - p p^T, natural logarithms.
struct ExpectedSoftmax {
  double log_partition;               // E ln sum_j e^{s_j}
  double entropy;                     // E H, H = -sum_j p_j ln p_j
  double sum_squares;                 // E S_2
  double sum_cubes;                   // E S_3
  double maximum_probability;         // E max_j p_j
  double jacobian_trace;              // E tr J = 1 - E S_2, without cancellation
  double jacobian_frobenius_squared;  // E |J|_F^2 = E (S_2 - 2 S_3 + S_2^2), without cancellation
  // E |dp/dsigma|^2 where the scores are sigma z_j: E sum_j p_j^2 (z_j - sum_k p_k z_k)^2 = E |J z|^2
  double spread_response_squared;

  // Every field plus weight times that of `other`.
  void AddWeighted(double weight, const ExpectedSoftmax& other);
};

// A row of n = keys independent scores s_j ~ N(0, score_std^2). keys in 1..kMaximumRowKeys, score_std in
// [0, kMaximumScoreStd]; all fields NaN outside. score_std = 0 and keys = 1 are exact. Relative error
// below 1e-12, of sum_cubes 1.5e-11, of spread_response_squared 1e-9, most below 1e-14. 0.15 to 0.35 ms, 80
// KB of stack. (One-dimensional integrals over u = ln t of Z^-m = int t^{m-1} e^{-tZ} dt / Gamma(m): see the
// .cpp. Checked against sums of 34 digits, tests/cpp/softmax_rows.h.)
ExpectedSoftmax ExpectedSoftmaxOf(int keys, double score_std);

// A row of real attention: one query q ~ N(0, I_d), keys k_j ~ N(0, I_d), scores scale * q.k_j, independent
// given q with standard deviation scale |q|; so this is the mean of the above over the chi law of |q|.
// dimension >= 1, |scale| sqrt(dimension) <= kMaximumRowScoreStd; all fields NaN outside. Components of other
// standard deviations: put queryStd * keyStd into the scale. Relative error of every field below 1e-11 for
// |scale| <= 1, of sum_cubes 1e-10, of spread_response_squared 1e-9; 1e-6 and 1e-5 for |scale| <= 5 on any
// dimension. Takes 6 evaluations of the above for d >= 1024, 8 from 256, 12 from 48, 20 from 24, 26 from 8
// and 30 below: 2 to 10 ms.
ExpectedSoftmax ExpectedSoftmaxOfRow(int keys, int dimension, double scale);

// E |dL/dq|^2 of that row for dL/dp_j = dO.v_j, components of dO and v_j ~ N(0, 1): exact. dq = c sum_j dS_j
// k_j with dS = J dp, where dp ~ N(0, |dO|^2 I) given dO. Of the keys, the d - 1 components across q are
// independent of p, and the one along q is the standardised score z_j:
//
//   E |dq|^2 = c^2 d_v ((d - 1) E |J|_F^2 + E |J z|^2)
double QueryGradientSquared(const ExpectedSoftmax& row, int dimension, double scale, int value_dimension);

}  // namespace sqrtdk::theory
