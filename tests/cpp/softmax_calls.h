// The softmax kernels called on one row, for the softmax tests.
#pragma once

#include <vector>

#include "softmax/softmax.h"

namespace sqrtdk::test {

inline std::vector<float> SoftmaxOf(const std::vector<float>& scores, double scale = 1) {
  std::vector<float> p(scores.size());
  Softmax({1, scores.size()}, {scores.data(), scores.size()}, scale, {p.data(), p.size()});
  return p;
}
inline std::vector<float> LogSoftmaxOf(const std::vector<float>& scores, double scale = 1) {
  std::vector<float> log_p(scores.size());
  LogSoftmax({1, scores.size()}, {scores.data(), scores.size()}, scale, {log_p.data(), log_p.size()});
  return log_p;
}
inline float LogSumExpOf(const std::vector<float>& scores, double scale = 1) {
  float lse = 0;
  LogSumExp({1, scores.size()}, {scores.data(), scores.size()}, scale, &lse);
  return lse;
}
inline std::vector<float> BackwardOf(const std::vector<float>& g, const std::vector<float>& p,
                                     double scale = 1) {
  std::vector<float> dz(p.size());
  SoftmaxBackward({1, p.size()}, {g.data(), g.size()}, {p.data(), p.size()}, scale, {dz.data(), dz.size()});
  return dz;
}

}  // namespace sqrtdk::test
