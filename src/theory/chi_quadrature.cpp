#include "theory/chi_quadrature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "theory/gauss_legendre.h"

namespace sqrtdk::theory {
namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Short vectors: Gauss-Legendre over all r that matter. The rule below converges slowly here: the
// expectations of a softmax row are smooth in r but not in r^2 / 2 on the scale of its law (1e-3 with 16
// nodes at d = 1).
ChiRule Legendre(int dimension) {
  const double d = dimension;
  const double low = std::max(0.0, std::sqrt(d) - 5.2), high = std::sqrt(d) + 5.8;
  const double mode = std::sqrt(d - 1.0);
  const double log_mode = dimension > 1 ? (d - 1.0) * std::log(mode) : 0.0;
  ChiRule rule{};
  double sum = 0.0;
  for (const GaussLegendrePair& pair : kGaussLegendre32) {
    for (const double node : {-pair.node, pair.node}) {
      const double r = 0.5 * (low + high) + 0.5 * (high - low) * node;
      const double weight =
          pair.weight * std::exp((d - 1.0) * std::log(r) - 0.5 * r * r - log_mode + 0.5 * mode * mode);
      sum += weight;
      if (weight < 1e-12) continue;
      rule.radius[at(rule.size)] = r;
      rule.weight[at(rule.size)] = weight;
      ++rule.size;
    }
  }
  for (double& weight : rule.weight) weight /= sum;
  return rule;
}

// Long vectors: y = r^2 / 2 is Gamma(d/2), so Gauss-Laguerre with exponent alpha = d/2 - 1; |q| varies by
// 1/sqrt(2d) of itself, and the longer the vector, the fewer nodes do. The nodes are the eigenvalues of the
// symmetric tridiagonal matrix of the three-term recurrence, diagonal 2k + 1 + alpha, beside it sqrt(k (k +
// alpha)); the weights are the squared first components of its eigenvectors (Golub & Welsch 1969). Found by
// the implicit QL algorithm with Wilkinson's shift, which needs only those components (EISPACK imtql2).
ChiRule Laguerre(int dimension, int n) {
  const double alpha = 0.5 * dimension - 1.0;
  std::array<double, kMaximumChiNodes> diagonal{}, beside{}, first{};
  for (int k = 0; k < n; ++k) {
    diagonal[at(k)] = 2.0 * k + 1.0 + alpha;
    beside[at(k)] = k + 1 < n ? std::sqrt((k + 1.0) * (k + 1.0 + alpha)) : 0.0;
  }
  first[0] = 1.0;
  for (int l = 0; l < n; ++l) {
    for (int iteration = 0; iteration < 60; ++iteration) {
      int m = l;
      while (m + 1 < n &&
             std::abs(beside[at(m)]) > 1e-16 * (std::abs(diagonal[at(m)]) + std::abs(diagonal[at(m + 1)]))) {
        ++m;
      }
      if (m == l) break;
      double g = (diagonal[at(l + 1)] - diagonal[at(l)]) / (2.0 * beside[at(l)]);
      double r = std::hypot(g, 1.0);
      g = diagonal[at(m)] - diagonal[at(l)] + beside[at(l)] / (g + std::copysign(r, g));
      double sine = 1.0, cosine = 1.0, p = 0.0;
      for (int i = m - 1; i >= l; --i) {
        double f = sine * beside[at(i)];
        const double b = cosine * beside[at(i)];
        r = std::hypot(f, g);
        beside[at(i + 1)] = r;
        sine = f / r;
        cosine = g / r;
        g = diagonal[at(i + 1)] - p;
        r = (diagonal[at(i)] - g) * sine + 2.0 * cosine * b;
        p = sine * r;
        diagonal[at(i + 1)] = g + p;
        g = cosine * r - b;
        f = first[at(i + 1)];
        first[at(i + 1)] = sine * first[at(i)] + cosine * f;
        first[at(i)] = cosine * first[at(i)] - sine * f;
      }
      diagonal[at(l)] -= p;
      beside[at(l)] = g;
      beside[at(m)] = 0.0;
    }
  }
  ChiRule rule{};
  rule.size = n;
  for (int i = 0; i < n; ++i) {
    rule.radius[at(i)] = std::sqrt(2.0 * diagonal[at(i)]);
    rule.weight[at(i)] = first[at(i)] * first[at(i)];
  }
  return rule;
}

}  // namespace

ChiRule ChiQuadrature(int dimension) {
  if (dimension < 24) return Legendre(dimension);
  return Laguerre(dimension, dimension < 48 ? 16 : dimension < 128 ? 10 : dimension < 512 ? 7 : 5);
}

}  // namespace sqrtdk::theory
