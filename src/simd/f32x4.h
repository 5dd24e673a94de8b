// The vocabulary of four-lane vectors: the only file with vector syntax or compiler builtins.
//
// Written over the vector extensions that g++ and clang share, so that one text becomes SSE natively and SIMD
// in WebAssembly, and sanitizers and debuggers see the code that ships. With -ffp-contract=off every function
// here but MulAdd gives the same bits on every target.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sqrtdk {

using F32x4 = float __attribute__((vector_size(16)));
using I32x4 = std::int32_t __attribute__((vector_size(16)));
using U32x4 = std::uint32_t __attribute__((vector_size(16)));

inline constexpr int kLanes = 4;

inline F32x4 Splat(float x) { return F32x4{x, x, x, x}; }
inline I32x4 Splat(std::int32_t x) { return I32x4{x, x, x, x}; }
inline U32x4 Splat(std::uint32_t x) { return U32x4{x, x, x, x}; }

// Loads and stores need no alignment; memcpy is the one spelling that says so to every compiler.
inline F32x4 Load(const float* from) {
  F32x4 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
// Four bytes as lanes of 0..255.
inline U32x4 Load(const std::uint8_t* from) {
  std::uint8_t __attribute__((vector_size(4))) v;
  std::memcpy(&v, from, sizeof v);
  return __builtin_convertvector(v, U32x4);
}
inline U32x4 Load(const std::uint32_t* from) {
  U32x4 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
// The first `count` floats, at most 4, the other lanes `fill`; reads no float beyond them. A plain load where
// the count is the constant 4.
inline F32x4 LoadPartial(const float* from, std::size_t count, float fill) {
  if (count >= kLanes) return Load(from);
  return F32x4{count > 0 ? from[0] : fill, count > 1 ? from[1] : fill, count > 2 ? from[2] : fill, fill};
}
inline void Store(F32x4 v, float* to) { std::memcpy(to, &v, sizeof v); }
inline void StorePartial(F32x4 v, float* to, std::size_t count) {
  if (count >= kLanes) return Store(v, to);
  for (std::size_t i = 0; i < count; ++i) to[i] = v[i];
}
inline void Store(U32x4 v, std::uint32_t* to) { std::memcpy(to, &v, sizeof v); }

// a * b + c. The one place that decides fusing: one rounding in the relaxed WebAssembly build, two elsewhere.
// What a reader sees from a seed must be the same bits everywhere, so random/, stats/ and experiments/ write
// a * b + c.
#if defined(__wasm_relaxed_simd__)
inline constexpr bool kFuses = true;
inline F32x4 MulAdd(F32x4 a, F32x4 b, F32x4 c) { return __builtin_wasm_relaxed_madd_f32x4(a, b, c); }
#else
inline constexpr bool kFuses = false;
inline F32x4 MulAdd(F32x4 a, F32x4 b, F32x4 c) { return a * b + c; }
#endif

// Lane-wise choice; the mask has all bits of a lane set or none, as comparisons give.
inline F32x4 Select(I32x4 mask, F32x4 if_set, F32x4 otherwise) { return mask ? if_set : otherwise; }

// 0 where the mask is set, else `v`: one instruction in WebAssembly, where Select takes three or four.
inline F32x4 ZeroWhere(I32x4 mask, F32x4 v) { return std::bit_cast<F32x4>(std::bit_cast<I32x4>(v) & ~mask); }

// The larger of two lanes; `a` where either is NaN. Compiles to one instruction (pmax, maxps), which the
// NaN-correct builtin does not.
inline F32x4 Max(F32x4 a, F32x4 b) { return a < b ? b : a; }
inline F32x4 Min(F32x4 a, F32x4 b) { return b < a ? b : a; }

// a0 b0 a1 b1 and a2 b2 a3 b3.
inline F32x4 InterleaveLow(F32x4 a, F32x4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
inline F32x4 InterleaveHigh(F32x4 a, F32x4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }

inline U32x4 Bits(F32x4 v) { return std::bit_cast<U32x4>(v); }
inline F32x4 FromBits(U32x4 v) { return std::bit_cast<F32x4>(v); }
inline I32x4 AsSigned(U32x4 v) { return std::bit_cast<I32x4>(v); }
inline U32x4 AsUnsigned(I32x4 v) { return std::bit_cast<U32x4>(v); }

// Exact for |v| <= 2^24, rounded to nearest beyond.
inline F32x4 ToFloat(I32x4 v) { return __builtin_convertvector(v, F32x4); }

inline F32x4 Abs(F32x4 v) { return FromBits(Bits(v) & Splat(0x7fffffffu)); }

inline F32x4 Sqrt(F32x4 v) {
#if defined(__wasm_simd128__)
  return __builtin_wasm_sqrt_f32x4(v);
#else
  return F32x4{__builtin_sqrtf(v[0]), __builtin_sqrtf(v[1]), __builtin_sqrtf(v[2]), __builtin_sqrtf(v[3])};
#endif
}

inline U32x4 RotateLeft(U32x4 v, int bits) { return (v << bits) | (v >> (32 - bits)); }

// Sum and maximum over the lanes, always in the same order.
inline float SumLanes(F32x4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }
inline float MaxLanes(F32x4 v) {
  const float low = v[0] < v[1] ? v[1] : v[0];
  const float high = v[2] < v[3] ? v[3] : v[2];
  return low < high ? high : low;
}

}  // namespace sqrtdk
