// All of it rests on one recursion in d, two dimensions at a time. From (1 + t^2) phi_d(t) = phi_{d-2}(t):
//
//   f_{d+2}(x)  = ((d-1) f_d(x) + x^2 f_{d-2}(x) / (d-2)) / d
//   sf_{d+2}(x) = sf_d(x) + x f_d(x) / d                                x > 0, sf(x) = P(S > x)
//
// started at d = 2, 4: f = e^-x / 2, (1+x) e^-x / 4, sf_2 = e^-x / 2; or at d = 1, 3: K_0 / pi, x K_1 / pi,
// Ki_1 / pi. Every term is positive, so nothing cancels and only the number of roundings counts: relative
// error 6e-16 at d = 64, 1e-14 at 1024, 3e-14 at 4095. The closed form of the tail with Struve functions
// loses e^{2x}.
//
// The factor e^-x is taken out and put back last, and a power of two is moved aside whenever the remainder
// grows: beyond x = 745 e^-x underflows, but at d = 4096, x = 1500 the density is still 2e-115.
#include "theory/variance_gamma.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "theory/bessel.h"

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Points that advance together: the loops over lanes vectorise, and the divisions of a step are shared.
constexpr std::size_t kBlock = 8;
// Beyond this both density and tail are 0 in double for every d <= kMaximumDimension (Chernoff bound:
// e^-800000 at d = 65536), and up to here 16 steps cannot overflow from kLarge: one step multiplies by at
// most 1 + x/d.
constexpr double kFar = 1e6;
constexpr int kStepsBetweenChecks = 16;
constexpr double kLarge = 0x1p512;
constexpr double kSmall = 0x1p-512;

// At x = 0, f_1 is infinite but enters f_5 only as x^2 f_1 = 0; a point this close gives the right limits
// everywhere.
constexpr double kNearZero = 1e-300;

template <std::size_t kLanes>
using Lanes = std::array<double, kLanes>;

template <std::size_t kLanes>
struct Law {
  Lanes<kLanes> density, tail;
};

// mantissa 2^(512 doublings) e^-x, right to the last normal double: e^-x alone may underflow where this does
// not.
double Restore(double mantissa, int doublings, double x) {
  constexpr double kChunk = 354.0;                     // x - 354 is exact
  constexpr double kChunkFactor = 2.4384350161187398;  // 2^512 e^-354
  for (; doublings > 0; --doublings) {
    mantissa *= kChunkFactor;
    x -= kChunk;
  }
  const double half = 0.5 * x;
  return mantissa * std::exp(-half) * std::exp(half - x);
}

// Density and tail of the law with scale 1 at points x in [kNearZero, kFar].
template <std::size_t kLanes>
Law<kLanes> LawAt(const Lanes<kLanes>& x, int dimension) {
  // All times e^x: f_{d-2}, f_d, sf_{d-2}, sf_d, at first for d = 4 or d = 3.
  Lanes<kLanes> f_before, f, tail_before, tail;
  if (dimension % 2 == 0) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      f_before[i] = 0.5;
      f[i] = 0.25 * (1.0 + x[i]);
      tail_before[i] = 0.5;
      tail[i] = 0.25 * (2.0 + x[i]);
    }
  } else {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const ScaledBessel bessel = ScaledBesselAt(x[i]);
      f_before[i] = bessel.k0 / std::numbers::pi;
      f[i] = bessel.xk1 / std::numbers::pi;
      tail_before[i] = bessel.ki1 / std::numbers::pi;
      tail[i] = tail_before[i] + x[i] * f_before[i];
    }
  }
  if (dimension < 3) {
    f = f_before;
    tail = tail_before;
  }
  std::array<int, kLanes> doublings{};
  int step = 0;
  for (int d = 3 + (dimension % 2 == 0 ? 1 : 0); d < dimension; d += 2) {
    const double a = (d - 1.0) / d;
    const double b = 1.0 / (static_cast<double>(d) * (d - 2.0));
    const double c = 1.0 / d;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double next = a * f[i] + b * (x[i] * x[i]) * f_before[i];
      tail[i] += c * x[i] * f[i];
      f_before[i] = f[i];
      f[i] = next;
    }
    if (++step % kStepsBetweenChecks != 0) continue;
    for (std::size_t i = 0; i < kLanes; ++i) {
      if (std::max(f[i], tail[i]) < kLarge) continue;
      f[i] *= kSmall;
      f_before[i] *= kSmall;
      tail[i] *= kSmall;
      ++doublings[i];
    }
  }
  Law<kLanes> law;
  for (std::size_t i = 0; i < kLanes; ++i) {
    law.density[i] = Restore(f[i], doublings[i], x[i]);
    law.tail[i] = Restore(tail[i], doublings[i], x[i]);
  }
  return law;
}

bool InRange(int dimension, double scale) {
  return dimension >= 1 && dimension <= kMaximumDimension && scale > 0.0 && scale < kInfinity;
}

// Density and tail for any real x, infinite and NaN too. `magnitude` is |x| / scale after clamping.
template <std::size_t kLanes>
Law<kLanes> LawAtAny(const Lanes<kLanes>& x, int dimension, double scale) {
  Lanes<kLanes> magnitude;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double standard = std::abs(x[i]) / scale;
    magnitude[i] = standard >= kNearZero && standard <= kFar ? standard : kNearZero;
  }
  Law<kLanes> law = LawAt<kLanes>(magnitude, dimension);
  for (std::size_t i = 0; i < kLanes; ++i) {
    double& density = law.density[i];
    double& tail = law.tail[i];
    const double standard = std::abs(x[i]) / scale;
    density /= scale;
    if (std::isnan(x[i])) density = tail = kNan;
    if (standard > kFar) density = tail = 0.0;
    if (dimension == 1 && x[i] == 0.0) density = kInfinity;
    if (x[i] < 0.0) tail = 1.0 - tail;
  }
  return law;
}

// A start for the quantile, z with 1 - Phi(z) = tail, to 4.5e-4 (Abramowitz & Stegun 26.2.23). tail in (0,
// 1/2].
double RoughNormalQuantile(double tail) {
  const double t = std::sqrt(-2.0 * std::log(tail));
  return t -
         (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

// The x >= 0 with P(S > x) = tail, scale 1. Newton on ln P, which is nearly linear far out, between brackets.
double UpperQuantile(double tail, int dimension) {
  const double d = dimension;
  const double z = std::max(0.0, RoughNormalQuantile(tail));
  double x = std::sqrt(d) * std::max(1e-3, z + (z * z * z - 3.0 * z) / (4.0 * d));  // Cornish-Fisher
  double low = 0.0, high = kInfinity;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Law<1> law = LawAtAny<1>({x}, dimension, 1.0);
    if (law.tail[0] == tail) return x;
    (law.tail[0] > tail ? low : high) = x;
    double next = x + law.tail[0] / law.density[0] * std::log(law.tail[0] / tail);
    // The negation also catches the NaN of an underflowed law.
    if (!(next > low && next < high)) next = high < kInfinity ? 0.5 * (low + high) : 2.0 * x;
    if (std::abs(next - x) <= 2e-16 * x || next == low || next == high) return next;
    x = next;
  }
  return x;
}

}  // namespace

double DotProductDensity(double x, int dimension, double scale) {
  return InRange(dimension, scale) ? LawAtAny<1>({x}, dimension, scale).density[0] : kNan;
}

double DotProductTail(double x, int dimension, double scale) {
  return InRange(dimension, scale) ? LawAtAny<1>({x}, dimension, scale).tail[0] : kNan;
}

double DotProductQuantile(double probability, int dimension, double scale) {
  if (!InRange(dimension, scale) || !(probability >= 0.0 && probability <= 1.0)) return kNan;
  if (probability == 0.0) return -kInfinity;
  if (probability == 1.0) return kInfinity;
  if (probability == 0.5) return 0.0;
  // 1 - p is exact for p >= 1/2, and for p < 1/2 the tail is p itself: no digit is lost on either side.
  if (probability > 0.5) return scale * UpperQuantile(1.0 - probability, dimension);
  return -scale * UpperQuantile(probability, dimension);
}

void DotProductLaw(std::span<const double> x, int dimension, double scale, std::span<double> density,
                   std::span<double> tail) {
  const bool valid = InRange(dimension, scale);
  for (std::size_t start = 0; start < x.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, x.size() - start);
    Lanes<kBlock> block;
    block.fill(kNan);
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(start), count, block.begin());
    Law<kBlock> law{block, block};
    if (valid) {
      law = LawAtAny<kBlock>(block, dimension, scale);
    } else {
      law.density.fill(kNan);
      law.tail.fill(kNan);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!density.empty()) density[start + i] = law.density[i];
      if (!tail.empty()) tail[start + i] = law.tail[i];
    }
  }
}

}  // namespace sqrtdk::theory
