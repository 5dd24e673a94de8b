#include "theory/gumbel_kernel.h"

#include <cmath>
#include <numbers>

namespace sqrtdk::theory {
namespace {

// A(w). For t <= 2 from Ein(t) = E_1(t) + ln t + gamma = sum_{k>=1} (-1)^{k+1} t^k / (k k!), which leaves
// A = Ein(t) - (1 - e^-t)(gamma + ln t) without the cancellation of the two logarithms; beyond that from the
// continued fraction of E_1, e^t E_1(t) = 1/(t+1 - 1/(t+3 - 4/(t+5 - ...))), evaluated backwards.
// (DLMF 6.6.2, 6.9.1.)
double EntropyKernel(double w, double t, double missing) {
  const double shifted = std::numbers::egamma + w;
  if (t > 2.0) {
    double tail = 0.0;
    const int terms = 20 + static_cast<int>(100.0 / t);
    for (int k = terms; k >= 1; --k) tail = k * k / (t + 2.0 * k + 1.0 - tail);
    return std::exp(-t) * (shifted + 1.0 / (t + 1.0 - tail));
  }
  double term = t, ein = t;  // term = (-1)^{k+1} t^k / k!
  for (int k = 2; k < 40 && std::abs(term) > 1e-18 * t; ++k) {
    term *= -t / k;
    ein += term / k;
  }
  return ein - missing * shifted;
}

}  // namespace

KernelValues GumbelKernel(double w, double x) {
  const double t = std::exp(w);
  const double missing = -std::expm1(-t);
  const double first = t * (t < 0.5 ? 1.0 - missing : std::exp(-t));
  const double second = t * first;
  return {missing,   first,      second,         t * second,
          x * first, x * second, x * x * second, EntropyKernel(w, t, missing)};
}

}  // namespace sqrtdk::theory
