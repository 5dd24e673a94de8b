#include "stats/moments.h"

#include <array>
#include <cmath>
#include <limits>

namespace sqrtdk {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Four running sums, added up in a fixed order: independent chains keep the adder busy, and the bits do not
// depend on whether a compiler turns them into vector lanes.
constexpr std::size_t kChains = 4;
using Chains = std::array<double, kChains>;
double SumOf(const Chains& c) { return (c[0] + c[1]) + (c[2] + c[3]); }

// Of a value and a NaN, or of two equal ones, the first.
double Smaller(double a, double b) { return b < a ? b : a; }
double Larger(double a, double b) { return a < b ? b : a; }

// Calls add(i, chain) for every i below count. The chain is a constant wherever a compiler unrolls these
// loops of four, so that the sums stay in registers.
template <class Add>
void InChains(std::size_t count, Add add) {
  std::size_t i = 0;
  for (; i + kChains <= count; i += kChains) {
    for (std::size_t chain = 0; chain < kChains; ++chain) add(i + chain, chain);
  }
  for (std::size_t chain = 0; chain < kChains; ++chain) {
    if (i + chain < count) add(i + chain, chain);
  }
}

// Where all values are equal, rounding must not make them differ from their mean.
Moments WithoutSpread(double count, double value) { return {count, value, 0, 0, 0, value, value}; }

template <class T>
Moments MomentsOfSpan(std::span<const T> values) {
  if (values.empty()) return {};
  const double count = static_cast<double>(values.size());
  Chains sum{}, low, high;
  low.fill(Moments{}.minimum);
  high.fill(Moments{}.maximum);
  InChains(values.size(), [&](std::size_t i, std::size_t chain) {
    const double value = static_cast<double>(values[i]);
    sum[chain] += value;
    low[chain] = Smaller(low[chain], value);
    high[chain] = Larger(high[chain], value);
  });
  const double minimum = Smaller(Smaller(low[0], low[1]), Smaller(low[2], low[3]));
  const double maximum = Larger(Larger(high[0], high[1]), Larger(high[2], high[3]));
  if (minimum == maximum && !std::isnan(SumOf(sum))) return WithoutSpread(count, minimum);
  const double mean = SumOf(sum) / count;
  Chains sum2{}, sum3{}, sum4{};
  InChains(values.size(), [&](std::size_t i, std::size_t chain) {
    const double deviation = static_cast<double>(values[i]) - mean;
    const double square = deviation * deviation;
    sum2[chain] += square;
    sum3[chain] += square * deviation;
    sum4[chain] += square * square;
  });
  return {count, mean, SumOf(sum2), SumOf(sum3), SumOf(sum4), minimum, maximum};
}

}  // namespace

Moments MomentsOf(std::span<const float> values) { return MomentsOfSpan(values); }
Moments MomentsOf(std::span<const double> values) { return MomentsOfSpan(values); }

Moments Merge(const Moments& a, const Moments& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double minimum = Smaller(a.minimum, b.minimum), maximum = Larger(a.maximum, b.maximum);
  if (minimum == maximum && a.m2 == 0 && b.m2 == 0) return WithoutSpread(a.count + b.count, minimum);
  const double n = a.count + b.count;
  const double delta = b.mean - a.mean;
  const double delta_n = delta / n;
  const double product = a.count * b.count;
  const double difference = a.count - b.count;
  Moments m;
  m.count = n;
  m.mean = a.mean + b.count * delta_n;
  m.m2 = a.m2 + b.m2 + delta * delta_n * product;
  m.m3 = a.m3 + b.m3 + delta * delta_n * delta_n * product * difference +
         3 * delta_n * (a.count * b.m2 - b.count * a.m2);
  m.m4 = a.m4 + b.m4 + delta * delta_n * delta_n * delta_n * product * (difference * difference + product) +
         6 * delta_n * delta_n * (a.count * a.count * b.m2 + b.count * b.count * a.m2) +
         4 * delta_n * (a.count * b.m3 - b.count * a.m3);
  m.minimum = minimum;
  m.maximum = maximum;
  return m;
}

double Variance(const Moments& m) { return m.count < 2 ? kNaN : m.m2 / (m.count - 1); }

double Skewness(const Moments& m) {
  return m.count == 0 || m.m2 == 0 ? kNaN : std::sqrt(m.count) * m.m3 / (m.m2 * std::sqrt(m.m2));
}

double ExcessKurtosis(const Moments& m) {
  return m.count == 0 || m.m2 == 0 ? kNaN : m.count * m.m4 / (m.m2 * m.m2) - 3;
}

double VarianceStandardError(const Moments& m) {
  if (m.count < 2) return kNaN;
  if (m.m2 == 0) return 0;  // a constant sample: no spread, no doubt about it
  // Never negative but for rounding: kurtosis >= 1, so kappa >= -2.
  const double relative = 2 / (m.count - 1) + ExcessKurtosis(m) / m.count;
  return Variance(m) * std::sqrt(relative < 0 ? 0 : relative);
}

double MeanStandardError(const Moments& m) { return std::sqrt(Variance(m) / m.count); }

}  // namespace sqrtdk
