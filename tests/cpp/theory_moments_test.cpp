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
  o.correlation = c.correlation;
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
    const DotProductMomentsOptions o = OptionsOf(c);
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(s.mean == doctest::Approx(c.mean).epsilon(1e-15));
    CHECK(s.variance == doctest::Approx(c.variance).epsilon(1e-15));
    if (!std::isnan(c.excess_kurtosis)) {
      CHECK(s.excess_kurtosis == doctest::Approx(c.excess_kurtosis).epsilon(1e-14));
      CHECK(ComponentExcessKurtosis(o.law, o.degrees_of_freedom) ==
            doctest::Approx(c.component_excess_kurtosis).epsilon(1e-15));
    }
    if (!std::isnan(c.mc_variance_standard_error)) {
      CHECK(std::abs(c.mc_variance - s.variance) < 5.0 * c.mc_variance_standard_error);
    }
  }
}

TEST_CASE("theory/moments: normal components have the variance-gamma law's moments") {
  for (const auto& row : test::VarianceGammaMomentRows()) {
    DotProductMomentsOptions o;
    o.dimension = row.dimension;
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(s.mean == 0.0);
    CHECK(s.variance == row.second);
    CHECK(s.excess_kurtosis == doctest::Approx(row.excess_kurtosis).epsilon(1e-15));
  }
}

// Mean and central moments of q.k by their definition: a sum over all outcomes of both vectors. Moments of S
// up to the fourth contain no component to more than its fourth power, so any law may stand for another that
// has the same moments up to there: +-sqrt(m) with probability 1/(2m) each and otherwise 0, m = E z^4;
// Rademacher for m = 1.
struct Enumerated {
  double mass = 0.0, mean = 0.0, second = 0.0, fourth = 0.0;
};

Enumerated EnumerateOutcomes(const DotProductMomentsOptions& o) {
  const double m4 = 3.0 + ComponentExcessKurtosis(o.law, o.degrees_of_freedom);
  const double point[] = {-std::sqrt(m4), std::sqrt(m4), 0.0};
  const double chance[] = {0.5 / m4, 0.5 / m4, 1.0 - 1.0 / m4};
  const std::size_t points = m4 == 1.0 ? 2 : 3;

  const auto d = static_cast<std::size_t>(o.dimension);
  const double a = std::sqrt(1.0 - o.correlation);
  const double b = (std::sqrt(std::fmax(0.0, 1.0 + (o.dimension - 1.0) * o.correlation)) - a) / o.dimension;
  // Calls visit(vector, probability) for each outcome of mean + std R z.
  const auto visit_vectors = [&](double mean, double std, auto visit) {
    std::size_t outcomes = 1;
    for (std::size_t i = 0; i < d; ++i) outcomes *= points;
    for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
      std::vector<double> z(d);
      double probability = 1.0, sum = 0.0;
      for (std::size_t i = 0, rest = outcome; i < d; ++i, rest /= points) {
        z[i] = point[rest % points];
        probability *= chance[rest % points];
        sum += z[i];
      }
      for (double& x : z) x = mean + std * (a * x + b * sum);
      visit(z, probability);
    }
  };
  const double centre = o.dimension * o.query_mean * o.key_mean;
  Enumerated e;
  visit_vectors(o.query_mean, o.query_std, [&](const std::vector<double>& q, double query_probability) {
    visit_vectors(o.key_mean, o.key_std, [&](const std::vector<double>& k, double key_probability) {
      const double weight = query_probability * key_probability;
      double score = 0.0;
      for (std::size_t i = 0; i < d; ++i) score += q[i] * k[i];
      const double square = (score - centre) * (score - centre);
      e.mass += weight;
      e.mean += weight * score;
      e.second += weight * square;
      e.fourth += weight * square * square;
    });
  });
  return e;
}

TEST_CASE("theory/moments: sums over all outcomes agree, for every law, mean and correlation") {
  const ComponentLaw laws[] = {ComponentLaw::kNormal, ComponentLaw::kUniform, ComponentLaw::kRademacher,
                               ComponentLaw::kLaplace, ComponentLaw::kStudentT};
  for (const ComponentLaw law : laws) {
    for (const int d : {1, 2, 3, 4}) {
      if (d == 4 && law != ComponentLaw::kRademacher && law != ComponentLaw::kLaplace)
        continue;  // 6561 outcomes each
      for (const double rho : {0.0, 0.3, 1.0, 0.5 * LowestCorrelation(d), LowestCorrelation(d)}) {
        for (const double query_mean : {0.0, 0.5, -2.0}) {
          for (const double key_mean : {0.0, 1.5}) {
            DotProductMomentsOptions o;
            o.law = law;
            o.dimension = d;
            o.correlation = rho;
            o.query_mean = query_mean;
            o.key_mean = key_mean;
            o.query_std = 0.75;
            o.key_std = 2.0;
            CAPTURE(static_cast<int>(law));
            CAPTURE(d);
            CAPTURE(rho);
            CAPTURE(query_mean);
            CAPTURE(key_mean);
            const Enumerated e = EnumerateOutcomes(o);
            const DotProductMoments s = DotProductMomentsOf(o);
            CHECK(e.mass == doctest::Approx(1.0).epsilon(1e-13));
            CHECK(std::abs(s.mean - e.mean) < 1e-12);
            CHECK(s.variance == doctest::Approx(e.second).epsilon(1e-12));
            CHECK(std::abs(s.excess_kurtosis - (e.fourth / (e.second * e.second) - 3.0)) < 1e-11);
          }
        }
      }
    }
  }
}

TEST_CASE("theory/moments: equicorrelated components, in known cases") {
  const auto moments = [](ComponentLaw law, int dimension, double correlation) {
    DotProductMomentsOptions o;
    o.law = law;
    o.dimension = dimension;
    o.correlation = correlation;
    return DotProductMomentsOf(o);
  };
  CHECK(moments(ComponentLaw::kNormal, 16, 0.5).variance == 76.0);
  CHECK(moments(ComponentLaw::kNormal, 4, -1.0 / 3.0).variance == doctest::Approx(16.0 / 3.0));
  // All components equal one normal each: S = d z w, of the kurtosis 9 - 3 of a product of two.
  for (const int d : {1, 7, 65536}) {
    const DotProductMoments s = moments(ComponentLaw::kNormal, d, 1.0);
    CHECK(s.variance == static_cast<double>(d) * d);
    CHECK(s.excess_kurtosis == doctest::Approx(6.0).epsilon(1e-14));
  }
  // Rounding must not let the lowest correlation fall out of range, nor an eigenvalue below 0.
  for (int d = 2; d < 2000; ++d) {
    const DotProductMoments s = moments(ComponentLaw::kLaplace, d, LowestCorrelation(d));
    CHECK(s.variance == doctest::Approx(d * (1.0 + 1.0 / (d - 1.0))).epsilon(1e-14));
    CHECK(s.excess_kurtosis > 0.0);
  }
  // Correlation leaves a single component alone.
  CHECK(moments(ComponentLaw::kUniform, 1, 0.9).excess_kurtosis ==
        doctest::Approx(moments(ComponentLaw::kUniform, 1, 0.0).excess_kurtosis).epsilon(1e-15));
}

TEST_CASE("theory/moments: Student t has a variance beyond two degrees of freedom, a kurtosis beyond four") {
  DotProductMomentsOptions o;
  o.law = ComponentLaw::kStudentT;
  o.dimension = 16;
  for (const double nu : {-1.0, 0.0, 1.0, 2.0, kNan}) {
    CAPTURE(nu);
    o.degrees_of_freedom = nu;
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(std::isnan(s.mean));
    CHECK(std::isnan(s.variance));
    CHECK(std::isnan(s.excess_kurtosis));
    CHECK(std::isnan(VarianceStandardError(s, 1000)));
  }
  for (const double nu : {2.0000001, 3.0, 4.0}) {
    CAPTURE(nu);
    o.degrees_of_freedom = nu;
    const DotProductMoments s = DotProductMomentsOf(o);
    CHECK(s.variance == 16.0);
    CHECK(s.excess_kurtosis == kInfinity);
    CHECK(VarianceStandardError(s, 1000) == kInfinity);
  }
  o.degrees_of_freedom = 5.0;
  CHECK(DotProductMomentsOf(o).excess_kurtosis == 78.0 / 16.0);
  o.degrees_of_freedom = kInfinity;  // the normal law
  CHECK(DotProductMomentsOf(o).excess_kurtosis == 6.0 / 16.0);
}

TEST_CASE("theory/moments: arguments out of range give NaN, constants have no kurtosis") {
  const auto variance = [](auto change) {
    DotProductMomentsOptions o;
    o.dimension = 4;
    change(o);
    return DotProductMomentsOf(o).variance;
  };
  CHECK(std::isnan(variance([](auto& o) { o.dimension = 0; })));
  CHECK(std::isnan(variance([](auto& o) { o.query_std = -1.0; })));
  CHECK(std::isnan(variance([](auto& o) { o.key_std = kInfinity; })));
  CHECK(std::isnan(variance([](auto& o) { o.query_mean = kNan; })));
  CHECK(std::isnan(variance([](auto& o) { o.law = static_cast<ComponentLaw>(9); })));
  CHECK(std::isnan(variance([](auto& o) { o.correlation = -0.34; })));
  CHECK(std::isnan(variance([](auto& o) { o.correlation = 1.01; })));
  CHECK(std::isnan(variance([](auto& o) { o.correlation = kNan; })));
  CHECK(variance([](auto&) {}) == 4.0);

  for (const ComponentLaw law : {ComponentLaw::kNormal, ComponentLaw::kStudentT}) {
    DotProductMomentsOptions constant;
    constant.law = law;
    constant.degrees_of_freedom = 3.0;
    constant.query_std = constant.key_std = 0.0;
    constant.query_mean = 3.0;
    const DotProductMoments s = DotProductMomentsOf(constant);
    CHECK(s.variance == 0.0);
    CHECK(std::isnan(s.excess_kurtosis));
    CHECK(VarianceStandardError(s, 10) == 0.0);
  }
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
    CHECK(VarianceStandardError(s, n) == doctest::Approx(exact).epsilon(1e-13));
  }
  for (const double bad : {1.0, kNan, kInfinity}) CHECK(std::isnan(VarianceStandardError(s, bad)));
  // 2/(N-1) - 2/N cancels here to less than rounding.
  CHECK(VarianceStandardError(s, 0x1p53) < 1e-15);
}

TEST_CASE("theory/moments: standard errors scale as sigma^2 and follow the simulated one") {
  for (const auto& c : test::ComponentLawCases()) {
    if (std::isnan(c.mc_variance_standard_error) || std::isnan(c.excess_kurtosis)) continue;
    // The first cases do not say how many samples they took; the others do so in the file as 8 or 20 million.
    // What must hold for all of them: (SE / sigma^2)^2 N = 2 + kappa for one and the same whole number N.
    DotProductMomentsOptions o = OptionsOf(c);
    const double se = VarianceStandardError(DotProductMomentsOf(o), 1e6);
    const double samples = 1e6 * std::pow(se / c.mc_variance_standard_error, 2);
    CAPTURE(c.law);
    CAPTURE(samples);
    const double millions = samples / 1e6;
    CHECK(std::abs(millions - std::round(millions)) < 1e-4 * millions);
    o.query_std = 3.0;
    CHECK(VarianceStandardError(DotProductMomentsOf(o), 1e6) == doctest::Approx(9.0 * se).epsilon(1e-13));
  }
}

TEST_CASE("theory/moments: a score matrix tells less than as many independent scores") {
  for (const auto& c : test::VarianceEstimatorCases()) {
    CAPTURE(c.rows);
    CAPTURE(c.dimension);
    if (c.rows == 1) continue;  // that row of the table is about the sample variance within one row
    const double se = ScoreMatrixVarianceError(c.rows, c.keys, c.dimension);
    CHECK(se == doctest::Approx(std::sqrt(c.relative_variance)).epsilon(1e-14));
    CHECK(se > std::sqrt(c.if_independent));
  }
  CHECK(std::isnan(ScoreMatrixVarianceError(0, 4, 4)));
}

}  // namespace
}  // namespace sqrtdk::theory
