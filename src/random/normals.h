// Standard normal values in bulk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sqrtdk {

// A stream of normals comes in blocks, so that a long one can be drawn piece by piece.
inline constexpr std::size_t kNormalsPerBlock = 4096;

// Fills `out` with independent N(0, 1) values, beginning with block `first_block` of the stream. Value i of a
// (seed, stream) is always the same, so a longer request begins with a shorter one.
void FillNormal(std::span<float> out, std::uint64_t seed, std::uint64_t stream,
                std::uint64_t first_block = 0);

}  // namespace sqrtdk
