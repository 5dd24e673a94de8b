#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "random/components.h"
#include "random/normals.h"
#include "random/stream.h"

namespace sqrtdk {
namespace {

// xoshiro128+ as its authors publish it, one generator.
struct PlainXoshiro {
  std::array<std::uint32_t, 4> s;
  std::uint32_t Next() {
    const std::uint32_t result = s[0] + s[3];
    const std::uint32_t t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 11) | (s[3] >> 21);
    return result;
  }
};

TEST_CASE("each lane of a stream is a xoshiro128+ of its own") {
  Stream stream = OpenStream(42, 3, 5);
  std::array<PlainXoshiro, 4> plain;
  for (std::size_t lane = 0; lane < 4; ++lane) {
    plain[lane].s = {stream.a[lane], stream.b[lane], stream.c[lane], stream.d[lane]};
  }
  for (int i = 0; i < 1000; ++i) {
    const U32x4 words = stream.Next();
    for (std::size_t lane = 0; lane < 4; ++lane) REQUIRE(words[lane] == plain[lane].Next());
  }
}

TEST_CASE("Scatter is SplitMix64's finaliser") {
  // First outputs of SplitMix64 seeded with 1234567 (published with the reference code).
  std::uint64_t state = 1234567;
  for (std::uint64_t want : {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull}) {
    state += 0x9e3779b97f4a7c15ull;
    CHECK(Scatter(state) == want);
  }
}

TEST_CASE("neighbouring seeds, streams and blocks are uncorrelated") {
  constexpr std::size_t kCount = 20000;
  std::vector<float> base(kCount), other(kCount);
  FillNormal(base, 1, 1);
  for (auto [seed, stream] :
       {std::pair{0, 1}, std::pair{2, 1}, std::pair{1, 0}, std::pair{1, 2}, std::pair{2, 2}}) {
    FillNormal(other, static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(stream));
    double product = 0;
    for (std::size_t i = 0; i < kCount; ++i)
      product += static_cast<double>(base[i]) * static_cast<double>(other[i]);
    CHECK(std::fabs(product / kCount) < 5 / std::sqrt(static_cast<double>(kCount)));
  }
  // Blocks of one stream: values 4096 apart.
  std::vector<float> long_run(kCount + 4096);
  FillNormal(long_run, 1, 1);
  double product = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    product += static_cast<double>(long_run[i]) * static_cast<double>(long_run[i + 4096]);
  }
  CHECK(std::fabs(product / kCount) < 5 / std::sqrt(static_cast<double>(kCount)));
}

TEST_CASE("a longer request of normals begins with the shorter one") {
  std::vector<float> whole(10000);
  FillNormal(whole, 9, 4);
  for (std::size_t n : {0u, 1u, 2u, 15u, 16u, 17u, 31u, 4095u, 4096u, 4097u, 9999u}) {
    std::vector<float> part(n);
    FillNormal(part, 9, 4);
    CHECK(std::equal(part.begin(), part.end(), whole.begin()));
  }
}

TEST_CASE("a later block is a piece of the whole stream") {
  std::vector<float> whole(3 * kNormalsPerBlock), piece(kNormalsPerBlock + 7);
  FillNormal(whole, 9, 4);
  FillNormal(piece, 9, 4, 1);
  CHECK(std::equal(piece.begin(), piece.end(), whole.begin() + kNormalsPerBlock));
}

TEST_CASE("the edges of the generators' range give finite values") {
  for (std::uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    const U32x4 w = Splat(word);
    const float u = UnitInterval(w)[0];
    CHECK(u > 0);
    CHECK(u <= 1);
    CHECK(LogOfUnit(w)[0] == Log<Exact>(UnitInterval(w))[0]);
    CHECK(std::isfinite(Uniform::Value(w)[0]));
    CHECK(std::fabs(Uniform::Value(w)[0]) <= 1.7320509f);
    CHECK(std::isfinite(Laplace::Value(w)[0]));
    CHECK(std::fabs(Rademacher::Value(w)[0]) == 1);
    for (double nu : {2.0 + 0x1p-40, 2.1, 5.0, 1e6}) {
      const StudentT law(nu);
      for (std::uint32_t fine : {0u, 0xffffffffu}) {
        for (std::uint32_t turn : {0u, 0x7fffffffu, 0xffffffffu}) {
          CHECK(std::isfinite(law.Value(w, Splat(fine), Splat(turn))[0]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace sqrtdk
