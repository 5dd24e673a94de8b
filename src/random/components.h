// The laws that components of queries and keys can follow, each with mean 0 and variance 1, four values at a
// time.
#pragma once

#include <cmath>
#include <cstdint>

#include "random/stream.h"
#include "simd/math.h"

namespace sqrtdk {

enum class ComponentLaw : int { kNormal = 0, kUniform = 1, kRademacher = 2, kLaplace = 3, kStudentT = 4 };
inline constexpr int kComponentLaws = 5;

// Two independent vectors of values. A law always draws the same number of words for them: what comes next
// does not depend on what came.
struct Pair {
  F32x4 first, second;
};

// The top 24 bits of a word as a number.
inline F32x4 Top24(U32x4 word) { return ToFloat(AsSigned(word >> 8)); }

// (0, 1], a multiple of 2^-25: the centres of 2^24 steps, the last one rounded up.
inline F32x4 UnitInterval(U32x4 word) { return Top24(word) * Splat(0x1p-24f) + Splat(0x1p-25f); }

// Its logarithm, finite because it is never 0.
inline F32x4 LogOfUnit(U32x4 word) { return Log<Exact, -24>(Top24(word) + Splat(0.5f)); }

struct Normal {
  // Box and Muller (1958). The tails end at sqrt(2 ln 2^25) = 5.9 standard deviations, which one value in 3e8
  // would pass.
  Pair Draw(Stream& stream) const {
    const U32x4 length = stream.Next();
    const U32x4 turn = stream.Next();
    const F32x4 radius = Sqrt(Splat(-2.0f) * LogOfUnit(length));
    const SinCos angle = SinCosOfTurn<Exact>(turn);
    return {radius * angle.cos, radius * angle.sin};
  }

  // first * second of the pair that Draw would give, in closed form: r^2 sin t cos t = -ln u sin 2t. Without
  // the square root and one of the two polynomials it takes two thirds of the time.
  F32x4 DrawProduct(Stream& stream) const {
    const U32x4 length = stream.Next();
    const U32x4 turn = stream.Next();
    return -LogOfUnit(length) * SinOfTwiceTurn<Exact>(turn);
  }
};

struct Uniform {
  // sqrt(3) (2 u - 1), from the word read as signed, with the centre of each step so that the mean is exactly
  // 0.
  static F32x4 Value(U32x4 word) {
    return (ToFloat(AsSigned(word) >> 8) + Splat(0.5f)) * Splat(1.7320508075688772f * 0x1p-23f);
  }
  Pair Draw(Stream& stream) const {
    const U32x4 first = stream.Next();
    const U32x4 second = stream.Next();
    return {Value(first), Value(second)};
  }
};

struct Rademacher {
  static F32x4 Value(U32x4 word) { return FromBits((word & Splat(0x80000000u)) | Bits(Splat(1.0f))); }
  Pair Draw(Stream& stream) const {
    const U32x4 first = stream.Next();
    const U32x4 second = stream.Next();
    return {Value(first), Value(second)};
  }
};

struct Laplace {
  // -+ ln(u) / sqrt(2): the top bit is the sign, the next 24 the uniform value.
  static F32x4 Value(U32x4 word) {
    const F32x4 magnitude = LogOfUnit(word << 1) * Splat(0.70710678118654752f);
    return FromBits(Bits(magnitude) ^ (word & Splat(0x80000000u)));
  }
  Pair Draw(Stream& stream) const {
    const U32x4 first = stream.Next();
    const U32x4 second = stream.Next();
    return {Value(first), Value(second)};
  }
};

class StudentT {
 public:
  // nu degrees of freedom, any real number above 2: with 2 or fewer there is no variance to be 1.
  explicit StudentT(double nu)
      : exponent_(Splat(static_cast<float>(-2 / nu))),
        factor_(Splat(static_cast<float>(std::sqrt(nu - 2)))) {}

  // The polar method of Bailey (1994): sqrt(nu (u^(-2/nu) - 1)) cos(2 pi v) has Student's law exactly,
  // without rejection. Only one value of a turn: sine and cosine would share their radius, and not be
  // independent. `fine` refines a small u, so that the tail goes on to chances of 2^-49: where nu is near 2
  // it holds much of the variance.
  F32x4 Value(U32x4 length, U32x4 fine, U32x4 turn) const {
    const F32x4 log_u = Log<Exact, -24>(Top24(length) + UnitInterval(fine));
    const F32x4 radius = factor_ * Sqrt(Expm1<Exact>(exponent_ * log_u));
    return radius * SinCosOfTurn<Exact>(turn).cos;
  }
  Pair Draw(Stream& stream) const {
    const U32x4 length[] = {stream.Next(), stream.Next()};
    const U32x4 fine[] = {stream.Next(), stream.Next()};
    const U32x4 turn[] = {stream.Next(), stream.Next()};
    return {Value(length[0], fine[0], turn[0]), Value(length[1], fine[1], turn[1])};
  }

 private:
  F32x4 exponent_;  // -2 / nu
  F32x4 factor_;    // sqrt(nu) sqrt((nu - 2) / nu): the radius, divided by the standard deviation of the law
};

// Calls f with the law: WithLaw(law, nu, [](const auto& law) { ... law.Draw(stream) ... }). Only Student's
// law reads the degrees of freedom.
template <class F>
void WithLaw(ComponentLaw law, double degrees_of_freedom, F f) {
  switch (law) {
    case ComponentLaw::kNormal:
      return f(Normal{});
    case ComponentLaw::kUniform:
      return f(Uniform{});
    case ComponentLaw::kRademacher:
      return f(Rademacher{});
    case ComponentLaw::kLaplace:
      return f(Laplace{});
    case ComponentLaw::kStudentT:
      return f(StudentT(degrees_of_freedom));
  }
}

}  // namespace sqrtdk
