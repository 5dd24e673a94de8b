// The exact law of a score against 35-digit values, and against what must hold for any law.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cpp/numbers.h"
#include "theory/variance_gamma.h"
#include "vectors.h"

namespace sqrtdk::theory {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPromised = 4e-14;  // variance_gamma.h, for d <= 4096
constexpr double kPromisedAnywhere = 4e-13;

using test::RelativeError;

TEST_CASE("theory/variance_gamma: density and both tails agree with the 35-digit values") {
  double worst = 0.0;
  for (const auto& point : test::VarianceGammaPoints()) {
    CAPTURE(point.dimension);
    CAPTURE(point.x);
    const double density = DotProductDensity(point.x, point.dimension);
    const double tail = DotProductTail(point.x, point.dimension);
    const double cdf = DotProductTail(-point.x, point.dimension);
    CHECK(RelativeError(density, point.density) < kPromised);
    CHECK(RelativeError(tail, point.tail) < kPromised);
    CHECK(RelativeError(cdf, point.cdf) < kPromised);
    // The density is even, and what is beyond x on one side is missing on the other.
    CHECK(DotProductDensity(-point.x, point.dimension) == density);
    CHECK(cdf + tail == doctest::Approx(1.0).epsilon(1e-15));
    worst = test::Worst(worst, RelativeError(tail, point.tail));
  }
  CHECK(worst < kPromised);
}

// mpmath 1.3, 40 digits: the recursion of theory 1a started from besselk and Ki_1 by quadrature.
TEST_CASE("theory/variance_gamma: large dimensions and far tails keep their digits") {
  struct {
    int dimension;
    double x, density, tail;
  } const points[] = {
      {1, 1e-12, 8.83212933410747651, 0.499999999990849561},
      {1, 100.0, 1.48225080162920807e-45, 1.47496584726080688e-45},
      {1, 700.0, 1.48643600447352045e-306, 1.48537690858133989e-306},
      {3, 690.0, 2.2770782587917592e-299, 2.27872533403704434e-299},
      {4, 700.0, 1.72790831429389984e-302, 1.73037323342983979e-302},
      {1023, 320.0, 1.783619689462012e-23, 6.14403863454481329e-23},
      {1025, 1.0, 0.0124638910386875211, 0.487532042971971073},
      {1024, 700.0, 7.14217548843286104e-91, 1.40286763721609992e-90},
      {2048, 450.0, 8.57449811771962841e-24, 4.03888044689713989e-23},
      {4095, 64.0, 0.00378033032490376497, 0.158596177253818431},
      {4095, 640.0, 2.07294141168264404e-24, 1.3442050737132735e-23},
      {4095, 1500.0, 1.83267576598044307e-115, 5.59044474348180648e-115},
      {4096, 0.001, 0.00623461480387354847, 0.499993765385195619},
      {4096, 64.0, 0.0037803307195392005, 0.158625721901852647},
      {4096, 320.0, 2.39126228420866086e-8, 2.9673169208749453e-7},
      {4096, 640.0, 2.09729507659657319e-24, 1.36031123948507227e-23},
      {4096, 1280.0, 4.50450576368988841e-86, 1.56610942737655549e-85},
      {4096, 2000.0, 1.75591746361607175e-195, 4.30546484627479868e-195},
  };
  for (const auto& point : points) {
    CAPTURE(point.dimension);
    CAPTURE(point.x);
    CHECK(RelativeError(DotProductDensity(point.x, point.dimension), point.density) < kPromised);
    CHECK(RelativeError(DotProductTail(point.x, point.dimension), point.tail) < kPromised);
  }
}

// As above. Every step of the recursion rounds, so the error grows like the root of d, at worst like d.
TEST_CASE("theory/variance_gamma: the largest dimensions, and tails where e^-x underflows") {
  struct {
    int dimension;
    double x, density, tail;
  } const points[] = {
      {65536, 1.0, 0.00155837422716980361, 0.498441617846141948},
      {65536, 256.0, 0.000945190931042432145, 0.158653407862462456},
      {65536, 1280.0, 5.81809242807637841e-9, 2.87275808271948219e-7},
      {65536, 2560.0, 3.11525132377501653e-25, 7.90937001405079484e-24},
      {65536, 9500.0, 1.59173830189972613e-299, 1.1198284964531054e-298},
      {65535, 256.0, 0.000945190930657291364, 0.158651561744172259},
      {65535, 2048.0, 2.00071467702551058e-17, 6.31248066277691368e-16},
      {511, 1000.0, 1.02031022687329288e-237, 1.31193230975665542e-237},
  };
  for (const auto& point : points) {
    CAPTURE(point.dimension);
    CAPTURE(point.x);
    CHECK(RelativeError(DotProductDensity(point.x, point.dimension), point.density) < kPromisedAnywhere);
    CHECK(RelativeError(DotProductTail(point.x, point.dimension), point.tail) < kPromisedAnywhere);
  }
  // Subnormal: whole multiples of 2^-1074 remain, and beyond them 0.
  const double least = std::numeric_limits<double>::denorm_min();
  CHECK(std::abs(DotProductTail(708.0, 2) - 1.653776501819204e-308) <= 2.0 * least);
  CHECK(std::abs(DotProductDensity(740.0, 2) - 2.09436994002402447e-322) <= 2.0 * least);
  CHECK(std::abs(DotProductDensity(744.0, 3) - 8.35258202165411924e-323) <= 2.0 * least);
  CHECK(std::abs(DotProductTail(760.0, 16) - 1.02612480211263019e-316) <= 2.0 * least);
  CHECK(DotProductTail(3000.0, 4096) == 0.0);  // 4e-400
}

TEST_CASE("theory/variance_gamma: closed forms at d = 2 and 4") {
  for (const double x : {0.0, 1e-9, 0.3, 0.75, 1.0, 7.0, 300.0, 700.0}) {
    CAPTURE(x);
    CHECK(RelativeError(DotProductDensity(x, 2), 0.5 * std::exp(-x)) < 1e-15);
    CHECK(RelativeError(DotProductTail(x, 2), 0.5 * std::exp(-x)) < 1e-15);
    CHECK(RelativeError(DotProductDensity(x, 4), 0.25 * (1.0 + x) * std::exp(-x)) < 1e-15);
    CHECK(RelativeError(DotProductTail(x, 4), 0.25 * (2.0 + x) * std::exp(-x)) < 1e-15);
  }
}

TEST_CASE("theory/variance_gamma: the density at 0 is Gamma(nu) / (2 sqrt(pi) Gamma(d/2))") {
  for (const int d : {2, 3, 4, 5, 63, 64, 1023, 4096}) {
    CAPTURE(d);
    const double expected =
        std::exp(std::lgamma(0.5 * (d - 1)) - std::lgamma(0.5 * d)) / (2.0 * std::sqrt(std::numbers::pi));
    // lgamma(2048) is 13,600, so its last digit alone is worth 2e-12 here.
    CHECK(RelativeError(DotProductDensity(0.0, d), expected) < 1e-11);
  }
  CHECK(DotProductDensity(0.0, 1) == kInfinity);
  CHECK(DotProductDensity(-0.0, 1) == kInfinity);
}

TEST_CASE("theory/variance_gamma: the logarithmic peak at d = 1 is right down to the smallest x") {
  for (const double x : {1e-300, 1e-100, 1e-10, 1e-5}) {
    CHECK(RelativeError(DotProductDensity(x, 1),
                        (-std::log(0.5 * x) - 0.57721566490153286) / std::numbers::pi) < 1e-10);
  }
}

// The series below x = 0.75 and the quadrature above it are different code.
TEST_CASE("theory/variance_gamma: odd dimensions are continuous where the formula changes") {
  const double below = std::nextafter(0.75, 0.0);
  for (const int d : {1, 3, 5, 511}) {
    CAPTURE(d);
    CHECK(RelativeError(DotProductDensity(0.75, d), DotProductDensity(below, d)) < 2e-15);
    CHECK(RelativeError(DotProductTail(0.75, d), DotProductTail(below, d)) < 2e-15);
  }
}

TEST_CASE("theory/variance_gamma: the tail falls and its slope is the density") {
  for (const int d : {1, 2, 3, 7, 64, 1000, 4095}) {
    CAPTURE(d);
    const double std = std::sqrt(d);
    double previous = 1.0;
    for (double z = -9.875; z < 10.0; z += 0.25) {
      const double x = z * std;
      const double tail = DotProductTail(x, d);
      CHECK(tail <= previous);
      previous = tail;
      // Fourth-order difference of the tail; taken on the right, where it is small and loses no digits.
      if (z < 1.0) continue;
      const double h = 1e-3 * std;
      const auto at = [&](double k) { return DotProductTail(x + k * h, d); };
      const double slope = (at(-2) - 8.0 * at(-1) + 8.0 * at(1) - at(2)) / (12.0 * h);
      CHECK(RelativeError(-slope, DotProductDensity(x, d)) < 1e-7);
    }
  }
}

// E S^2 = d and E S^4 = 3 d (d+2), by the trapezoid rule on the density, which is smooth for d >= 8.
TEST_CASE("theory/variance_gamma: the density has mass 1 and the known moments") {
  for (const auto& row : test::VarianceGammaMomentRows()) {
    if (row.dimension < 32) continue;  // smaller d: |s|^{d-1} ln|s| at 0 spoils the rule
    CAPTURE(row.dimension);
    const double h = 0.05 * std::sqrt(row.dimension);
    double mass = 0.0, second = 0.0, fourth = 0.0, sixth = 0.0;
    for (int i = -600; i <= 600; ++i) {
      const double x = h * i, f = h * DotProductDensity(x, row.dimension);
      mass += f;
      second += f * x * x;
      fourth += f * x * x * x * x;
      sixth += f * x * x * x * x * x * x;
    }
    CHECK(RelativeError(mass, 1.0) < 1e-12);
    CHECK(RelativeError(second, row.second) < 1e-12);
    CHECK(RelativeError(fourth, row.fourth) < 1e-12);
    CHECK(RelativeError(sixth, row.sixth) < 1e-12);
  }
}

TEST_CASE("theory/variance_gamma: the distance to the normal law is the tabulated one") {
  for (const auto& row : test::NormalDistances()) {
    CAPTURE(row.dimension);
    const double tail = DotProductTail(row.at_z * std::sqrt(row.dimension), row.dimension);
    const double normal = 0.5 * std::erfc(row.at_z / std::sqrt(2.0));
    // 12 digits are printed, and at_z to 8: at a maximum that costs only its square.
    CHECK(std::abs(std::abs(tail - normal) - row.distance) < 2e-12);
  }
}

TEST_CASE("theory/variance_gamma: quantiles agree with the 30-digit values") {
  for (const auto& row : test::VarianceGammaQuantiles()) {
    CAPTURE(row.dimension);
    CAPTURE(row.probability);
    // The probability is given as a double, which moves x by eps p / f(x); 1e-12 besides.
    const double rounding = 2.3e-16 * row.probability / DotProductDensity(row.x, row.dimension) / row.x;
    CHECK(RelativeError(DotProductQuantile(row.probability, row.dimension), row.x) < 1e-13 + rounding);
  }
}

TEST_CASE("theory/variance_gamma: the quantile inverts the tail, however small") {
  for (const int d : {1, 2, 3, 5, 64, 511, 4096, kMaximumDimension}) {
    for (const double tail : {1e-300, 1e-100, 1e-20, 1e-9, 1e-3, 0.02, 0.3, 0.49, 0.4999}) {
      CAPTURE(d);
      CAPTURE(tail);
      const double x = -DotProductQuantile(tail, d);
      CHECK(x > 0.0);
      // An x rounded to double moves the tail by eps x f(x); the tail itself carries sqrt(d) roundings.
      const double rounding = 4e-16 * x * DotProductDensity(x, d) / tail;
      CHECK(RelativeError(DotProductTail(x, d), tail) < 5e-16 * std::sqrt(d) + 1e-15 + rounding);
    }
  }
}

TEST_CASE("theory/variance_gamma: quantiles are odd about 1/2 and infinite at the ends") {
  for (const int d : {1, 2, 64, 4096}) {
    CHECK(DotProductQuantile(0.5, d) == 0.0);
    CHECK(DotProductQuantile(0.0, d) == -kInfinity);
    CHECK(DotProductQuantile(1.0, d) == kInfinity);
    for (const double p : {0.25, 0.0625, 0.4375}) {
      CHECK(DotProductQuantile(p, d) == -DotProductQuantile(1.0 - p, d));
      CHECK(DotProductQuantile(p, d) < 0.0);
    }
  }
}

TEST_CASE("theory/variance_gamma: scale stretches the law") {
  for (const double scale : {0.125, 3.0, 1e-3}) {
    for (const double x : {-2.5, 0.4, 11.0}) {
      for (const int d : {1, 2, 17, 64}) {
        CHECK(RelativeError(DotProductDensity(x, d, scale), DotProductDensity(x / scale, d) / scale) < 1e-15);
        CHECK(DotProductTail(x, d, scale) == DotProductTail(x / scale, d));
      }
    }
    CHECK(DotProductQuantile(0.9, 64, scale) == scale * DotProductQuantile(0.9, 64));
  }
}

TEST_CASE("theory/variance_gamma: infinities, NaN and arguments out of range") {
  for (const int d : {1, 2, 3, 64, 4096}) {
    CHECK(DotProductDensity(kInfinity, d) == 0.0);
    CHECK(DotProductDensity(-kInfinity, d) == 0.0);
    CHECK(DotProductTail(kInfinity, d) == 0.0);
    CHECK(DotProductTail(-kInfinity, d) == 1.0);
    CHECK(DotProductTail(0.0, d) == doctest::Approx(0.5).epsilon(1e-14));
    CHECK(DotProductTail(1e300, d) == 0.0);
    CHECK(DotProductDensity(1e7, d) == 0.0);
    CHECK(std::isnan(DotProductDensity(kNan, d)));
    CHECK(std::isnan(DotProductTail(kNan, d)));
    for (const double p : {kNan, -1e-9, 1.0 + 1e-9}) CHECK(std::isnan(DotProductQuantile(p, d)));
  }
  for (const int d : {0, -3, kMaximumDimension + 1}) {
    CHECK(std::isnan(DotProductDensity(1.0, d)));
    CHECK(std::isnan(DotProductTail(1.0, d)));
    CHECK(std::isnan(DotProductQuantile(0.7, d)));
  }
  for (const double scale : {0.0, -1.0, kInfinity, kNan}) {
    CHECK(std::isnan(DotProductDensity(1.0, 8, scale)));
    CHECK(std::isnan(DotProductQuantile(0.7, 8, scale)));
  }
}

TEST_CASE("theory/variance_gamma: a batch of any length equals single calls, bit for bit") {
  for (const int d : {1, 2, 3, 64, 511, 4096}) {
    for (std::size_t length = 0; length <= 19; ++length) {
      std::vector<double> x(length);
      for (std::size_t i = 0; i < length; ++i) {
        x[i] = (static_cast<double>(i) - 7.0) * 1.3 * std::sqrt(d);
      }
      if (length > 9) x[9] = kNan;
      if (length > 10) x[10] = kInfinity;
      std::vector<double> density(length, -1.0), tail(length, -1.0);
      DotProductLaw(x, d, 1.5, density, tail);
      for (std::size_t i = 0; i < length; ++i) {
        CAPTURE(i);
        const double one_density = DotProductDensity(x[i], d, 1.5), one_tail = DotProductTail(x[i], d, 1.5);
        CHECK((density[i] == one_density || (std::isnan(density[i]) && std::isnan(one_density))));
        CHECK((tail[i] == one_tail || (std::isnan(tail[i]) && std::isnan(one_tail))));
      }
      std::vector<double> only(length, -1.0);
      DotProductLaw(x, d, 1.5, {}, only);
      CHECK(std::equal(only.begin(), only.end(), tail.begin(),
                       [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    }
  }
  std::vector<double> x{1.0}, density{0.0}, tail{0.0};
  DotProductLaw(x, 0, 1.0, density, tail);
  CHECK(std::isnan(density[0]));
  CHECK(std::isnan(tail[0]));
}

}  // namespace
}  // namespace sqrtdk::theory
