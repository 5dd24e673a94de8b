// Moments of scores for every component law, against the tabulated ones, simulations and brute-force sums.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "theory/moments.h"
#include "vectors.h"

namespace sqrtdk::theory {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

DotProductMomentsOptions OptionsOf(const test::ComponentLawCase& c) {
  DotProductMomentsOptions o;
  o.dimension = c.dimension;
  o.query_mean = c.mean_q;
  o.key_mean = c.mean_k;
  o.query_std = c.std_q;
  o.key_std = c.std_k;
  if (c.law.starts_with("uniform")) o.law = ComponentLaw::kUniform;
  if (c.law.starts_with("rademacher")) o.law = ComponentLaw::kRademacher;
  if (c.law.starts_with("laplace")) o.law = ComponentLaw::kLaplace;
  if (c.law.starts_with("student t")) {
    o.law = ComponentLaw::kStudentT;
    o.degrees_of_freedom = std::stod(c.law.substr(9));
  }
  return o;
}

TEST_CASE("theory/moments: every tabulated law, and its simulation within 5 standard errors") {
  for (const auto& c : test::ComponentLawCases()) {
    CAPTURE(c.law);
    if (c.correlation != 0.0) {
      const Moment v = EquicorrelatedVariance(c.dimension, c.std_q, c.std_k, c.correlation, c.correlation);
      CHECK(v.status == MomentStatus::kExists);
      CHECK(v.value == doctest::Approx(c.variance).epsilon(1e-15));
      continue;
    }
    const DotProductMomentsOptions o = OptionsOf(c);
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(s.mean.value == doctest::Approx(c.mean).epsilon(1e-15));
    CHECK(s.variance.value == doctest::Approx(c.variance).epsilon(1e-15));
    if (!std::isnan(c.excess_kurtosis)) {
      CHECK(s.excess_kurtosis.value == doctest::Approx(c.excess_kurtosis).epsilon(1e-14));
      CHECK(ComponentExcessKurtosis(o.law, o.degrees_of_freedom).value ==
            doctest::Approx(c.component_excess_kurtosis).epsilon(1e-15));
    }
    if (!std::isnan(c.mc_variance_standard_error)) {
      CHECK(std::abs(c.mc_variance - s.variance.value) < 5.0 * c.mc_variance_standard_error);
    }
  }
}

TEST_CASE("theory/moments: normal components have the variance-gamma law's moments") {
  for (const auto& row : test::VarianceGammaMomentRows()) {
    DotProductMomentsOptions o;
    o.dimension = row.dimension;
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(s.mean.value == 0.0);
    CHECK(s.variance.value == row.second);
    CHECK(s.excess_kurtosis.value == doctest::Approx(row.excess_kurtosis).epsilon(1e-15));
  }
}

// A standardised law as weighted points: two-dimensional sums over them are the definition of the moments of
// q k.
struct Points {
  std::vector<double> x, weight;
};

Points PointsOf(ComponentLaw law) {
  Points p;
  const auto add = [&p](double x, double weight) {
    p.x.push_back(x);
    p.weight.push_back(weight);
  };
  const double h = 0.02;
  switch (law) {
    case ComponentLaw::kRademacher:
      add(-1.0, 0.5);
      add(1.0, 0.5);
      break;
    case ComponentLaw::kUniform:  // three-point Gauss-Legendre has all moments up to the fifth
      add(-3.0 / std::sqrt(5.0), 5.0 / 18.0);
      add(0.0, 8.0 / 18.0);
      add(3.0 / std::sqrt(5.0), 5.0 / 18.0);
      break;
    case ComponentLaw::kNormal:
      for (int i = -500; i <= 500; ++i) add(h * i, h * std::exp(-0.5 * h * h * i * i) / 2.5066282746310002);
      break;
    case ComponentLaw::kLaplace:
      for (int i = -1500; i <= 1500; ++i)
        add(h * i, h * std::exp(-std::sqrt(2.0) * h * std::abs(i)) / std::sqrt(2.0));
      break;
    case ComponentLaw::kStudentT:
      break;
  }
  return p;
}

TEST_CASE("theory/moments: means other than 0 agree with brute-force sums over both components") {
  const ComponentLaw laws[] = {ComponentLaw::kNormal, ComponentLaw::kUniform, ComponentLaw::kRademacher,
                               ComponentLaw::kLaplace};
  for (const ComponentLaw law : laws) {
    const Points points = PointsOf(law);
    for (const double query_mean : {0.0, 0.5, -2.0}) {
      for (const double key_mean : {0.0, 1.5}) {
        DotProductMomentsOptions o;
        o.law = law;
        o.dimension = 7;
        o.query_mean = query_mean;
        o.key_mean = key_mean;
        o.query_std = 0.75;
        o.key_std = 2.0;
        double mass = 0.0, second = 0.0, fourth = 0.0;
        for (std::size_t i = 0; i < points.x.size(); ++i) {
          for (std::size_t j = 0; j < points.x.size(); ++j) {
            const double w = points.weight[i] * points.weight[j];
            const double product = (query_mean + 0.75 * points.x[i]) * (key_mean + 2.0 * points.x[j]);
            const double y = product - query_mean * key_mean;
            mass += w;
            second += w * y * y;
            fourth += w * y * y * y * y;
          }
        }
        const DotProductMoments s = DotProductMomentsOf(o);
        CAPTURE(static_cast<int>(law));
        CAPTURE(query_mean);
        CAPTURE(key_mean);
        // The Laplace density has a kink at 0, where the sums are only good to h^2 / 6 = 7e-5.
        const double tolerance = law == ComponentLaw::kLaplace ? 1e-3 : 1e-10;
        CHECK(mass == doctest::Approx(1.0).epsilon(tolerance));
        CHECK(s.mean.value == doctest::Approx(7.0 * query_mean * key_mean));
        CHECK(s.variance.value == doctest::Approx(7.0 * second).epsilon(tolerance));
        // Fourth cumulants of independent terms add up.
        CHECK(s.excess_kurtosis.value ==
              doctest::Approx((fourth / (second * second) - 3.0) / 7.0).epsilon(tolerance));
      }
    }
  }
}

TEST_CASE("theory/moments: a moment that does not exist says why") {
  DotProductMomentsOptions o;
  o.law = ComponentLaw::kStudentT;
  o.dimension = 16;
  struct {
    double nu;
    MomentStatus mean, variance, kurtosis;
  } const cases[] = {
      {0.5, MomentStatus::kNoMean, MomentStatus::kNoMean, MomentStatus::kNoMean},
      {1.0, MomentStatus::kNoMean, MomentStatus::kNoMean, MomentStatus::kNoMean},
      {2.0, MomentStatus::kExists, MomentStatus::kInfiniteVariance, MomentStatus::kInfiniteVariance},
      {2.5, MomentStatus::kExists, MomentStatus::kExists, MomentStatus::kInfiniteKurtosis},
      {4.0, MomentStatus::kExists, MomentStatus::kExists, MomentStatus::kInfiniteKurtosis},
      {4.5, MomentStatus::kExists, MomentStatus::kExists, MomentStatus::kExists},
      {-1.0, MomentStatus::kInvalidArgument, MomentStatus::kInvalidArgument, MomentStatus::kInvalidArgument},
  };
  for (const auto& c : cases) {
    CAPTURE(c.nu);
    o.degrees_of_freedom = c.nu;
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(s.mean.status == c.mean);
    CHECK(s.variance.status == c.variance);
    CHECK(s.excess_kurtosis.status == c.kurtosis);
    CHECK(std::isnan(s.mean.value) == (c.mean != MomentStatus::kExists));
    CHECK(std::isnan(s.variance.value) == (c.variance != MomentStatus::kExists));
    CHECK(std::isnan(s.excess_kurtosis.value) == (c.kurtosis != MomentStatus::kExists));
    CHECK(VarianceStandardError(s, 1000).status == c.kurtosis);
  }
  o.degrees_of_freedom = kInfinity;  // the normal law
  CHECK(DotProductMomentsOf(o).excess_kurtosis.value == 6.0 / 16.0);
}

TEST_CASE("theory/moments: arguments out of range are refused, constants have no kurtosis") {
  const auto status = [](auto change) {
    DotProductMomentsOptions o;
    change(o);
    return DotProductMomentsOf(o).variance.status;
  };
  CHECK(status([](auto& o) { o.dimension = 0; }) == MomentStatus::kInvalidArgument);
  CHECK(status([](auto& o) { o.query_std = -1.0; }) == MomentStatus::kInvalidArgument);
  CHECK(status([](auto& o) { o.key_std = kInfinity; }) == MomentStatus::kInvalidArgument);
  CHECK(status([](auto& o) { o.query_mean = kNan; }) == MomentStatus::kInvalidArgument);
  CHECK(status([](auto& o) { o.law = static_cast<ComponentLaw>(9); }) == MomentStatus::kInvalidArgument);
  CHECK(status([](auto&) {}) == MomentStatus::kExists);

  DotProductMomentsOptions constant;
  constant.query_std = constant.key_std = 0.0;
  constant.query_mean = 3.0;
  const DotProductMoments s = DotProductMomentsOf(constant);
  CHECK(s.variance.value == 0.0);
  CHECK(s.excess_kurtosis.status == MomentStatus::kUndefined);
  CHECK(VarianceStandardError(s, 10).value == 0.0);
}

// Var(s^2) of N values of a fair +-1 coin (d = 1, Rademacher), summed over all 2^N outcomes.
TEST_CASE("theory/moments: the standard error is exact for every sample of a coin") {
  DotProductMomentsOptions o;
  o.law = ComponentLaw::kRademacher;
  o.dimension = 1;
  const DotProductMoments s = DotProductMomentsOf(o);
  for (const int n : {2, 3, 5, 10}) {
    double first = 0.0, second = 0.0;
    for (unsigned outcome = 0; outcome < (1u << n); ++outcome) {
      const int heads = __builtin_popcount(outcome);
      const double sum = 2.0 * heads - n;
      const double variance = (n - sum * sum / n) / (n - 1);
      first += variance;
      second += variance * variance;
    }
    const double outcomes = static_cast<double>(1u << n);
    const double exact = std::sqrt(second / outcomes - first * first / (outcomes * outcomes));
    CAPTURE(n);
    CHECK(VarianceStandardError(s, n).value == doctest::Approx(exact).epsilon(1e-13));
  }
  CHECK(VarianceStandardError(s, 1).status == MomentStatus::kInvalidArgument);
  CHECK(VarianceStandardError(s, kNan).status == MomentStatus::kInvalidArgument);
}

TEST_CASE("theory/moments: standard errors scale as sigma^2 and follow the simulated one") {
  for (const auto& c : test::ComponentLawCases()) {
    if (std::isnan(c.mc_variance_standard_error) || std::isnan(c.excess_kurtosis)) continue;
    // The first cases do not say how many samples they took; the others do so in the file as 8 or 20 million.
    // What must hold for all of them: (SE / sigma^2)^2 N = 2 + kappa for one and the same whole number N.
    DotProductMomentsOptions o = OptionsOf(c);
    const double se = VarianceStandardError(DotProductMomentsOf(o), 1e6).value;
    const double samples = 1e6 * std::pow(se / c.mc_variance_standard_error, 2);
    CAPTURE(c.law);
    CAPTURE(samples);
    const double millions = samples / 1e6;
    CHECK(std::abs(millions - std::round(millions)) < 1e-4 * millions);
    o.query_std = 3.0;
    CHECK(VarianceStandardError(DotProductMomentsOf(o), 1e6).value ==
          doctest::Approx(9.0 * se).epsilon(1e-13));
  }
}

TEST_CASE("theory/moments: a score matrix tells less than as many independent scores") {
  for (const auto& c : test::VarianceEstimatorCases()) {
    CAPTURE(c.rows);
    CAPTURE(c.dimension);
    if (c.rows == 1) continue;  // that row of the table is about the sample variance within one row
    const Moment se = ScoreMatrixVarianceRelativeError(c.rows, c.keys, c.dimension);
    CHECK(se.value == doctest::Approx(std::sqrt(c.relative_variance)).epsilon(1e-14));
    CHECK(se.value > std::sqrt(c.if_independent));
  }
  CHECK(ScoreMatrixVarianceRelativeError(0, 4, 4).status == MomentStatus::kInvalidArgument);
}

TEST_CASE("theory/moments: equicorrelated components, tr(Sigma_q Sigma_k)") {
  CHECK(EquicorrelatedVariance(16, 1.0, 1.0, 0.5, 0.5).value == 76.0);
  CHECK(EquicorrelatedVariance(16, 2.0, 1.0, 0.0, 0.9).value == 64.0);  // one white side: d again
  CHECK(EquicorrelatedVariance(4, 1.0, 1.0, -1.0 / 3.0, -1.0 / 3.0).value == doctest::Approx(16.0 / 3.0));
  CHECK(EquicorrelatedVariance(4, 1.0, 1.0, -0.34, 0.0).status == MomentStatus::kInvalidArgument);
  CHECK(EquicorrelatedVariance(4, 1.0, 1.0, 0.0, 1.01).status == MomentStatus::kInvalidArgument);
  CHECK(EquicorrelatedVariance(0, 1.0, 1.0, 0.0, 0.0).status == MomentStatus::kInvalidArgument);
  // d entry by entry, for correlations of either sign.
  for (const int d : {1, 2, 5}) {
    double trace = 0.0;
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) trace += i == j ? 1.0 : 0.3 * -0.2;
    }
    CHECK(EquicorrelatedVariance(d, 1.0, 1.0, 0.3, -0.2).value == doctest::Approx(trace).epsilon(1e-14));
  }
}

}  // namespace
}  // namespace sqrtdk::theory
