// Two lanes of double, for what must be the same bits on every target: no function here fuses.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "simd/f32x4.h"

namespace sqrtdk {

using F64x2 = double __attribute__((vector_size(16)));
using I64x2 = std::int64_t __attribute__((vector_size(16)));
using U64x2 = std::uint64_t __attribute__((vector_size(16)));

inline F64x2 Splat(double x) { return F64x2{x, x}; }
inline I64x2 Splat(std::int64_t x) { return I64x2{x, x}; }

inline F64x2 Load2(const double* from) {
  F64x2 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline F64x2 Load2(const float* from) {
  float __attribute__((vector_size(8))) v;
  std::memcpy(&v, from, sizeof v);
  return __builtin_convertvector(v, F64x2);
}
// Lanes 0 and 1, lanes 2 and 3.
inline F64x2 WidenLow(F32x4 v) { return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1), F64x2); }
inline F64x2 WidenHigh(F32x4 v) {
  return __builtin_convertvector(__builtin_shufflevector(v, v, 2, 3), F64x2);
}
inline void Store(F64x2 v, double* to) { std::memcpy(to, &v, sizeof v); }

inline F64x2 Select(I64x2 mask, F64x2 if_set, F64x2 otherwise) { return mask ? if_set : otherwise; }

// The larger (smaller) of two lanes; `a` where either is NaN, as for F32x4.
inline F64x2 Max(F64x2 a, F64x2 b) { return a < b ? b : a; }
inline F64x2 Min(F64x2 a, F64x2 b) { return b < a ? b : a; }

inline double SumLanes(F64x2 v) { return v[0] + v[1]; }

inline U64x2 Bits(F64x2 v) { return std::bit_cast<U64x2>(v); }
inline F64x2 FromBits(U64x2 v) { return std::bit_cast<F64x2>(v); }

}  // namespace sqrtdk
