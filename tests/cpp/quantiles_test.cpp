#include "stats/quantiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <vector>

#include "random/normals.h"
#include "stats/estimate.h"

namespace sqrtdk {
namespace {

Quantile QuantileOf(std::vector<double> values, double probability) {
  Quantile q{.probability = probability};
  FindQuantiles(values, {&q, 1});
  return q;
}

// 1, 2, ..., n in an order that is not sorted.
std::vector<double> Shuffled(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::fmod(a * 7919, 104729) < std::fmod(b * 7919, 104729); });
  return values;
}

TEST_CASE("a quantile lies between neighbours as in R's type 7") {
  CHECK(QuantileOf({3, 1, 2}, 0.5).value == 2);
  CHECK(QuantileOf({4, 1, 3, 2}, 0.5).value == 2.5);
  CHECK(QuantileOf({4, 1, 3, 2}, 0.25).value == 1.75);
  CHECK(QuantileOf({4, 1, 3, 2}, 0.9).value == doctest::Approx(3.7).epsilon(1e-14));
  CHECK(QuantileOf({5}, 0.01).value == 5);
  CHECK(QuantileOf({7, 7, 7, 7}, 0.3).value == 7);
}

TEST_CASE("many quantiles in any order are those asked for one by one") {
  const std::vector<double> values = Shuffled(1013);
  std::vector<Quantile> together;
  for (double p : {0.5, 0.01, 0.99, 0.5, 0.25, 0.75, 1e-6, 1 - 1e-6}) together.push_back({.probability = p});
  for (int i = 1; i < 32; ++i)
    together.push_back({.probability = i / 32.0});  // more ranks than are remembered
  std::vector<double> own = values;
  FindQuantiles(own, together);
  for (const Quantile& q : together) {
    const Quantile alone = QuantileOf(values, q.probability);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    CHECK(q.value == alone.value);
    CHECK(q.value == doctest::Approx(1 + q.probability * 1012).epsilon(1e-12));
    CHECK(same(q.standard_error, alone.standard_error));
    CHECK(same(q.low, alone.low));
    CHECK(same(q.high, alone.high));
  }
}

// P(low <= the true quantile <= high) = P(rank of low <= N < rank of high), N ~ Binomial(n, p); the values
// are their own ranks.
double Coverage(std::size_t n, double p, const Quantile& q) {
  double sum = 0;
  for (double k = q.low; k < q.high; ++k) {
    const double size = static_cast<double>(n);
    sum += std::exp(std::lgamma(size + 1) - std::lgamma(k + 1) - std::lgamma(size - k + 1) + k * std::log(p) +
                    (size - k) * std::log1p(-p));
  }
  return sum;
}

TEST_CASE("the interval holds the true quantile with 95 % probability, whatever the law") {
  std::size_t intervals = 0;
  for (std::size_t n : {2u, 10u, 30u, 100u, 501u, 2000u, 20000u}) {
    for (double p : {0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99}) {
      const Quantile q = QuantileOf(Shuffled(n), p);
      CAPTURE(n);
      CAPTURE(p);
      if (std::isnan(q.low)) {
        CHECK(static_cast<double>(n) * std::fmin(p, 1 - p) < 6.5);
        continue;
      }
      ++intervals;
      CHECK(q.low <= q.value);
      CHECK(q.value <= q.high);
      // Rounded outwards: never much less than promised, and more only by the steps of few values.
      CHECK(Coverage(n, p, q) > 0.945);
      CHECK(Coverage(n, p, q) < 0.95 + 1.2 / std::sqrt(static_cast<double>(n) * p * (1 - p)));
    }
  }
  CHECK(intervals > 20);
}

TEST_CASE("the standard error is that of theory: sqrt(p (1 - p) / n) over the density") {
  std::vector<float> normals(200000);
  FillNormal(normals, 1, 0);
  const std::vector<double> values(normals.begin(), normals.end());
  // 95 % point and density of N(0, 1) at it.
  struct Case {
    double p, quantile, density;
  };
  for (const Case& c : {Case{0.5, 0, 0.3989422804}, Case{0.975, 1.959963985, 0.0584451},
                        Case{0.01, -2.326347874, 0.0266521}}) {
    const Quantile q = QuantileOf(values, c.p);
    const double exact = std::sqrt(c.p * (1 - c.p) / 200000) / c.density;
    // It rests on the distance of two order statistics, some hundred values apart.
    CHECK(q.standard_error == doctest::Approx(exact).epsilon(0.25));
    CHECK(std::fabs(q.value - c.quantile) < 5 * exact);
    CHECK((q.high - q.low) / (2 * 1.96) == doctest::Approx(exact).epsilon(0.2));
  }
}

TEST_CASE("nothing, and NaN among the values, give NaN; infinities are values") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  CHECK(std::isnan(QuantileOf({}, 0.5).value));
  CHECK(std::isnan(QuantileOf({1, nan, 2}, 0.5).value));
  CHECK(std::isnan(QuantileOf({nan}, 0.5).low));
  CHECK(QuantileOf({-inf, 1, inf}, 0.5).value == 1);
  CHECK(QuantileOf({1, 2, inf}, 0.75).value == inf);
}

TEST_CASE("an estimate has the root mean square with its error") {
  std::vector<float> normals(100000);
  FillNormal(normals, 2, 0);
  const std::vector<double> values(normals.begin(), normals.end());
  std::vector<double> scratch(values.size());
  Quantile quarter{.probability = 0.25};
  const Estimate e = EstimateOf(values, scratch, {&quarter, 1});
  // Of z^2: mean 1, standard deviation sqrt(2).
  CHECK(e.rms_standard_error == doctest::Approx(std::sqrt(2.0 / 1e5) / 2).epsilon(0.03));
  CHECK(std::fabs(e.rms - 1) < 5 * e.rms_standard_error);
  CHECK(e.median_standard_error == doctest::Approx(std::sqrt(1.5707963 / 1e5)).epsilon(0.25));
  CHECK(quarter.value == QuantileOf(values, 0.25).value);
  CHECK(e.median == QuantileOf(values, 0.5).value);

  double room[3];
  const std::vector<double> zeros{0, 0, 0}, one{-2};
  CHECK(EstimateOf(zeros, room).rms == 0);
  CHECK(EstimateOf(zeros, room).rms_standard_error == 0);
  CHECK(EstimateOf(one, room).rms == 2);
  CHECK(std::isnan(EstimateOf(one, room).rms_standard_error));
  CHECK(std::isnan(EstimateOf({}, room).rms));
}

}  // namespace
}  // namespace sqrtdk
