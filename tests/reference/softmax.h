// Softmax written like the equations, to test the fast kernels against. T is double, long double, or a
// complex type whose imaginary part carries a derivative (complex step).
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

namespace sqrtdk::reference {

template <class T>
auto RealPart(T x) {
  if constexpr (requires { x.real(); }) {
    return x.real();
  } else {
    return x;
  }
}

template <class T>
using RealOf = decltype(RealPart(T{}));

template <class T>
T LargestByRealPart(const std::vector<T>& z) {
  T largest = -std::numeric_limits<RealOf<T>>::infinity();
  for (const T& x : z) {
    if (RealPart(x) > RealPart(largest)) largest = x;
  }
  return largest;
}

// z_j = scale * score_j; masked keys stay -infinity.
template <class T>
std::vector<T> Scaled(const std::vector<T>& scores, RealOf<T> scale) {
  std::vector<T> z = scores;
  for (T& x : z) {
    if (std::isfinite(RealPart(x))) x *= scale;
  }
  return z;
}

// p_j = e^(z_j - m) / sum_k e^(z_k - m); zeros where every key is masked.
template <class T>
std::vector<T> Softmax(const std::vector<T>& z) {
  const T m = LargestByRealPart(z);
  std::vector<T> p(z.size(), T{});
  if (!std::isfinite(RealPart(m))) return p;
  T sum{};
  for (std::size_t j = 0; j < z.size(); ++j) {
    p[j] = std::isfinite(RealPart(z[j])) ? std::exp(z[j] - m) : T{};
    sum += p[j];
  }
  for (T& x : p) x /= sum;
  return p;
}

// ln sum_j e^z_j
template <class T>
T LogSumExp(const std::vector<T>& z) {
  const T m = LargestByRealPart(z);
  if (!std::isfinite(RealPart(m))) return m;
  T sum{};
  for (const T& x : z) {
    if (std::isfinite(RealPart(x))) sum += std::exp(x - m);
  }
  return m + std::log(sum);
}

// The gradient with respect to z of sum_j g_j p_j: p_j (g_j - sum_k p_k g_k) = p_j sum_k p_k (g_j - g_k). The
// second form does not cancel.
template <class T>
std::vector<T> SoftmaxBackward(const std::vector<T>& g, const std::vector<T>& p) {
  std::vector<T> dz(p.size(), T{});
  for (std::size_t j = 0; j < p.size(); ++j) {
    for (std::size_t k = 0; k < p.size(); ++k) dz[j] += p[j] * p[k] * (g[j] - g[k]);
  }
  return dz;
}

}  // namespace sqrtdk::reference
