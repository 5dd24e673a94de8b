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
    {"normals", 0xe90a82065518cd43},     {"dot normal", 0x4fa1c6ebfef95318},
    {"dot uniform", 0x4832458528727ad6}, {"dot rademacher", 0xd4b1802860887325},
    {"dot laplace", 0x25533a5d1a854ee0}, {"moments", 0xcef78cd6419797ef},
    {"histogram", 0xfd4299ff2bd20fc5},   {"gradient trials", 0xa33d16b2d52ba50b},
};

}  // namespace sqrtdk::golden
