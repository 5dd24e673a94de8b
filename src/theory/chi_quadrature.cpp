#include "theory/chi_quadrature.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sqrtdk::theory {
namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kMaximumPoints = 512;

// The chi law cut into fine steps of ln r; the masses add up to 1.
struct ChiGrid {
  std::size_t points = 0;
  std::array<double, kMaximumPoints> radius, mass;
};

ChiGrid GridOf(int dimension) {
  const double d = dimension;
  const double step = std::min(0.1, 0.4 / std::sqrt(2.0 * d));
  ChiGrid grid;
  double total = 0.0;
  // Of the mode sqrt(d) the density of ln r is d t - d (e^2t - 1) / 2, t = ln r - ln sqrt(d).
  for (int i = static_cast<int>(3.0 / step); grid.points < kMaximumPoints; --i) {
    const double t = step * i, log_mass = d * t - 0.5 * d * std::expm1(2.0 * t);
    if (log_mass < -46.0) {
      if (t < 0.0) break;
      continue;
    }
    grid.radius[grid.points] = std::sqrt(d) * std::exp(t);
    grid.mass[grid.points] = std::exp(log_mass);
    total += grid.mass[grid.points];
    ++grid.points;
  }
  for (std::size_t i = 0; i < grid.points; ++i) grid.mass[i] /= total;
  return grid;
}

// A symmetric tridiagonal matrix; `beside` the diagonal.
struct Tridiagonal {
  std::array<double, kMaximumChiNodes> diagonal{}, beside{};
};

// The recurrence of the polynomials orthogonal under the grid's masses (Stieltjes' procedure): p_{k+1} = (r -
// diagonal_k) p_k - beside_{k-1} p_{k-1} before normalisation.
Tridiagonal RecurrenceOf(const ChiGrid& grid, int n) {
  Tridiagonal m;
  std::array<double, kMaximumPoints> now, before{};
  now.fill(1.0);
  for (int k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < grid.points; ++i) {
      m.diagonal[at(k)] += grid.mass[i] * grid.radius[i] * now[i] * now[i];
    }
    double square = 0.0;
    for (std::size_t i = 0; i < grid.points; ++i) {
      const double next =
          (grid.radius[i] - m.diagonal[at(k)]) * now[i] - (k > 0 ? m.beside[at(k - 1)] : 0.0) * before[i];
      before[i] = now[i];
      now[i] = next;
      square += grid.mass[i] * next * next;
    }
    if (k + 1 == n) break;
    m.beside[at(k)] = std::sqrt(square);
    for (std::size_t i = 0; i < grid.points; ++i) now[i] /= m.beside[at(k)];
  }
  return m;
}

// Eigenvalues, and the squared first components of the eigenvectors, by the implicit QL algorithm with
// Wilkinson's shift, which needs only those components (EISPACK imtql2, whose names these are).
ChiRule EigenvaluesOf(Tridiagonal matrix, int n) {
  auto& [diagonal, beside] = matrix;
  std::array<double, kMaximumChiNodes> first{};
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
    rule.radius[at(i)] = diagonal[at(i)];
    rule.weight[at(i)] = first[at(i)] * first[at(i)];
  }
  return rule;
}

}  // namespace

// The rule with n nodes that is exact for polynomials of degree 2n - 1 in r: the nodes are the eigenvalues of
// the matrix of the recurrence, the weights the squared first components of its eigenvectors (Golub & Welsch
// 1969). In r, not in r^2 / 2 where the rule would be Gauss-Laguerre: for short vectors that one converges
// slowly, as E p_max is linear in r near 0.
ChiRule ChiQuadrature(int dimension) {
  const int nodes = dimension < 8      ? 30
                    : dimension < 24   ? 26
                    : dimension < 48   ? 20
                    : dimension < 256  ? 12
                    : dimension < 1024 ? 8
                                       : 6;
  return EigenvaluesOf(RecurrenceOf(GridOf(dimension), nodes), nodes);
}

}  // namespace sqrtdk::theory
