// Random words as a pure function of (seed, stream, block): the same picture for the same seed, whichever
// worker draws which block and in whatever order.
#pragma once

#include <cstdint>

#include "simd/f32x4.h"

namespace sqrtdk {

// Four xoshiro128+ generators side by side (Blackman and Vigna, "Scrambled linear pseudorandom number
// generators", ACM TOMS 2021). Counter-based generators would need no state, but their 32-bit multiplications
// cost 9 times more in WebAssembly; so a hash seeds each block, and xoshiro runs inside it. The lowest bits
// of its words are weak: callers use the upper ones.
struct Stream {
  U32x4 a, b, c, d;

  U32x4 Next() {
    const U32x4 result = a + d;
    const U32x4 shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = RotateLeft(d, 11);
    return result;
  }
};

// SplitMix64 (Steele, Lea and Flood, 2014): a bijection of 64-bit words that scatters neighbours.
inline std::uint64_t Scatter(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Equal triples open equal generators; different ones meet with a chance of 2^-64 a pair.
inline Stream OpenStream(std::uint64_t seed, std::uint64_t stream, std::uint64_t block) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
  std::uint64_t state = Scatter(Scatter(Scatter(seed + kGolden) + stream + kGolden) + block + kGolden);
  std::uint32_t words[16];
  for (std::uint32_t& word : words) {
    state += kGolden;
    word = static_cast<std::uint32_t>(Scatter(state) >> 32);
  }
  return {Load(words), Load(words + 4), Load(words + 8), Load(words + 12)};
}

}  // namespace sqrtdk
