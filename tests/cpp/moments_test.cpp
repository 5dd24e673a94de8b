#include "stats/moments.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "random/normals.h"
#include "stats/estimate.h"
#include "stats/histogram.h"

namespace sqrtdk {
namespace {

std::vector<float> SkewedSample(std::size_t n) {
  std::vector<float> values(n);
  FillNormal(values, 7, 3);
  for (float& v : values) v = std::exp(v) + 1000;  // far from 0 and skewed: where one-pass formulas fail
  return values;
}

// The definition, in long double.
struct PlainMoments {
  long double mean = 0, m2 = 0, m3 = 0, m4 = 0;
};
PlainMoments PlainMomentsOf(const std::vector<float>& values) {
  PlainMoments p;
  for (float v : values) p.mean += v;
  p.mean /= static_cast<long double>(values.size());
  for (float v : values) {
    const long double x = v - p.mean;
    p.m2 += x * x;
    p.m3 += x * x * x;
    p.m4 += x * x * x * x;
  }
  return p;
}

TEST_CASE("moments equal their definition") {
  for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 1000u}) {
    const std::vector<float> values = SkewedSample(n);
    const PlainMoments want = PlainMomentsOf(values);
    const Moments got = MomentsOf(std::span<const float>(values));
    const double m2 = static_cast<double>(want.m2);
    CHECK(got.count == static_cast<double>(n));
    CHECK(got.mean == doctest::Approx(static_cast<double>(want.mean)).epsilon(1e-15));
    CHECK(std::fabs(got.m2 - m2) <= 1e-12 * m2 + 1e-20);
    CHECK(std::fabs(got.m3 - static_cast<double>(want.m3)) <= 1e-11 * std::pow(m2, 1.5) + 1e-20);
    CHECK(std::fabs(got.m4 - static_cast<double>(want.m4)) <= 1e-11 * m2 * m2 + 1e-20);
  }
}

TEST_CASE("merged parts equal the whole, wherever the cut is") {
  const std::vector<float> values = SkewedSample(257);
  const Moments whole = MomentsOf(std::span<const float>(values));
  for (std::size_t cut : {0u, 1u, 2u, 100u, 256u, 257u}) {
    const std::span<const float> all(values);
    const Moments merged = Merge(MomentsOf(all.first(cut)), MomentsOf(all.subspan(cut)));
    CHECK(merged.count == whole.count);
    CHECK(merged.mean == doctest::Approx(whole.mean).epsilon(1e-14));
    CHECK(merged.m2 == doctest::Approx(whole.m2).epsilon(1e-12));
    CHECK(merged.m3 == doctest::Approx(whole.m3).epsilon(1e-11));
    CHECK(merged.m4 == doctest::Approx(whole.m4).epsilon(1e-11));
  }
}

// Every way of merging gives the whole: relative error of a few roundings a merge, of the sums' own scale.
void CheckNear(const Moments& got, const Moments& whole) {
  CHECK(got.count == whole.count);
  CHECK(got.mean == doctest::Approx(whole.mean).epsilon(1e-14));
  CHECK(std::fabs(got.m2 - whole.m2) <= 1e-12 * whole.m2);
  CHECK(std::fabs(got.m3 - whole.m3) <= 1e-11 * std::pow(whole.m2, 1.5) / std::sqrt(whole.count));
  CHECK(std::fabs(got.m4 - whole.m4) <= 1e-11 * whole.m4);
  CHECK(got.minimum == whole.minimum);
  CHECK(got.maximum == whole.maximum);
}

TEST_CASE("merging does not depend on grouping or order") {
  const std::vector<float> values = SkewedSample(5000);
  const std::span<const float> all(values);
  const Moments whole = MomentsOf(all);
  std::vector<Moments> parts;  // of 1, 2, 3, ... values
  for (std::size_t start = 0, length = 1; start < values.size(); start += length++)
    parts.push_back(MomentsOf(all.subspan(start, std::min(length, values.size() - start))));

  Moments forwards, backwards;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    forwards = Merge(forwards, parts[i]);
    backwards = Merge(backwards, parts[parts.size() - 1 - i]);
  }
  CheckNear(forwards, whole);
  CheckNear(backwards, whole);

  while (parts.size() > 1) {  // pairs, as in a tree
    std::vector<Moments> pairs;
    for (std::size_t i = 0; i < parts.size(); i += 2)
      pairs.push_back(i + 1 < parts.size() ? Merge(parts[i], parts[i + 1]) : parts[i]);
    parts = pairs;
  }
  CheckNear(parts[0], whole);
}

TEST_CASE("minimum and maximum are those of the values; none has the identities of merging") {
  const std::vector<double> values{3, -2, 7.5, 0, -2, 1, 7, std::nan("")};
  for (std::size_t n = 1; n <= values.size(); ++n) {
    const Moments m = MomentsOf(std::span<const double>(values).first(n));
    CHECK(m.minimum == (n < 2 ? 3 : -2));
    CHECK(m.maximum == (n < 3 ? 3 : 7.5));
  }
  CHECK(Moments{}.minimum == std::numeric_limits<double>::infinity());
  CHECK(Moments{}.maximum == -std::numeric_limits<double>::infinity());
}

TEST_CASE("the standard error of the variance is the spread of variances, for flat and for heavy tails") {
  // Rows of 1000 independent values of kurtosis 0 and, as products of two, 6.
  constexpr std::size_t kRows = 600, kLength = 1000;
  std::vector<float> values(2 * kLength);
  for (bool product : {false, true}) {
    double squares = 0;
    for (std::size_t row = 0; row < kRows; ++row) {
      FillNormal(values, 13, row);
      if (product)
        for (std::size_t i = 0; i < kLength; ++i) values[i] *= values[kLength + i];
      const double error = Variance(MomentsOf(std::span<const float>(values).first(kLength))) - 1;
      squares += error * error;
    }
    const double exact = std::sqrt(2.0 / (kLength - 1) + (product ? 6.0 : 0.0) / kLength);
    // The root mean square of that many errors is known to some 1 / sqrt(2 * 600) = 3 %, more for heavy
    // tails.
    CHECK(std::sqrt(squares / kRows) == doctest::Approx(exact).epsilon(0.15));
  }
}

TEST_CASE("summaries of a small known sample") {
  const std::vector<float> values{2, 4, 4, 4, 5, 5, 7, 9};
  const Moments m = MomentsOf(std::span<const float>(values));
  CHECK(m.mean == 5);
  CHECK(Variance(m) == doctest::Approx(32.0 / 7));
  CHECK(Skewness(m) == doctest::Approx(0.65625));         // 42/8 / 2^3
  CHECK(ExcessKurtosis(m) == doctest::Approx(-0.21875));  // 356/8 / 4^2 - 3
  CHECK(VarianceStandardError(m) == doctest::Approx(32.0 / 7 * std::sqrt(2.0 / 7 - 0.21875 / 8)));
}

TEST_CASE("summaries of none, one and equal values say what is not known") {
  const Moments none;
  const std::vector<float> one{3}, equal{3, 3, 3};
  CHECK(std::isnan(Variance(none)));
  CHECK(std::isnan(Variance(MomentsOf(std::span<const float>(one)))));
  CHECK(std::isnan(ExcessKurtosis(MomentsOf(std::span<const float>(equal)))));
  CHECK(Variance(MomentsOf(std::span<const float>(equal))) == 0);
  CHECK(VarianceStandardError(MomentsOf(std::span<const float>(equal))) == 0);
}

TEST_CASE("equal values have exactly their mean and no spread, in one part and in merged ones") {
  for (const double value : {0.03, -1e-5, 1e300}) {
    for (const std::size_t count : {3u, 100u, 257u}) {
      const std::vector<double> values(count, value);
      const Moments part = MomentsOf(std::span<const double>(values));
      for (const Moments& m : {part, Merge(part, part), Merge(Merge(part, part), part)}) {
        CHECK(m.mean == value);
        CHECK(m.m2 == 0);
        CHECK(std::isnan(ExcessKurtosis(m)));
      }
    }
  }
  const std::vector<double> a(100, 0.03), b(100, 0.04);
  const Moments two = Merge(MomentsOf(std::span<const double>(a)), MomentsOf(std::span<const double>(b)));
  CHECK(two.m2 == doctest::Approx(200 * 0.005 * 0.005));
}

TEST_CASE("the variance of 1e5 normals lies within 5 standard errors of 1") {
  std::vector<float> values(100000);
  for (std::uint64_t seed : {0ull, 1ull, 2ull, (1ull << 53) - 1}) {
    FillNormal(values, seed, 0);
    const Moments m = MomentsOf(std::span<const float>(values));
    CHECK(std::fabs(Variance(m) - 1) < 5 * VarianceStandardError(m));
    CHECK(std::fabs(m.mean) < 5 * MeanStandardError(m));
    CHECK(std::fabs(Skewness(m)) < 5 * std::sqrt(6.0 / 1e5));
    CHECK(std::fabs(ExcessKurtosis(m)) < 5 * std::sqrt(24.0 / 1e5));
    // The standard error itself: sqrt(2 / n) for normal values.
    CHECK(VarianceStandardError(m) == doctest::Approx(std::sqrt(2.0 / 1e5)).epsilon(0.05));
  }
}

TEST_CASE("an estimate has the median of odd and even numbers of trials, and leaves them in order") {
  const std::vector<double> odd{5, 1, 4, 2, 9}, even{5, 1, 4, 2};
  double scratch[5];
  CHECK(EstimateOf(odd, scratch).median == 4);
  CHECK(EstimateOf(even, scratch).median == 3);
  CHECK(EstimateOf(odd, scratch).mean == doctest::Approx(4.2));
  CHECK(EstimateOf(odd, scratch).standard_error == doctest::Approx(std::sqrt(9.7 / 5)));
  CHECK(odd == std::vector<double>{5, 1, 4, 2, 9});
}

TEST_CASE("an estimate of nothing, or with NaN among the trials, is NaN") {
  const std::vector<double> broken{1, std::nan(""), 2};
  double scratch[3];
  CHECK(std::isnan(EstimateOf({}, scratch).mean));
  CHECK(std::isnan(EstimateOf(broken, scratch).median));
  CHECK(std::isnan(EstimateOf(std::span<const double>(broken).first(1), scratch).standard_error));
}

TEST_CASE("a histogram loses no value") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> values{-inf, -1.5, -1, -0.75, 0, 0.99, 1, 2, inf, std::nan("")};
  std::uint32_t counts[4] = {};
  Histogram histogram{-1, 1, counts};
  AddTo(histogram, values);
  CHECK(counts[0] == 2);  // the lower edge belongs to the bin
  CHECK(counts[1] == 0);
  CHECK(counts[2] == 1);
  CHECK(counts[3] == 1);
  CHECK(histogram.underflow == 2);
  CHECK(histogram.overflow == 4);  // the upper edge does not; NaN counts here
}

TEST_CASE("the ends of a histogram are exact, whatever rounding makes of the bins") {
  for (const double high : {9.1, 1.0, 1e-3, 13.7}) {
    for (const double low : {-9.1, -13.591409142295225, 0.0}) {
      const double below = std::nextafter(high, low), under = std::nextafter(low, -100.0);
      const std::vector<double> values{under, low, below, high};
      std::uint32_t counts[37] = {};
      Histogram histogram{low, high, counts};
      AddTo(histogram, values);
      CHECK(histogram.underflow == 1);
      CHECK(counts[0] == 1);
      CHECK(counts[36] == 1);
      CHECK(histogram.overflow == 1);
    }
  }
}

}  // namespace
}  // namespace sqrtdk
