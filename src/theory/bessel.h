// The three Bessel-type integrals that start the recursion for odd dimensions, each times e^x so that none of
// them underflows. Private to theory/.
#pragma once

namespace sqrtdk::theory {

// e^x times, for x > 0:
//   k0  = K_0(x)   = int_0^inf e^{-x cosh t} dt
//   xk1 = x K_1(x) = x int_0^inf e^{-x cosh t} cosh t dt
//   ki1 = Ki_1(x)  = int_0^inf e^{-x cosh t} / cosh t dt = int_x^inf K_0
struct ScaledBessel {
  double k0, xk1, ki1;
};

// Relative error below 2e-15, x in (0, 1e6]. (DLMF 10.32.9, 10.43.11; power series 10.31.)
ScaledBessel ScaledBesselAt(double x);

}  // namespace sqrtdk::theory
