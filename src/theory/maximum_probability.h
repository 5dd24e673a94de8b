// The expected weight of the strongest key. Private to theory/.
#pragma once

namespace sqrtdk::theory {

// E max_j p_j of a row of n = keys iid N(0, score_std^2) scores, keys in 2..65536, score_std in (0, 1000].
// Relative error below 1e-13.
double ExpectedMaximumProbability(int keys, double score_std);

}  // namespace sqrtdk::theory
