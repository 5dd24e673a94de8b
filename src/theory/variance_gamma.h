// The law of one attention score before scaling:
//
//   S = sum_{i<=d} q_i k_i,   q_i ~ N(0, sigma_q^2), k_i ~ N(0, sigma_k^2), all independent.
//
// Given q, S is normal with variance sigma_k^2 |q|^2, and |q|^2 is chi-squared, so E e^{itS} = (1 + c^2
// t^2)^(-d/2) with c = sigma_q sigma_k: the symmetric variance-gamma law. With nu = (d-1)/2 and x = |s| / c
// its density is
//
//   f(s) = x^nu K_nu(x) / (c sqrt(pi) Gamma(d/2) 2^nu).
//
// In every function here `dimension` is d, 1..kMaximumDimension, and `scale` is c > 0 and finite; anything
// else, and a NaN x, gives NaN. Nothing is thrown and nothing allocated.
#pragma once

#include <span>

namespace sqrtdk::theory {

inline constexpr int kMaximumDimension = 1 << 16;

// Density of S at x, for any real x; in units of 1/x. Even in x. +inf at x = 0 for d = 1 (it grows like
// -ln|x| / pi), 0 at +-inf. Relative error below 4e-14 for d <= 4096 and 4e-13 for all d wherever the value
// is a normal double, however far out in the tail; the cost is O(d).
double DotProductDensity(double x, int dimension, double scale = 1.0);

// P(S > x), for any real x: 1/2 at 0, 1 at -inf, 0 at +inf. Of the same relative error as the density,
// in the upper tail as well, down to the smallest normal double. P(S <= x) is DotProductTail(-x, ...).
double DotProductTail(double x, int dimension, double scale = 1.0);

// The x with P(S <= x) = probability; -inf at 0, +inf at 1, NaN outside [0, 1]. Relative error below 1e-13,
// plus an absolute error of 1e-15 c sqrt(d) near probability 1/2, where a double cannot hold the probability
// better. Give a small upper tail t as -DotProductQuantile(t, ...): 1 - t is rounded. About ten calls of
// DotProductTail.
double DotProductQuantile(double probability, int dimension, double scale = 1.0);

// density[i] = DotProductDensity(x[i], ...) and tail[i] = DotProductTail(x[i], ...) for every i. Bit for bit
// the same as the single calls, but eight points share the recursion's coefficients and run in SIMD lanes.
// The spans must be as long as x; an empty one is skipped. They may not overlap x.
void DotProductLaw(std::span<const double> x, int dimension, double scale, std::span<double> density,
                   std::span<double> tail);

}  // namespace sqrtdk::theory
