// Elementary functions in double, the same bits on every target (libm's differ). Each states its valid range
// and the largest error in ULP, which tests/cpp/simd_math64_test.cpp measures. Formulas and constants of
// fdlibm (Sun, 1993).
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "simd/f64x2.h"

namespace sqrtdk {

// The nearest float; beyond the range of float the largest one of that sign, not infinity.
inline float ToFiniteFloat(double x) {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(x > kLargest ? kLargest : x < -kLargest ? -kLargest : x);
}

// e^x for x <= 709, NaN and -infinity. At most 1 ULP; exp(0) is exactly 1; NaN gives NaN; 0 below -708.39,
// where the result would be subnormal.
//
// x = n ln 2 + r; e^r = 1 + 2r / (R - r) with R = r + r / tanh(r/2) even in r: five coefficients and a
// division do what a polynomial needs ten for.
inline F64x2 Exp(F64x2 x) {
  // Adding 1.5 * 2^52 rounds to an integer; the further 1023 makes the low bits of the sum the biased
  // exponent of 2^n.
  const F64x2 magic = Splat(6755399441055744.0 + 1023.0);
  const F64x2 shifted = x * Splat(1.44269504088896338700e+00) + magic;
  const F64x2 n = shifted - magic;
  const F64x2 high = x - n * Splat(6.93147180369123816490e-01);
  const F64x2 low = n * Splat(1.90821492927058770002e-10);
  const F64x2 r = high - low;
  const F64x2 t = r * r;
  F64x2 p = Splat(4.13813679705723846039e-08);
  p = p * t + Splat(-1.65339022054652515390e-06);
  p = p * t + Splat(6.61375632143793436117e-05);
  p = p * t + Splat(-2.77777777770155933842e-03);
  p = p * t + Splat(1.66666666666666019037e-01);
  const F64x2 c = r - t * p;
  const F64x2 y = Splat(1.0) - ((low - (r * c) / (Splat(2.0) - c)) - high);
  const F64x2 power = FromBits(Bits(shifted) << 52);
  return Select(x < Splat(-708.39), Splat(0.0), y * power);
}
inline double Exp(double x) { return Exp(Splat(x))[0]; }

// ln x for normal x > 0. At most 1 ULP.
//
// x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); s = f / (2 + f); ln(1 + f) = f - f^2/2 + s (f^2/2 +
// R(s^2)).
inline double Log(double x) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdull;
  const std::uint64_t offset = std::bit_cast<std::uint64_t>(x) - kSqrtHalf;
  const auto k = static_cast<double>(static_cast<std::int64_t>(offset) >> 52);
  const double f = std::bit_cast<double>((offset & 0x000fffffffffffffull) + kSqrtHalf) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 1.479819860511658591e-01;
  r = r * z + 1.531383769920937332e-01;
  r = r * z + 1.818357216161805012e-01;
  r = r * z + 2.222219843214978396e-01;
  r = r * z + 2.857142874366239149e-01;
  r = r * z + 3.999999999940941908e-01;
  r = r * z + 6.666666666666735130e-01;
  r = r * z;
  const double half_square = 0.5 * f * f;
  return k * 6.93147180369123816490e-01 -
         ((half_square - (s * (half_square + r) + k * 1.90821492927058770002e-10)) - f);
}

// ln(1 + x) for 0 <= x < 2^1023. At most 2 ULP, relative for small x too.
//
// u = 1 + x loses the low bits of x; what it lost, divided by u, is the first-order correction and enough.
inline double Log1p(double x) {
  const double u = 1.0 + x;
  const double lost = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
  return Log(u) + lost / u;
}

// tanh x for every x. At most 3 ULP; NaN gives NaN.
//
// Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))) below 1/2, 1 - 2 / (e^2|x| + 1) above;
// from 20 on tanh is 1.
inline double Tanh(double x) {
  const double size = x < 0 ? -x : x;
  if (size < 0.5) {
    const double z = x * x;
    double fraction = 15;
    for (int odd = 13; odd > 0; odd -= 2) fraction = odd + z / fraction;
    return x / fraction;
  }
  const double far = 1.0 - 2.0 / (Exp(size > 20.0 ? 40.0 : 2.0 * size) + 1.0);
  return x < 0 ? -far : far;
}

}  // namespace sqrtdk
