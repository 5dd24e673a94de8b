// A row of n iid N(0, sigma^2) scores is a random-energy model: at sigma = sqrt(2 ln n) its softmax freezes
// onto a few keys. The numbers that govern this, and the case of two keys in full.
#pragma once

namespace sqrtdk::theory {

inline constexpr int kMaximumKeys = 1 << 20;

// m_n = E max of n iid N(0, 1) = n (n-1) int phi(x)^2 Phi(x)^{n-2} dx, for n in 1..kMaximumKeys; NaN outside.
// The integral is the density of a tie of the top two scores, and every term of it is positive. Relative
// error below 1e-14. (Integrate the maximum's mean x n phi Phi^{n-1} by parts, x phi = -phi'.)
double ExpectedMaximum(int keys);

// The unscaled key dimension 2 ln n at which n unit-variance components freeze the row: sigma^2 = d_k there.
// NaN for keys < 1; exact to rounding. (Derrida 1981; Giorlandino & Goldt, arXiv:2505.24333.)
double FreezingDimension(double keys);

// Leading terms for score_std >> sqrt(2 ln n) of what ExpectedSoftmax computes exactly:
//   E tr J ~ m/sigma, E(1 - p_max) ~ ln 2 m/sigma, E H ~ (pi^2/6) m/sigma, E |J|_F^2 ~ m/(3 sigma), m = m_n.
// E tr J is within 1.9% at sigma = 8 and within 0.23% at 22.6 for n = 2..512 (tested). keys 1..kMaximumKeys,
// score_std > 0; NaN outside.
struct FrozenRow {
  double jacobian_trace, one_minus_maximum, entropy, jacobian_frobenius_squared;
};
FrozenRow FrozenRowLimit(int keys, double score_std);

// Two keys: p = 1/(1 + e^-D), D ~ N(0, difference_std^2) the difference of the two scores (so sqrt(2) times
// the standard deviation of each). |J|_F = tr J = 2 p(1-p). The mean of p(1-p) falls like 1/(sqrt(2 pi)
// difference_std), its median exponentially: most rows get no gradient, a few get nearly all.
struct TwoKeyRow {
  double expected_product;              // E p(1-p), in (0, 1/4]
  double median_product;                // median of p(1-p)
  double expected_entropy;              // nats
  double expected_maximum_probability;  // E max(p, 1-p)
  double share_below;                   // P(p(1-p) < threshold)
};

// difference_std in [0, 1e6], threshold in (0, 1/4]; NaN outside. Relative error below 1e-13 of every field,
// of the share too however small. (One-dimensional integrals, and monotone functions of |D| for median and
// share.)
TwoKeyRow TwoKeys(double difference_std, double threshold = 1e-3);

}  // namespace sqrtdk::theory
