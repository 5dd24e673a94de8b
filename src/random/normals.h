// Standard normal values in bulk.
#pragma once

#include <cstdint>
#include <span>

namespace sqrtdk {

// Fills `out` with independent N(0, 1) values: value i of a (seed, stream) is always the same, so a longer
// request begins with a shorter one.
void FillNormal(std::span<float> out, std::uint64_t seed, std::uint64_t stream);

}  // namespace sqrtdk
