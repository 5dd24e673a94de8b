#include "theory/bessel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sqrtdk::theory {
namespace {

// Small x: with l = -(ln(x/2) + gamma), y = x^2/4 and H_k the harmonic numbers,
//   K_0     = sum_k y^k / k!^2 (l + H_k)
//   x K_1   = 1 - 2 sum_k y^{k+1} / (k! (k+1)!) (l + H_k + 1/(2(k+1)))
//   int_0^x K_0 = x sum_k y^k / (k!^2 (2k+1)) (l + H_k + 1/(2k+1)).
// The integrals below would need ever longer ranges here, as K_0 is logarithmic at 0.
ScaledBessel PowerSeries(double x) {
  const double l = -(std::log(0.5 * x) + std::numbers::egamma);
  const double y = 0.25 * x * x;
  double k0 = 0.0, k1_sum = 0.0, integral = 0.0;
  double term = 1.0;  // y^k / k!^2
  double harmonic = 0.0;
  for (int k = 0; k < 12; ++k) {  // x <= 1: the last term is below 1e-22
    const double odd = 2.0 * k + 1.0;
    k0 += term * (l + harmonic);
    k1_sum += term * y / (k + 1.0) * (l + harmonic + 0.5 / (k + 1.0));
    integral += term / odd * (l + harmonic + 1.0 / odd);
    term *= y / ((k + 1.0) * (k + 1.0));
    harmonic += 1.0 / (k + 1.0);
  }
  const double grow = std::exp(x);
  return {grow * k0, grow * (1.0 - 2.0 * k1_sum), grow * (0.5 * std::numbers::pi - x * integral)};
}

// The rest: the trapezoid rule in t on e^{-x (cosh t - 1)}, which is spectrally accurate. The integrand is a
// Gaussian of width 1/sqrt(x) for large x, so the step must shrink with it: a fixed step of 1/16 is wrong by
// e^-7 at x = 700.
ScaledBessel Trapezoid(double x) {
  const double step = std::min(0.2, 0.6 / std::sqrt(x));
  double k0 = 0.5, k1 = 0.5, ki1 = 0.5;
  for (int i = 1;; ++i) {
    const double half_sinh = std::sinh(0.5 * step * i);
    const double rise = 2.0 * half_sinh * half_sinh;  // cosh t - 1 without cancellation
    if (x * rise > 45.0) break;                       // e^-45 < 3e-20
    const double weight = std::exp(-x * rise);
    k0 += weight;
    k1 += weight * (1.0 + rise);
    ki1 += weight / (1.0 + rise);
  }
  return {step * k0, x * step * k1, step * ki1};
}

}  // namespace

ScaledBessel ScaledBesselAt(double x) { return x < 0.75 ? PowerSeries(x) : Trapezoid(x); }

}  // namespace sqrtdk::theory
