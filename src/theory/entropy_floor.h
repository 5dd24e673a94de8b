// How concentrated attention can be when its scores are bounded.
#pragma once

namespace sqrtdk::theory {

// The least entropy, in nats, of the softmax of n = keys scores whose deviations from their mean have
// Euclidean norm at most score_norm = s. One key stands out by as much as s allows, the others are equal:
//
//   ln(1 + (n-1) b) + s sqrt(n (n-1)) b / (1 + (n-1) b),   b = exp(-s sqrt(n/(n-1))).
//
// keys >= 1, score_norm >= 0, also infinite; NaN otherwise. Relative error below 1e-13 while b is a normal
// double. (Zhai et al. 2023, "Stabilizing Transformer Training by Preventing Attention Entropy Collapse",
// theorem 3.1.)
double EntropyFloor(double keys, double score_norm);

}  // namespace sqrtdk::theory
