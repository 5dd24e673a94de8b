// The accuracy stated in simd/math64.h, measured against long double.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "cpp/numbers.h"
#include "simd/math64.h"

namespace sqrtdk {
namespace {

// Distance of `got` from `want` in units of the last place of double at `want`.
double UlpError(double got, long double want) {
  const double nearest = std::fabs(static_cast<double>(want));
  const double ulp = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - want) / static_cast<long double>(ulp));
}

// The largest error over x = start * ratio^k up to `stop`, same sign.
template <class F, class G>
double LargestUlpError(double start, double stop, double ratio, F f, G exact) {
  double worst = 0;
  for (double x = start; std::fabs(x) <= std::fabs(stop); x *= ratio) {
    worst = test::Worst(worst, UlpError(f(x), exact(static_cast<long double>(x))));
  }
  return worst;
}

TEST_CASE("Exp in double stays within 1 ULP") {
  const auto f = [](double x) { return Exp(x); };
  const auto exact = [](long double x) { return std::exp(x); };
  CHECK(LargestUlpError(1e-18, 709, 1.0009, f, exact) <= 1);
  CHECK(LargestUlpError(-1e-18, -708.3, 1.0009, f, exact) <= 1);
  CHECK(LargestUlpError(0.3, 3, 1.00001, f, exact) <= 1);  // the seams of the reduction
}

TEST_CASE("Log in double stays within 1 ULP") {
  const auto f = [](double x) { return Log(x); };
  const auto exact = [](long double x) { return std::log(x); };
  CHECK(LargestUlpError(2.3e-308, 1.7e308, 1.03, f, exact) <= 1);
  CHECK(LargestUlpError(0.4, 3, 1.00003, f, exact) <= 1);
  CHECK(LargestUlpError(1 + 1e-9, 1.01, 1.0000003, f, exact) <= 1);
  CHECK(Log(1.0) == 0.0);
}

TEST_CASE("Log1p in double stays within 2 ULP down to the smallest argument") {
  const auto f = [](double x) { return Log1p(x); };
  const auto exact = [](long double x) { return std::log1p(x); };
  CHECK(LargestUlpError(1e-300, 1e300, 1.02, f, exact) <= 2);
  CHECK(LargestUlpError(1e-17, 4, 1.0005, f, exact) <= 2);
  CHECK(Log1p(0.0) == 0.0);
}

TEST_CASE("Exp in double is exactly 1 at 0, flushes below the normal range and keeps NaN") {
  CHECK(Exp(0.0) == 1.0);
  CHECK(Exp(-708.4) == 0.0);
  CHECK(Exp(-1e300) == 0.0);
  CHECK(Exp(-std::numeric_limits<double>::infinity()) == 0.0);
  CHECK(std::isnan(Exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("Tanh in double stays within 3 ULP, and knows its ends") {
  const auto f = [](double x) { return Tanh(x); };
  const auto exact = [](long double x) { return std::tanh(x); };
  CHECK(LargestUlpError(1e-300, 1e300, 1.01, f, exact) <= 3);
  CHECK(LargestUlpError(1e-3, 30, 1.00002, f, exact) <= 3);
  CHECK(LargestUlpError(-1e-3, -30, 1.0003, f, exact) <= 3);
  CHECK(Tanh(0.0) == 0.0);
  CHECK(Tanh(-std::numeric_limits<double>::infinity()) == -1.0);
  CHECK(std::isnan(Tanh(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("Both lanes are computed") {
  const F64x2 e = Exp(F64x2{1.0, -2.0});
  CHECK(e[0] == Exp(1.0));
  CHECK(e[1] == Exp(-2.0));
}

}  // namespace
}  // namespace sqrtdk
