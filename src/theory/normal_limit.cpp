#include "theory/normal_limit.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "theory/chi_quadrature.h"
#include "theory/variance_gamma.h"

namespace sqrtdk::theory {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double Density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi); }
double Tail(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

// The standard deviation scale sqrt(d), or NaN for arguments out of range.
double StdOf(int dimension, double scale) {
  const bool valid = dimension >= 1 && scale > 0.0 && std::isfinite(scale);
  return valid ? scale * std::sqrt(dimension) : kNan;
}

// Tail and density at z of S / sqrt(d), both less those of the normal law.
struct Excess {
  double tail, density;
};

// For long vectors both laws agree to many digits, and their difference would lose as many. Given the query's
// length r sqrt(d), S / sqrt(d) is normal with deviation r, so the difference is a mean over r of differences
// that are larger.
constexpr int kLong = 64;

Excess ExcessAt(double z, int dimension, const ChiRule& rule) {
  const double root = std::sqrt(dimension);
  if (dimension < kLong) {
    return {DotProductTail(z * root, dimension) - Tail(z),
            root * DotProductDensity(z * root, dimension) - Density(z)};
  }
  Excess mean{0.0, 0.0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rule.size); ++i) {
    const double r = rule.radius[i] / root;
    mean.tail += rule.weight[i] * (Tail(z / r) - Tail(z));
    mean.density += rule.weight[i] * (Density(z / r) / r - Density(z));
  }
  return mean;
}

}  // namespace

double NormalDensity(double x, int dimension, double scale) {
  const double std = StdOf(dimension, scale);
  return Density(x / std) / std;
}

double NormalTail(double x, int dimension, double scale) { return Tail(x / StdOf(dimension, scale)); }

NormalDistance NormalDistanceOf(int dimension) {
  if (dimension < 1 || dimension > kMaximumDimension) return {kNan, kNan};
  const ChiRule rule = ChiQuadrature(dimension);
  // The peak of the score's law is higher, its shoulders are lower: between lies the largest difference of
  // the tails.
  double low = 0.2, high = 0.9;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (ExcessAt(middle, dimension, rule).density > 0.0 ? low : high) = middle;
  }
  return {std::abs(ExcessAt(low, dimension, rule).tail), low};
}

}  // namespace sqrtdk::theory
