// A row of n iid N(0, sigma^2) scores is a random-energy model: at sigma = sqrt(2 ln n) its softmax freezes
// onto a few keys. The numbers that govern this, and the case of two keys in full.
#pragma once

namespace sqrtdk::theory {

inline constexpr double kMaximumDifferenceStd = 1e6;

// m_n = E max of n iid N(0, 1) = n (n-1) int phi(x)^2 Phi(x)^{n-2} dx, n = keys in 1..2^53; NaN outside. The
// integral is the density of a tie of the top two scores, and every term of it is positive. Relative error
// below 1e-14. (Integrate the maximum's mean x n phi Phi^{n-1} by parts, x phi = -phi'.)
//
// The law for large deviations of a row: score_std * E tr J -> m_n. E tr J is within 2% of m_n / score_std
// at score_std = 8 and within 0.23% at 22.6 for n = 2..1024 (tested).
double ExpectedMaximum(double keys);

// sigma_c = sqrt(2 ln n), the standard deviation of the scores at which the weights of n keys freeze, as n ->
// inf; and its square, the unscaled key dimension that gives it with unit-variance components. NaN for keys <
// 1; exact to rounding. (Derrida 1981; Giorlandino & Goldt, arXiv:2505.24333.)
double FreezingStd(double keys);
double FreezingDimension(double keys);

// The frozen phase: as n -> inf at a fixed ratio a = sigma_c / sigma < 1, the weights follow the
// Poisson-Dirichlet law PD(a, 0). For a finite row a = m_n / sigma is much the better ratio: then within 2%
// of the exact E tr J, 1% of E p_max, 10% of E H and 7% of E |J|_F^2 for every n = 2..1024 and sigma >= 8
// (tested).
struct FrozenRow {
  double sum_squares;                 // E S_2 = 1 - a
  double sum_cubes;                   // E S_3 = (1-a)(2-a)/2
  double squared_sum_squares;         // E S_2^2 = (1-a)(3-2a)/3
  double maximum_probability;         // E p_max = int_0^inf dx / 1F1(1; 1-a; x)
  double entropy;                     // E H = psi(1) - psi(1-a)
  double jacobian_trace;              // E tr J = a
  double jacobian_frobenius_squared;  // E |J|_F^2 = a(1-a)/3
};

// a in [0, 1); NaN outside. Relative error below 1e-13. For a << 1: E(1 - p_max) ~ ln 2 a, E H ~ (pi^2/6) a.
// (Pitman & Yor 1997; 1F1 = sum_k x^k / (1-a)_k is their 1 + a int_0^1 (1 - e^-xy) y^{-a-1} dy, by parts and
// times e^x.)
FrozenRow PoissonDirichlet(double a);

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

// difference_std in [0, kMaximumDifferenceStd], threshold in (0, 1/4]; NaN outside. Relative error below
// 1e-13 of every field, of the share too however small. (One-dimensional integrals, and monotone functions of
// |D| for median and share.)
TwoKeyRow TwoKeys(double difference_std, double threshold = 1e-3);

}  // namespace sqrtdk::theory
