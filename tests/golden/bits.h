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
    {"normals", 0xe90a82065518cd43},     {"dot normal", 0xf3b1e43f528a4e8e},
    {"dot uniform", 0xdd3ec3735d72d3e2}, {"dot rademacher", 0xe6392ad509cbb725},
    {"dot laplace", 0x60f885a3e2be9d30}, {"moments", 0xc0af4fdb243530ff},
    {"histogram", 0xd117870d0dcdcaf7},   {"gradient trials", 0xa33d16b2d52ba50b},
};

}  // namespace sqrtdk::golden
