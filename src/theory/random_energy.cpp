#include "theory/random_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kHalfNormalMedian = 0.67448975019608174;  // P(|N(0,1)| < it) = 1/2

double NormalDensity(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi); }

// p(1-p) at p = 1/(1+e^-|D|): no cancellation however large |D|.
double Product(double magnitude) {
  const double e = std::exp(-magnitude);
  return e / ((1.0 + e) * (1.0 + e));
}

// -p ln p - (1-p) ln(1-p) = ln(1+e^-|D|) + |D| e^-|D| / (1+e^-|D|); even and smooth in D.
double Entropy(double magnitude) {
  const double e = std::exp(-magnitude);
  return std::log1p(e) + magnitude * e / (1.0 + e);
}

// E (1 - p_max) = 2 int_0^inf phi_tau(D) / (1 + e^D) dD. The integrand does not vanish at 0, which would cost
// the trapezoid rule its accuracy: D = scale exp(t - e^-t) makes it decay doubly exponentially at both ends
// of the t axis.
double ExpectedMinimumProbability(double tau) {
  const double scale = std::min(1.0, tau);
  constexpr double kStep = 1.0 / 16.0;
  double sum = 0.0;
  for (int i = -72; i <= 120; ++i) {  // D / scale from e^-94 to e^7.5
    const double t = kStep * i;
    const double stretch = std::exp(-t);
    const double difference = scale * std::exp(t - stretch);
    if (difference > 45.0) break;  // e^-45 < 3e-20
    sum += NormalDensity(difference / tau) / (1.0 + std::exp(difference)) * difference * (1.0 + stretch);
  }
  return 2.0 * kStep * sum / tau;
}

// psi(1) - psi(1-a) = sum_{k>=1} a / (k (k-a)): 16 terms, and the rest from the asymptotic series of psi
// (DLMF 5.11.2). Differences of powers are taken apart so that a factor a comes out of each.
double FrozenEntropy(double a) {
  double sum = 0.0;
  for (int k = 1; k < 17; ++k) sum += a / (k * (k - a));
  const double x = 17.0, y = x - a;
  const double u = 1.0 / (x * x), v = 1.0 / (y * y), difference = a * (x + y) * u * v;  // v - u
  return sum - std::log1p(-a / x) + 0.5 * a / (x * y) +
         difference * (1.0 / 12.0 - (u + v) / 120.0 + (u * u + u * v + v * v) / 252.0 -
                       (u + v) * (u * u + v * v) / 240.0);
}

// int_0^inf dx / sum_k x^k / ((1-a)(2-a)...(k-a)), by the double exponential rule: the scale of x runs from
// 1-a to 1.
double FrozenMaximum(double a) {
  constexpr double kStep = 1.0 / 10.0;
  double sum = 0.0;
  for (int i = -37;; ++i) {
    const double z = kStep * i, stretch = std::exp(-z);
    const double x = (1.0 - a) * std::exp(z - stretch);
    if (x > 45.0) break;  // the integrand falls like x^-a e^-x
    double series = 1.0, term = 1.0;
    for (int k = 1; term > 1e-17 * series; ++k) {
      term *= x / (k - a);
      series += term;
    }
    sum += x * (1.0 + stretch) / series;
  }
  return std::min(1.0, kStep * sum);  // a = 0 is exact; rounding went 2e-16 beyond
}

}  // namespace

double ExpectedMaximum(double n) {
  if (!(n >= 1.0 && n <= 0x1p53)) return kNan;
  // phi^2 < e^-40 / n^2 outside the range for every n; the peak is never narrower than 0.1.
  constexpr double kStep = 1.0 / 40.0;
  double sum = 0.0;
  for (int i = -270; i <= 440; ++i) {
    const double x = kStep * i;
    const double above = 0.5 * std::erfc(x / std::numbers::sqrt2);
    const double density = NormalDensity(x);
    sum += density * density * std::exp((n - 2.0) * std::log1p(-above));
  }
  return n == 1.0 ? 0.0 : n * (n - 1.0) * kStep * sum;
}

double FreezingStd(double keys) { return std::sqrt(FreezingDimension(keys)); }

double FreezingDimension(double keys) { return keys >= 1.0 ? 2.0 * std::log(keys) : kNan; }

FrozenRow PoissonDirichlet(double a) {
  if (!(a >= 0.0 && a < 1.0)) return {kNan, kNan, kNan, kNan, kNan, kNan, kNan};
  return {1.0 - a,
          0.5 * (1.0 - a) * (2.0 - a),
          (1.0 - a) * (3.0 - 2.0 * a) / 3.0,
          FrozenMaximum(a),
          FrozenEntropy(a),
          a,
          a * (1.0 - a) / 3.0};
}

TwoKeyRow TwoKeys(double difference_std, double threshold) {
  const double tau = difference_std;
  if (!(tau >= 0.0 && tau <= kMaximumDifferenceStd) || !(threshold > 0.0 && threshold <= 0.25)) {
    return {kNan, kNan, kNan, kNan, kNan};
  }
  // Subnormal numbers have too few digits for the steps below, and differ from 0 in no digit of the results.
  if (tau < std::numeric_limits<double>::min()) return {0.25, 0.25, std::numbers::ln2, 0.5, 0.0};
  // A normal density times what is analytic for |Im D| < pi: the trapezoid rule errs by e^(-2 pi^2 / 0.7^2)
  // of the one and e^(-2 pi^2 / 0.4) of the other.
  const double step = std::min(0.4, 0.7 * tau);
  const double range = std::min(9.0 * tau, 45.0);
  double product = 0.5 * Product(0.0), entropy = 0.5 * Entropy(0.0);
  for (int i = 1; step * i <= range; ++i) {
    const double difference = step * i;
    const double weight = std::exp(-0.5 * (difference / tau) * (difference / tau));
    product += weight * Product(difference);
    entropy += weight * Entropy(difference);
  }
  const double normalise = 2.0 * step / (tau * std::sqrt(2.0 * std::numbers::pi));
  // p(1-p) = 1 / (4 cosh^2(D/2)) falls with |D|: it is below the threshold where |D| is above this.
  const double edge = 2.0 * std::acosh(0.5 / std::sqrt(threshold));
  return {normalise * product, Product(kHalfNormalMedian * tau), normalise * entropy,
          1.0 - ExpectedMinimumProbability(tau), std::erfc(edge / (tau * std::numbers::sqrt2))};
}

}  // namespace sqrtdk::theory
