// The laws that components of queries and keys can follow, each with mean 0 and variance 1, four values at a
// time.
#pragma once

#include <cstdint>
#include <span>

#include "random/stream.h"
#include "simd/math.h"

namespace sqrtdk {

enum class ComponentLaw : int { kNormal = 0, kUniform = 1, kRademacher = 2, kLaplace = 3 };
inline constexpr int kComponentLaws = 4;

// Two independent vectors of values. Every law draws exactly two words for them.
struct Pair {
  F32x4 first, second;
};

// (0, 1], a multiple of 2^-25; never 0, so that its logarithm is finite.
inline F32x4 UnitInterval(U32x4 word) {
  return ToFloat(AsSigned(word >> 8)) * Splat(0x1p-24f) + Splat(0x1p-25f);
}

struct Normal {
  // Box and Muller (1958). The tails end at sqrt(2 ln 2^25) = 5.9 standard deviations, which one value in 3e8
  // would pass.
  static Pair Draw(Stream& stream) {
    const U32x4 length = stream.Next();
    const U32x4 turn = stream.Next();
    const F32x4 radius = Sqrt(Splat(-2.0f) * Log<Exact>(UnitInterval(length)));
    const SinCos angle = SinCosOfTurn<Exact>(turn);
    return {radius * angle.cos, radius * angle.sin};
  }
};

struct Uniform {
  // sqrt(3) (2 u - 1), from the word read as signed, with the centre of each step so that the mean is exactly
  // 0.
  static F32x4 Value(U32x4 word) {
    return (ToFloat(AsSigned(word) >> 8) + Splat(0.5f)) * Splat(1.7320508075688772f * 0x1p-23f);
  }
  static Pair Draw(Stream& stream) {
    const U32x4 first = stream.Next();
    const U32x4 second = stream.Next();
    return {Value(first), Value(second)};
  }
};

struct Rademacher {
  static F32x4 Value(U32x4 word) { return FromBits((word & Splat(0x80000000u)) | Bits(Splat(1.0f))); }
  static Pair Draw(Stream& stream) {
    const U32x4 first = stream.Next();
    const U32x4 second = stream.Next();
    return {Value(first), Value(second)};
  }
};

struct Laplace {
  // -+ ln(u) / sqrt(2): the top bit is the sign, the next 24 the uniform value.
  static F32x4 Value(U32x4 word) {
    const F32x4 magnitude = Log<Exact>(UnitInterval(word << 1)) * Splat(0.70710678118654752f);
    return FromBits(Bits(magnitude) ^ (word & Splat(0x80000000u)));
  }
  static Pair Draw(Stream& stream) {
    const U32x4 first = stream.Next();
    const U32x4 second = stream.Next();
    return {Value(first), Value(second)};
  }
};

// Calls f with the law's type: Visit(law, [](auto law) { ... law.Draw(stream) ... }).
template <class F>
void WithLaw(ComponentLaw law, F f) {
  switch (law) {
    case ComponentLaw::kNormal:
      return f(Normal{});
    case ComponentLaw::kUniform:
      return f(Uniform{});
    case ComponentLaw::kRademacher:
      return f(Rademacher{});
    case ComponentLaw::kLaplace:
      return f(Laplace{});
  }
}

}  // namespace sqrtdk
