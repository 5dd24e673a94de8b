// Moments of a sample that can be merged: parts computed anywhere, in any number of workers, add up to the
// whole.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace sqrtdk {

// Count, mean and the sums of the 2nd, 3rd and 4th powers of the deviations from the mean; smallest and
// largest value.
struct Moments {
  double count = 0;
  double mean = 0;
  double m2 = 0;
  double m3 = 0;
  double m4 = 0;
  double minimum = std::numeric_limits<double>::infinity();
  double maximum = -std::numeric_limits<double>::infinity();
};

// Of n values, in two passes: the mean first, then powers of deviations from it. n may be 0. NaN and
// infinities in the values make the moments NaN; minimum and maximum are those of the values that are not
// NaN.
Moments MomentsOf(std::span<const float> values);
Moments MomentsOf(std::span<const double> values);

// The moments of both samples together (Pebay, "Formulas for robust, one-pass parallel computation of
// covariances and arbitrary-order statistical moments", Sandia report SAND2008-6212). Not associative to the
// last bit: callers who promise the same bits merge in one fixed order.
Moments Merge(const Moments& a, const Moments& b);

// Unbiased variance m2 / (n - 1); NaN for n < 2.
double Variance(const Moments& m);
// Skewness sqrt(n) m3 / m2^(3/2) and excess kurtosis n m4 / m2^2 - 3; NaN where m2 is 0 or n is 0.
double Skewness(const Moments& m);
double ExcessKurtosis(const Moments& m);
// Standard error of Variance(m) for independent values: s^2 sqrt(2 / (n - 1) + kappa / n), with kappa the
// sample's own excess kurtosis; 0 for equal values, NaN for n < 2.
double VarianceStandardError(const Moments& m);
// Standard error of the mean: sqrt(variance / n); NaN for n < 2.
double MeanStandardError(const Moments& m);

}  // namespace sqrtdk
