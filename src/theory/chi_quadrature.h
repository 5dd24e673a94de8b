// Quadrature for the length r of a d-dimensional standard normal vector (the chi law). Private to theory/.
#pragma once

#include <array>

namespace sqrtdk::theory {

inline constexpr int kMaximumChiNodes = 32;

// Nodes and weights with E f(|q|) ~ sum_{i < size} weight_i f(radius_i), q ~ N(0, I_d), d >= 1. The weights
// are positive and add up to 1. For an f that is smooth over a factor of two in r, such as the expectations
// of a softmax row, the error is below 1e-9 of f's range (tested there).
struct ChiRule {
  int size;
  std::array<double, kMaximumChiNodes> radius, weight;
};

ChiRule ChiQuadrature(int dimension);

}  // namespace sqrtdk::theory
