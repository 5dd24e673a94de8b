// The normal law a score tends to, and the least entropy of bounded scores.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "cpp/numbers.h"
#include "theory/entropy_floor.h"
#include "theory/normal_limit.h"
#include "theory/random_energy.h"
#include "theory/variance_gamma.h"
#include "vectors.h"

namespace sqrtdk::theory {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using test::RelativeError;

// mpmath, 30 digits: the density's difference integrated up to where it changes sign.
TEST_CASE("theory/normal_limit: Kolmogorov's distance agrees with the 18-digit values") {
  struct {
    int dimension;
    double distance, at;
  } const rows[] = {
      {1, 0.10753335811157856, 0.376600139618},     {2, 0.0620213693253330602, 0.489405412457},
      {4, 0.0333089640827328598, 0.588307759034},   {16, 0.00860498787853054555, 0.700055980184},
      {63, 0.00218642290518940463, 0.731422984417}, {64, 0.0021522433248290084, 0.731588584278},
      {65, 0.00211911571507494043, 0.731749064557}, {512, 0.000268871362950424935, 0.740673679395},
  };
  for (const auto& row : rows) {
    CAPTURE(row.dimension);
    const NormalDistance got = NormalDistanceOf(row.dimension);
    CHECK(RelativeError(got.distance, row.distance) < 1e-11);
    CHECK(RelativeError(got.at, row.at) < 1e-6);
  }
  for (const auto& row : test::NormalDistances()) {
    CAPTURE(row.dimension);
    CHECK(std::abs(NormalDistanceOf(row.dimension).distance - row.distance) <
          2e-12);  // 12 digits are printed
  }
}

TEST_CASE("theory/normal_limit: no other point is further off, and long vectors follow Edgeworth's series") {
  for (const int d : {1, 2, 5, 16, 63, 64, 1000, kMaximumDimension}) {
    CAPTURE(d);
    const NormalDistance got = NormalDistanceOf(d);
    for (double z = 0.05; z < 4.0; z += 0.05) {
      const double x = z * std::sqrt(d);
      CHECK(std::abs(DotProductTail(x, d) - NormalTail(x, d)) < got.distance * (1.0 + 1e-6));
    }
  }
  const double z = std::sqrt(3.0 - std::sqrt(6.0));
  const double leading = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi) * (3.0 - z * z) * z / 4.0;
  for (const int d : {1024, 8192, kMaximumDimension}) {
    CHECK(RelativeError(d * NormalDistanceOf(d).distance, leading) < 0.1 / d);
  }
  for (const int d : {0, -1, kMaximumDimension + 1}) CHECK(std::isnan(NormalDistanceOf(d).distance));
}

TEST_CASE("theory/normal_limit: density and tail") {
  CHECK(RelativeError(NormalDensity(0.0, 16, 0.25), 0.398942280401432677939946059934) < 1e-15);
  CHECK(RelativeError(NormalTail(3.0, 1), 0.00134989803163009452665181476759) < 1e-14);  // mpmath
  CHECK(RelativeError(NormalTail(320.0, 1024, 0.5), 2.75362411860623350749e-89) < 1e-13);
  CHECK(NormalTail(-3.0, 4, 2.0) == 1.0 - NormalTail(3.0, 4, 2.0));
  CHECK(NormalTail(kInfinity, 4) == 0.0);
  CHECK(NormalTail(-kInfinity, 4) == 1.0);
  CHECK(NormalDensity(kInfinity, 4) == 0.0);
  CHECK(std::isnan(NormalTail(kNan, 4)));
  for (const double scale : {0.0, -1.0, kInfinity, kNan}) {
    CHECK(std::isnan(NormalDensity(1.0, 4, scale)));
    CHECK(std::isnan(NormalTail(1.0, 4, scale)));
  }
  CHECK(std::isnan(NormalTail(1.0, 0)));
}

double EntropyOf(const double* scores, int n) {
  int top = 0;
  for (int i = 1; i < n; ++i) {
    if (scores[i] > scores[top]) top = i;
  }
  double others = 0.0, mean = 0.0;
  for (int i = 0; i < n; ++i) {
    if (i == top) continue;
    const double below = scores[i] - scores[top];
    others += std::exp(below);
    mean += below * std::exp(below);
  }
  return std::log1p(others) - mean / (1.0 + others);
}

// All directions of deviation: one for two keys, a circle for three, a sphere for four.
TEST_CASE("theory/entropy_floor: the least entropy over all directions of the scores") {
  for (const double norm : {0.1, 0.5, 2.0, 5.0, 10.0}) {
    CAPTURE(norm);
    const double two[] = {norm / std::numbers::sqrt2, -norm / std::numbers::sqrt2};
    CHECK(RelativeError(EntropyFloor(2, norm), EntropyOf(two, 2)) < 1e-13);

    double least_of_three = kInfinity, least_of_four = kInfinity;
    for (int i = 0; i < 720; ++i) {
      const double angle = std::numbers::pi / 360.0 * i;
      const double u = norm * std::cos(angle) / std::numbers::sqrt2,
                   v = norm * std::sin(angle) / std::sqrt(6.0);
      const double three[] = {u + v, -u + v, -2.0 * v};
      least_of_three = std::fmin(least_of_three, EntropyOf(three, 3));
      for (int j = 0; j <= 360; ++j) {
        const double height = std::cos(std::numbers::pi / 360.0 * j),
                     around = std::sin(std::numbers::pi / 360.0 * j);
        const double w = norm * height / std::sqrt(12.0);
        const double four[] = {around * three[0] + w, around * three[1] + w, around * three[2] + w, -3.0 * w};
        least_of_four = std::fmin(least_of_four, EntropyOf(four, 4));
      }
    }
    // The best direction is on both grids.
    CHECK(RelativeError(EntropyFloor(3, norm), least_of_three) < 1e-12);
    CHECK(RelativeError(EntropyFloor(4, norm), least_of_four) < 1e-12);
  }
}

TEST_CASE("theory/entropy_floor: ends of the range") {
  CHECK(RelativeError(EntropyFloor(64, 0.0), std::log(64.0)) < 1e-15);
  CHECK(EntropyFloor(1, 3.0) == 0.0);
  CHECK(EntropyFloor(8, kInfinity) == 0.0);
  CHECK(EntropyFloor(1e15, 1e4) == 0.0);
  double previous = kInfinity;
  for (double norm = 0.0; norm < 30.0; norm += 0.5) {
    CHECK(EntropyFloor(512, norm) < previous);
    previous = EntropyFloor(512, norm);
  }
  for (const double bad : {0.0, 0.5, kNan}) CHECK(std::isnan(EntropyFloor(bad, 1.0)));
  for (const double bad : {-1.0, kNan}) CHECK(std::isnan(EntropyFloor(8, bad)));
}

}  // namespace
}  // namespace sqrtdk::theory
