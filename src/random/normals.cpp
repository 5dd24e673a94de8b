#include "random/normals.h"

#include <algorithm>

#include "random/components.h"

namespace sqrtdk {
namespace {

// Two generators take turns: while one waits for its logarithm and square root, the other computes (1.9
// -> 1.5 ns a value in WebAssembly).
constexpr std::size_t kStep = 4 * kLanes;

void FillStep(Stream& even, Stream& odd, float* to) {
  const Pair a = Normal{}.Draw(even);
  const Pair b = Normal{}.Draw(odd);
  Store(a.first, to);
  Store(a.second, to + kLanes);
  Store(b.first, to + 2 * kLanes);
  Store(b.second, to + 3 * kLanes);
}

}  // namespace

void FillNormal(std::span<float> out, std::uint64_t seed, std::uint64_t stream, std::uint64_t first_block) {
  std::uint64_t block = first_block;
  for (std::size_t start = 0; start < out.size(); start += kNormalsPerBlock, ++block) {
    const std::span<float> part = out.subspan(start, std::min(kNormalsPerBlock, out.size() - start));
    Stream even = OpenStream(seed, stream, 2 * block);
    Stream odd = OpenStream(seed, stream, 2 * block + 1);
    std::size_t i = 0;
    for (; i + kStep <= part.size(); i += kStep) FillStep(even, odd, part.data() + i);
    if (i < part.size()) {
      float rest[kStep];
      FillStep(even, odd, rest);
      std::copy_n(rest, part.size() - i, part.data() + i);
    }
  }
}

}  // namespace sqrtdk
