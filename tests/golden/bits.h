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
    {"normals", 0xe90a82065518cd43},        {"dot normal", 0xa33d167164be4f1c},
    {"dot uniform", 0xe50f8f24f7ce3892},    {"dot rademacher", 0x841a2be8feeb4b25},
    {"dot laplace", 0xbdf0dd583ed40ace},    {"dot student t", 0x5c806094937fd657},
    {"moments", 0x7ea7612c5a38effa},        {"histogram", 0xd117870d0dcdcaf7},
    {"dot correlated", 0x7891686b0ef05e38}, {"gradient weights", 0x51c92dc2bc6e5249},
    {"gradient norms", 0x0d5ba55222e5cd10}, {"gradient rules", 0x9d28f2514df44676},
};

}  // namespace sqrtdk::golden
