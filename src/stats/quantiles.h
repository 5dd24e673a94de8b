// Quantiles of independent values, with errors that assume nothing about their law.
#pragma once

#include <span>

namespace sqrtdk {

// Of which `probability` is given, in (0, 1), and the rest is found.
//
// The number of values below the true quantile is binomial, so it lies between two order statistics with
// known probability whatever the law (David & Nagaraja, Order Statistics, 3rd ed. 2003, section 7.1). The
// ranks are those of the normal approximation, n p -+ z sqrt(n p (1 - p)), rounded outwards.
struct Quantile {
  double probability = 0.5;
  double value = 0;           // between neighbours linearly, as R's type 7 and NumPy's default
  double standard_error = 0;  // half the distance of the order statistics one standard deviation away
  double low = 0, high = 0;   // 95 % confidence interval
};

// NaN stands for an error whose order statistics are not there: with fewer than some 6 / min(p, 1 - p) values
// for the interval, 3 / min(p, 1 - p) for the standard error; and for everything where a value is NaN or
// there is none. Reorders `values`; any number of quantiles in any order, in time like that of three medians.
void FindQuantiles(std::span<double> values, std::span<Quantile> quantiles);

}  // namespace sqrtdk
