// What a score tends to as the dimension grows: the normal law of the same variance, and how far it is.
#pragma once

namespace sqrtdk::theory {

// Density of N(0, scale^2 dimension) at x, and P(. > x): what DotProductDensity and DotProductTail tend to.
// NaN for dimension < 1, for a scale that is not positive and finite, and for a NaN x. Relative error below
// 1e-14 + 2e-16 z^2, z = x / (scale sqrt(dimension)).
double NormalDensity(double x, int dimension, double scale = 1.0);
double NormalTail(double x, int dimension, double scale = 1.0);

// Kolmogorov's distance sup_x |P(S <= x) - Phi(x / sqrt(d))| of a score of normal components from the normal
// law, and the z = x / sqrt(d) > 0 at which it is taken (and at -z, with the other sign).
struct NormalDistance {
  double distance, at;
};

// dimension in 1..65536; NaN outside. Tends to 0.13764 / d: the first term of Edgeworth's series, phi(z) (3z
// - z^3) / (4 d), at z^2 = 3 - sqrt(6). Relative error of the distance below 1e-11, of the place below 1e-6.
NormalDistance NormalDistanceOf(int dimension);

}  // namespace sqrtdk::theory
