// Elementary functions over four lanes. Each states its valid range and the largest error in units in the
// last place (ULP), which tests/cpp/simd_math_test.cpp measures over the whole range.
#pragma once

#include <type_traits>

#include "simd/f32x4.h"

namespace sqrtdk {

// Multiply-adds of the polynomials, and of the kernels that promise the same bits if asked to: Fused may use
// one rounding (and so differ by target), Exact never does. Where nothing fuses they are one type, and what
// is written for both is compiled once.
struct Exact {
  static F32x4 MulAdd(F32x4 a, F32x4 b, F32x4 c) { return a * b + c; }
};
struct OneRounding {
  static F32x4 MulAdd(F32x4 a, F32x4 b, F32x4 c) { return sqrtdk::MulAdd(a, b, c); }
};
using Fused = std::conditional_t<kFuses, OneRounding, Exact>;

// c0 x^n + c1 x^(n-1) + ... + cn (Horner).
template <class Arithmetic, class... Floats>
inline F32x4 Polynomial(F32x4 x, float leading, Floats... others) {
  F32x4 p = Splat(leading);
  ((p = Arithmetic::MulAdd(p, x, Splat(others))), ...);
  return p;
}

// t as a whole number n = round(t) and a power of two, for -127 < t < 128; the power is garbage elsewhere.
struct RoundedPower {
  F32x4 n;
  F32x4 power;  // 2^n
};
inline RoundedPower RoundToPower(F32x4 t) {
  // Adding 1.5 * 2^23 rounds to an integer; the further 127 makes the low bits of the sum the biased exponent
  // of 2^n.
  const F32x4 magic = Splat(12582912.0f + 127.0f);
  const F32x4 shifted = t + magic;
  return {shifted - magic, FromBits(Bits(shifted) << 23)};
}

// e^x = 2^n (1 + r slope): x = n ln 2 + r with |r| <= ln(2)/2, ln 2 subtracted in two parts (Cody and Waite),
// and slope = (e^r - 1) / r. The polynomial is minimax in the relative error of e^x (3.1e-9) with slope(0)
// held at 1.
struct ExpParts {
  F32x4 power;  // 2^n
  F32x4 r, slope;
};
template <class Arithmetic>
inline ExpParts ExpPartsOf(F32x4 x) {
  const RoundedPower two = RoundToPower(x * Splat(1.44269504f));
  F32x4 r = Arithmetic::MulAdd(two.n, Splat(-0.693359375f), x);
  r = Arithmetic::MulAdd(two.n, Splat(2.12194440e-4f), r);
  return {two.power, r,
          Polynomial<Arithmetic>(r, 0.00138145840312f, 0.00836872393598f, 0.0416683887296f, 0.166665205736f,
                                 0.499999934439f, 1.0f)};
}

// e^x for x <= 88, NaN and -infinity. At most 2 ULP; exp(0) is exactly 1; NaN gives NaN.
// Below `flush_below` (at least -87.33) the result is 0, not subnormal: subnormals cost up to 50 times more
// in every product that follows. A caller that goes on to divide raises it, so that the quotient is not
// subnormal either.
template <class Arithmetic = Fused>
inline F32x4 Exp(F32x4 x, F32x4 flush_below = Splat(-87.33f)) {
  const ExpParts e = ExpPartsOf<Arithmetic>(x);
  return ZeroWhere(x < flush_below, Arithmetic::MulAdd(e.slope, e.r, Splat(1.0f)) * e.power);
}

// e^x - 1 for 0 <= x <= 88, as 2^n (e^r - 1) + (2^n - 1). At most 3 ULP, also where it is tiny.
template <class Arithmetic = Fused>
inline F32x4 Expm1(F32x4 x) {
  const ExpParts e = ExpPartsOf<Arithmetic>(x);
  return Arithmetic::MulAdd(e.power, e.r * e.slope, e.power - Splat(1.0f));
}

// 2^t for t <= 127 and -infinity, 0 below `flush_below` (at least -126). At most 2 ULP; 2^0 is exactly 1; NaN
// gives NaN. The cheapest form of exp where log2(e) can be folded into a factor that is multiplied anyway. A
// degree less would save 5 % of a softmax and cost 1.5 ULP.
template <class Arithmetic = Fused>
inline F32x4 Exp2(F32x4 t, F32x4 flush_below = Splat(-126.0f)) {
  const RoundedPower two = RoundToPower(t);
  const F32x4 p = Polynomial<Arithmetic>(t - two.n, 0.000153533617864f, 0.00133988743782f, 0.00961843735844f,
                                         0.0555033247126f, 0.240226479136f, 0.693147202855f, 1.0f);
  return ZeroWhere(t < flush_below, p * two.power);
}

// ln(2^kExponent x) for normal x > 0. At most 2 ULP. The power costs nothing: no scaling of integers before.
//
// x = 2^e m with m in [sqrt(1/2), sqrt(2)); polynomial in m - 1 from Cephes (S. Moshier, logf).
template <class Arithmetic = Fused, int kExponent = 0>
inline F32x4 Log(F32x4 x) {
  constexpr auto MulAdd = Arithmetic::MulAdd;
  const U32x4 sqrt_half = Splat(0x3f3504f3u);
  const U32x4 offset = Bits(x) - sqrt_half + Splat(static_cast<std::uint32_t>(kExponent) << 23);
  const F32x4 e = ToFloat(AsSigned(offset) >> 23);
  const F32x4 r = FromBits((offset & Splat(0x007fffffu)) + sqrt_half) - Splat(1.0f);
  const F32x4 r2 = r * r;
  // Estrin's order, not Horner's: random numbers wait for this logarithm, and come 1.3 times as fast from a
  // short chain of operations as from the fewest.
  const F32x4 r4 = r2 * r2;
  const F32x4 p01 = MulAdd(r, Splat(-2.4999993993e-1f), Splat(3.3333331174e-1f));
  const F32x4 p23 = MulAdd(r, Splat(-1.6668057665e-1f), Splat(2.0000714765e-1f));
  const F32x4 p45 = MulAdd(r, Splat(-1.2420140846e-1f), Splat(1.4249322787e-1f));
  const F32x4 p67 = MulAdd(r, Splat(-1.1514610310e-1f), Splat(1.1676998740e-1f));
  const F32x4 p48 = MulAdd(r4, Splat(7.0376836292e-2f), MulAdd(r2, p67, p45));
  const F32x4 p = MulAdd(r4, p48, MulAdd(r2, p23, p01));
  // ln 2 in two parts, the small one first.
  const F32x4 small = MulAdd(r2, Splat(-0.5f), e * Splat(-2.12194440e-4f));
  const F32x4 y = MulAdd(p, r * r2, small) + r;
  return MulAdd(e, Splat(0.693359375f), y);
}

struct TanhAndSlope {
  F32x4 tanh;
  F32x4 slope;  // 1 - tanh^2
};

// tanh x for every x, at most 3 ULP, and its derivative, at most 6 ULP for |x| <= 43 and below 2^-120 beyond;
// NaN gives NaN.
//
// Odd polynomial below 0.625 (S. Moshier, Cephes tanhf); above, with q = 2 / (e^2|x| + 1), tanh |x| = 1 - q
// and its slope is q (2 - q), which does not cancel.
template <class Arithmetic = Fused>
inline TanhAndSlope TanhWithSlope(F32x4 x) {
  constexpr auto MulAdd = Arithmetic::MulAdd;
  const F32x4 size = Abs(x);
  const F32x4 z = x * x;
  const F32x4 p = Polynomial<Arithmetic>(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f,
                                         1.33314422036e-1f, -3.33332819422e-1f);
  const F32x4 near_zero = MulAdd(p * z, x, x);
  // The bound keeps Exp in its range. A NaN passes through Min as first operand.
  const F32x4 q = Splat(2.0f) / (Exp<Arithmetic>(Min(size + size, Splat(87.0f))) + Splat(1.0f));
  const F32x4 far = Splat(1.0f) - q;
  const F32x4 signed_far = FromBits(Bits(far) | (Bits(x) & Splat(0x80000000u)));
  const I32x4 is_near = size < Splat(0.625f);
  return {Select(is_near, near_zero, signed_far),
          Select(is_near, Splat(1.0f) - near_zero * near_zero, q * (Splat(2.0f) - q))};
}
template <class Arithmetic = Fused>
inline F32x4 Tanh(F32x4 x) {
  return TanhWithSlope<Arithmetic>(x).tanh;
}

struct SinCos {
  F32x4 sin, cos;
};

// Sine and cosine of an angle that is uniform on the circle when `turn` is a uniform random word: the top two
// bits are the quadrant q, the next 24, read as signed, the fraction f in [-1/2, 1/2) of a right angle; the
// angle is (q + f) pi/2. At most 2 ULP of the larger of the two, 2^-23 absolute.
//
// The quadrant is exact and |f pi/2| <= pi/4 is where the polynomials of Cephes (S. Moshier, sinf) hold.
template <class Arithmetic = Fused>
inline SinCos SinCosOfTurn(U32x4 turn) {
  constexpr auto MulAdd = Arithmetic::MulAdd;
  const F32x4 fraction = ToFloat(AsSigned(turn << 2) >> 8);  // [-2^23, 2^23)
  const F32x4 angle = fraction * Splat(0.78539816339f / 8388608.0f);
  const F32x4 z = angle * angle;
  F32x4 s = Polynomial<Arithmetic>(z, -1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f);
  s = MulAdd(s * z, angle, angle);
  F32x4 c = Polynomial<Arithmetic>(z, 2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f);
  c = MulAdd(c * z, z, MulAdd(z, Splat(-0.5f), Splat(1.0f)));
  // Quadrants 1 and 3 swap sine and cosine; sine is negative in 2 and 3, cosine in 1 and 2. Swapping by
  // exclusive or takes fewer instructions than two selections.
  const U32x4 odd = AsUnsigned(AsSigned(turn << 1) >> 31);
  const U32x4 swap = (Bits(s) ^ Bits(c)) & odd;
  const U32x4 sign = Splat(0x80000000u);
  return {FromBits(Bits(s) ^ swap ^ (turn & sign)), FromBits(Bits(c) ^ swap ^ ((turn ^ (turn << 1)) & sign))};
}

// The sine of twice the angle that SinCosOfTurn reads from a word: the quadrants become half turns and give
// the sign. At most 2 ULP. The polynomial, over [-pi/2, pi/2], is minimax in the relative error (1e-8).
template <class Arithmetic = Fused>
inline F32x4 SinOfTwiceTurn(U32x4 turn) {
  const F32x4 fraction = ToFloat(AsSigned(turn << 2) >> 8);  // [-2^23, 2^23)
  const F32x4 angle = fraction * Splat(1.5707963268f / 8388608.0f);
  const F32x4 z = angle * angle;
  const F32x4 p =
      Polynomial<Arithmetic>(z, 2.60578063812e-6f, -1.9809602902e-4f, 8.33306624608e-3f, -1.66666595504e-1f);
  const F32x4 s = Arithmetic::MulAdd(p * z, angle, angle);
  return FromBits(Bits(s) ^ ((turn << 1) & Splat(0x80000000u)));
}

}  // namespace sqrtdk
