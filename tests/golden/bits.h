// Hashes of seeded results (FNV-1a over their 32-bit words). They change only when a random figure is
// redefined. "gradient norms" and "gradient rules" come out of the float32 attention kernels: another order
// of additions there changes their last bits, and these two hashes with them.
#pragma once

#include <cstdint>
#include <string_view>

namespace sqrtdk::golden {

struct Bits {
  std::string_view name;
  std::uint64_t hash;
};

inline constexpr Bits kBits[] = {
    {"normals", 0xf932ff3968ccc4a9},        {"dot normal", 0x812e5d60a6f85f45},
    {"dot uniform", 0xe50f8f24f7ce3892},    {"dot rademacher", 0x841a2be8feeb4b25},
    {"dot laplace", 0xb5b198d6ae6edf33},    {"dot student t", 0xae2bd5dee6e0e640},
    {"moments", 0x377ac5a8e52e26c5},        {"histogram", 0xd117870d0dcdcaf7},
    {"dot correlated", 0xcdff8b4060675de8}, {"gradient weights", 0x769e64bfa5fbe8df},
    {"gradient norms", 0xa46f42316d48dd5e}, {"gradient rules", 0xdd3c9ee6a902f0ea},
};

}  // namespace sqrtdk::golden
