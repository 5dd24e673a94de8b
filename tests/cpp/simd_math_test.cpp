// The accuracy stated in simd/math.h, measured over the whole valid range.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include "cpp/numbers.h"
#include "simd/math.h"

namespace sqrtdk {
namespace {

// Distance of `got` from the exact `want`, in units of the last place of float32 at `want`.
double UlpError(float got, double want) {
  const float nearest = static_cast<float>(std::fabs(want));
  const double ulp = std::nextafterf(nearest, std::numeric_limits<float>::infinity()) - nearest;
  return std::fabs(static_cast<double>(got) - want) / ulp;
}

// The largest ULP error of f over every `step`-th float from `low` to `high` (same sign).
template <class F, class G>
double LargestUlpError(float low, float high, std::uint32_t step, F f, G exact) {
  double worst = 0;
  std::uint32_t from = std::bit_cast<std::uint32_t>(low), to = std::bit_cast<std::uint32_t>(high);
  if (from > to) std::swap(from, to);
  for (std::uint32_t bits = from; bits <= to; bits += step) {
    const float x = std::bit_cast<float>(bits);
    worst = test::Worst(worst, UlpError(f(Splat(x))[0], exact(static_cast<double>(x))));
  }
  return worst;
}

TEST_CASE_TEMPLATE("Exp stays within 2 ULP", Arithmetic, Fused, Exact) {
  const auto f = [](F32x4 x) { return Exp<Arithmetic>(x); };
  const auto exact = [](double x) { return std::exp(x); };
  CHECK(LargestUlpError(-1e-30f, -87.33f, 997, f, exact) <= 2);
  CHECK(LargestUlpError(1e-30f, 88.0f, 997, f, exact) <= 2);
}

TEST_CASE_TEMPLATE("Exp2 stays within 2 ULP", Arithmetic, Fused, Exact) {
  const auto f = [](F32x4 x) { return Exp2<Arithmetic>(x); };
  const auto exact = [](double x) { return std::exp2(x); };
  CHECK(LargestUlpError(-1e-30f, -126.0f, 997, f, exact) <= 2);
  CHECK(LargestUlpError(1e-30f, 127.0f, 997, f, exact) <= 2);
}

TEST_CASE_TEMPLATE("Expm1 stays within 3 ULP", Arithmetic, Fused, Exact) {
  const auto f = [](F32x4 x) { return Expm1<Arithmetic>(x); };
  const auto exact = [](double x) { return std::expm1(x); };
  CHECK(LargestUlpError(1e-37f, 88.0f, 997, f, exact) <= 3);
  CHECK(LargestUlpError(0.1f, 2.0f, 7, f, exact) <= 3);
  CHECK(Expm1<Arithmetic>(Splat(0.0f))[0] == 0.0f);
}

TEST_CASE_TEMPLATE("Log stays within 2 ULP", Arithmetic, Fused, Exact) {
  const auto f = [](F32x4 x) { return Log<Arithmetic>(x); };
  const auto exact = [](double x) { return std::log(x); };
  CHECK(LargestUlpError(std::numeric_limits<float>::min(), 3e38f, 997, f, exact) <= 2);
  CHECK(LargestUlpError(0.5f, 2.0f, 7, f, exact) <= 2);
}

TEST_CASE_TEMPLATE("Tanh stays within 3 ULP", Arithmetic, Fused, Exact) {
  const auto f = [](F32x4 x) { return Tanh<Arithmetic>(x); };
  const auto exact = [](double x) { return std::tanh(x); };
  CHECK(LargestUlpError(1e-30f, 3e38f, 499, f, exact) <= 3);
  CHECK(LargestUlpError(0.3f, 10.0f, 11, f, exact) <= 3);
  CHECK(LargestUlpError(-1e-30f, -3e38f, 997, f, exact) <= 3);
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(Tanh<Arithmetic>(F32x4{inf, -inf, 0.0f, -0.0f})[0] == 1.0f);
  CHECK(Tanh<Arithmetic>(F32x4{inf, -inf, 0.0f, -0.0f})[1] == -1.0f);
  CHECK(std::isnan(Tanh<Arithmetic>(Splat(std::numeric_limits<float>::quiet_NaN()))[0]));
}

TEST_CASE_TEMPLATE("The slope of tanh stays within 6 ULP", Arithmetic, Fused, Exact) {
  const auto f = [](F32x4 x) { return TanhWithSlope<Arithmetic>(x).slope; };
  const auto exact = [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); };
  CHECK(LargestUlpError(1e-30f, 43.0f, 499, f, exact) <= 6);
  CHECK(LargestUlpError(-0.3f, -10.0f, 11, f, exact) <= 6);
  for (float x : {43.5f, 1e10f, std::numeric_limits<float>::infinity()}) CHECK(f(Splat(x))[0] < 0x1p-120f);
  CHECK(std::isnan(f(Splat(std::numeric_limits<float>::quiet_NaN()))[0]));
}

TEST_CASE("A raised flush bound turns what lies below it into 0 and leaves the rest") {
  CHECK(Exp(F32x4{-70.0f, -69.0f, -71.0f, 0.0f}, Splat(-70.0f))[0] == Exp(Splat(-70.0f))[0]);
  CHECK(Exp(Splat(-70.1f), Splat(-70.0f))[0] == 0.0f);
  CHECK(Exp2(Splat(-100.0f), Splat(-100.0f))[0] == Exp2(Splat(-100.0f))[0]);
  CHECK(Exp2(Splat(-100.1f), Splat(-100.0f))[0] == 0.0f);
}

TEST_CASE("Partial loads and stores touch only the floats counted") {
  const float from[4] = {1, 2, 3, 4};
  for (std::size_t count = 0; count <= 4; ++count) {
    const F32x4 v = LoadPartial(from, count, -7.0f);
    float to[4] = {9, 9, 9, 9};
    StorePartial(v, to, count);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(v[i] == (i < count ? from[i] : -7.0f));
      CHECK(to[i] == (i < count ? from[i] : 9.0f));
    }
  }
}

TEST_CASE_TEMPLATE("SinCosOfTurn stays within 2 ULP and 2^-23", Arithmetic, Fused, Exact) {
  double worst_ulp = 0, worst_absolute = 0;
  for (std::uint64_t turn = 0; turn < (1ull << 32); turn += 2051) {
    // The low six bits do not count.
    const double angle = 2 * M_PI * (static_cast<double>(turn & ~63ull) / 4294967296.0);
    // Fraction bits are read as signed, so angles of a quadrant run from -pi/4 to pi/4 around its centre.
    const auto quadrant = static_cast<double>(turn >> 30);
    const double inside = std::remainder(angle - quadrant * M_PI / 2, M_PI / 2);
    const double exact_angle = quadrant * M_PI / 2 + inside;
    const SinCos got = SinCosOfTurn<Arithmetic>(Splat(static_cast<std::uint32_t>(turn)));
    const double s = std::sin(exact_angle), c = std::cos(exact_angle);
    worst_absolute =
        test::Worst(test::Worst(worst_absolute, std::fabs(got.sin[0] - s)), std::fabs(got.cos[0] - c));
    worst_ulp = test::Worst(worst_ulp,
                            std::fabs(s) > std::fabs(c) ? UlpError(got.sin[0], s) : UlpError(got.cos[0], c));
  }
  CHECK(worst_ulp <= 2);
  CHECK(worst_absolute <= std::ldexp(1.0, -23));
}

TEST_CASE_TEMPLATE("SinOfTwiceTurn stays within 2 ULP", Arithmetic, Fused, Exact) {
  double worst_ulp = 0;
  for (std::uint64_t turn = 0; turn < (1ull << 32); turn += 2051) {
    const double angle = 2 * M_PI * (static_cast<double>(turn & ~63ull) / 4294967296.0);
    const auto quadrant = static_cast<double>(turn >> 30);
    const double inside = std::remainder(angle - quadrant * M_PI / 2, M_PI / 2);
    // sin(2 (q pi/2 + x)) = (-1)^q sin 2x, without the rounding of q pi.
    const double exact = std::fmod(quadrant, 2) == 0 ? std::sin(2 * inside) : -std::sin(2 * inside);
    const F32x4 got = SinOfTwiceTurn<Arithmetic>(Splat(static_cast<std::uint32_t>(turn)));
    worst_ulp = test::Worst(worst_ulp, UlpError(got[0], exact));
  }
  CHECK(worst_ulp <= 2);
}

TEST_CASE("Exp is exactly 1 at 0, flushes to 0 below the normal range and keeps NaN") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(Exp(Splat(0.0f))[0] == 1.0f);
  CHECK(Exp2(Splat(0.0f))[0] == 1.0f);
  CHECK(Exp(Splat(-87.34f))[0] == 0.0f);
  CHECK(Exp2(Splat(-126.5f))[0] == 0.0f);
  for (float x : {-3e38f, -1e30f, -1000.0f, -inf}) {
    CHECK(Exp(Splat(x))[0] == 0.0f);
    CHECK(Exp2(Splat(x))[0] == 0.0f);
  }
  for (std::uint32_t payload : {0x7fc00000u, 0x7fc00001u, 0xffc12345u}) {
    CHECK(std::isnan(Exp(FromBits(Splat(payload)))[0]));
    CHECK(std::isnan(Exp2(FromBits(Splat(payload)))[0]));
  }
  CHECK(std::isnan(Exp(Splat(nan))[0]));
}

TEST_CASE("Max keeps the first operand where either is NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(Max(Splat(1.0f), Splat(2.0f))[0] == 2.0f);
  CHECK(Max(Splat(1.0f), Splat(nan))[0] == 1.0f);
  CHECK(std::isnan(Max(Splat(nan), Splat(1.0f))[0]));
  CHECK(MaxLanes(F32x4{1, 4, 3, 2}) == 4.0f);
  CHECK(SumLanes(F32x4{1, 2, 3, 4}) == 10.0f);
}

}  // namespace
}  // namespace sqrtdk
