// Backward pass of softmax rows and the Jacobian, against the reference in long double.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "cpp/numbers.h"
#include "cpp/softmax_calls.h"
#include "reference/softmax.h"

namespace sqrtdk {
namespace {

using test::BackwardOf;
using test::SoftmaxOf;
using test::TestNumbers;

TEST_CASE("VJP is the Jacobian times the upstream gradient, times scale, at every length") {
  TestNumbers numbers(2);
  for (std::size_t n : test::Sizes{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257, 511, 1025}) {
    for (float spread : {1.0f, 8.0f, 30.0f}) {
      const auto p = SoftmaxOf(numbers.Normals(n, spread));
      const auto g = numbers.Normals(n);
      // The reference takes the same float32 weights but needs them to sum to 1, as the shifted form assumes.
      std::vector<long double> exact_p(p.begin(), p.end());
      long double sum = 0;
      for (long double x : exact_p) sum += x;
      for (long double& x : exact_p) x /= sum;
      auto want = reference::SoftmaxBackward(std::vector<long double>(g.begin(), g.end()), exact_p);
      for (long double& x : want) x *= -0.7L;
      CAPTURE(n);
      CAPTURE(spread);
      // Weights off by 2^-24 each; gradients are sums of n of them with mixed signs.
      CHECK(test::NormError(BackwardOf(g, p, -0.7), want) <= 1e-6);
    }
  }
}

TEST_CASE("VJP of a saturated row does not cancel") {
  // p_top rounds to 1, where the plain form p (g - p.g) gives noise of 1e-7.
  const std::vector<float> p = {1e-12f, 1.0f, 3e-10f, 2e-11f, 5e-13f}, g = {0.3f, 7.7f, -1.9f, 0.2f, 4.0f};
  const auto got = BackwardOf(g, p);
  double others = 0;
  for (std::size_t j : {0u, 2u, 3u, 4u}) {
    const double want = static_cast<double>(p[j]) * (static_cast<double>(g[j]) - static_cast<double>(g[1]));
    CHECK(test::RelativeError(static_cast<double>(got[j]), want) <= 3e-7);
    others += want;
  }
  CHECK(test::RelativeError(static_cast<double>(got[1]), -others) <= 3e-7);
}

TEST_CASE("Jacobian is diag(p) - p p^T with an accurate diagonal and rows that sum to 0") {
  TestNumbers numbers(3);
  for (std::size_t n : test::Sizes{0, 1, 2, 3, 5, 17}) {
    const auto p = SoftmaxOf(numbers.Normals(n, 2));
    std::vector<float> jacobian(n * n);
    SoftmaxJacobian(p, jacobian.data());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += static_cast<double>(jacobian[i * n + j]);
        if (i != j) CHECK(jacobian[i * n + j] == -(p[i] * p[j]));
      }
      CHECK(std::fabs(sum) <= 1e-7 * static_cast<double>(p[i]));
    }
  }
  float saturated[4];
  SoftmaxJacobian(std::vector<float>{1.0f, 1e-12f}, saturated);
  CHECK(saturated[0] == 1e-12f);  // p (1 - p) would be 0
}

}  // namespace
}  // namespace sqrtdk
