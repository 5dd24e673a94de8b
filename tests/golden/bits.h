// Hashes of seeded results (FNV-1a over their 32-bit words). They change only when a random figure is
// redefined.
#pragma once

#include <cstdint>
#include <string_view>

namespace sqrtdk::golden {

struct Bits {
  std::string_view name;
  std::uint64_t hash;
};

inline constexpr Bits kBits[] = {
    {"normals", 0xe90a82065518cd43},     {"dot normal", 0xb8f31b2d0b786325},
    {"dot uniform", 0xe7d7f3f3222a2b24}, {"dot rademacher", 0x0b69378dbe43b725},
    {"dot laplace", 0xe9353225a24d0c91}, {"moments", 0x7b4baf7fd46ec3c0},
    {"histogram", 0x7748d8bc057882bd},   {"gradient trials", 0xa33d16b2d52ba50b},
};

}  // namespace sqrtdk::golden
