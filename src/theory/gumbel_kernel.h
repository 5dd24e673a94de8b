// The functions of w whose Gaussian averages over w ~ N(u, sigma^2) make up every expectation of a softmax
// row (expected_softmax.cpp says how). Private to theory/.
#pragma once

#include <array>
#include <cstddef>

namespace sqrtdk::theory {

// In the order they are stored; t = e^w.
enum KernelIndex : std::size_t {
  kMissing,  // 1 - e^-t: average is 1 - L(u)
  kFirst,    // t e^-t: G_1
  kSecond,   // t^2 e^-t: G_2
  kThird,    // t^3 e^-t: G_3
  // How scores vary where the weights do, in terms of the caller's x:
  kFirstTimesX,          // x t e^-t: X_11
  kSecondTimesX,         // x t^2 e^-t: X_21
  kSecondTimesXSquared,  // x^2 t^2 e^-t: X_22
  kEntropy,              // A(w) = int_{-inf}^w (-gamma - y) e^{y - e^y} dy = E_1(t) + e^-t (gamma + ln t) > 0
  kKernels,
};

using KernelValues = std::array<double, kKernels>;

// All at w, to a relative error of 1e-15 each; any finite w. x is the score at w, counted from anywhere and
// in any unit.
KernelValues GumbelKernel(double w, double x);

}  // namespace sqrtdk::theory
