// Attention written like the equations, forward and backward, to test the fast kernels against. T is double
// or std::complex<double>, whose imaginary part carries a derivative (complex step).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "attention/attention.h"
#include "reference/softmax.h"

namespace sqrtdk::reference {

// Where element (batch, head, row, column) lies in a [batch, heads, length, dim] array of the problem's
// layout.
inline std::size_t IndexOf(Layout layout, std::size_t b, std::size_t h, std::size_t i, std::size_t c,
                           std::size_t heads, std::size_t length, std::size_t dim) {
  return layout == Layout::kBhld ? ((b * heads + h) * length + i) * dim + c
                                 : ((b * length + i) * heads + h) * dim + c;
}

template <class T>
struct Arrays {
  std::vector<T> query, key, value;
};

template <class T>
struct Result {
  std::vector<T> output, log_sum_exp, raw, capped, masked, probabilities;
};

template <class T>
class Attention {
 public:
  Attention(const AttentionProblem& problem, const Arrays<T>& in)
      : problem_(problem), s_(problem.shape), in_(in) {}

  Result<T> Forward() const {
    Result<T> r;
    r.output.assign(s_.batch * s_.heads * s_.query_length * s_.value_dim, T{});
    for (std::size_t b = 0; b < s_.batch; ++b) {
      for (std::size_t h = 0; h < s_.heads; ++h) {
        for (std::size_t i = 0; i < s_.query_length; ++i) {
          std::vector<T> raw(s_.key_length), capped(s_.key_length), masked(s_.key_length);
          for (std::size_t j = 0; j < s_.key_length; ++j) {
            raw[j] = problem_.scale * Dot(b, h, i, j);
            capped[j] =
                problem_.softcap > 0 ? problem_.softcap * std::tanh(raw[j] / problem_.softcap) : raw[j];
            masked[j] = Allowed(b, h, i, j) ? capped[j] + Bias(b, h, i, j)
                                            : T(-std::numeric_limits<double>::infinity());
          }
          const std::vector<T> p = Softmax(masked);
          for (std::size_t j = 0; j < s_.key_length; ++j) {
            for (std::size_t c = 0; c < s_.value_dim; ++c) {
              r.output[OutputIndex(b, h, i, c)] += p[j] * in_.value[ValueIndex(b, h, j, c)];
            }
          }
          r.log_sum_exp.push_back(LogSumExp(masked));
          r.raw.insert(r.raw.end(), raw.begin(), raw.end());
          r.capped.insert(r.capped.end(), capped.begin(), capped.end());
          r.masked.insert(r.masked.end(), masked.begin(), masked.end());
          r.probabilities.insert(r.probabilities.end(), p.begin(), p.end());
        }
      }
    }
    return r;
  }

  // dV = P^T dO;  dP = dO V^T;  dS = J(P) dP (1 - tanh^2);  dQ = scale dS K;  dK = scale dS^T Q.
  Arrays<T> Backward(const std::vector<T>& grad_output) const {
    const Result<T> forward = Forward();
    Arrays<T> d{std::vector<T>(in_.query.size(), T{}), std::vector<T>(in_.key.size(), T{}),
                std::vector<T>(in_.value.size(), T{})};
    std::size_t row = 0;
    for (std::size_t b = 0; b < s_.batch; ++b) {
      for (std::size_t h = 0; h < s_.heads; ++h) {
        for (std::size_t i = 0; i < s_.query_length; ++i, row += s_.key_length) {
          std::vector<T> p(forward.probabilities.begin() + static_cast<std::ptrdiff_t>(row),
                           forward.probabilities.begin() + static_cast<std::ptrdiff_t>(row + s_.key_length));
          std::vector<T> dp(s_.key_length, T{});
          for (std::size_t j = 0; j < s_.key_length; ++j) {
            for (std::size_t c = 0; c < s_.value_dim; ++c) {
              const T g = grad_output[OutputIndex(b, h, i, c)];
              d.value[ValueIndex(b, h, j, c)] += p[j] * g;
              dp[j] += g * in_.value[ValueIndex(b, h, j, c)];
            }
          }
          std::vector<T> ds = SoftmaxBackward(dp, p);
          for (std::size_t j = 0; j < s_.key_length; ++j) {
            if (problem_.softcap > 0) {
              const T t = forward.capped[row + j] / problem_.softcap;
              ds[j] *= 1.0 - t * t;
            }
            for (std::size_t c = 0; c < s_.head_dim; ++c) {
              d.query[QueryIndex(b, h, i, c)] += problem_.scale * ds[j] * in_.key[KeyIndex(b, h, j, c)];
              d.key[KeyIndex(b, h, j, c)] += problem_.scale * ds[j] * in_.query[QueryIndex(b, h, i, c)];
            }
          }
        }
      }
    }
    return d;
  }

  std::size_t OutputIndex(std::size_t b, std::size_t h, std::size_t i, std::size_t c) const {
    return IndexOf(problem_.layout, b, h, i, c, s_.heads, s_.query_length, s_.value_dim);
  }
  std::size_t QueryIndex(std::size_t b, std::size_t h, std::size_t i, std::size_t c) const {
    return IndexOf(problem_.layout, b, h, i, c, s_.heads, s_.query_length, s_.head_dim);
  }
  std::size_t KeyIndex(std::size_t b, std::size_t h, std::size_t j, std::size_t c) const {
    return IndexOf(problem_.layout, b, KeyHead(h), j, c, s_.kv_heads, s_.key_length, s_.head_dim);
  }
  std::size_t ValueIndex(std::size_t b, std::size_t h, std::size_t j, std::size_t c) const {
    return IndexOf(problem_.layout, b, KeyHead(h), j, c, s_.kv_heads, s_.key_length, s_.value_dim);
  }

 private:
  std::size_t KeyHead(std::size_t h) const { return h / (s_.heads / s_.kv_heads); }

  T Dot(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    T sum{};
    for (std::size_t c = 0; c < s_.head_dim; ++c) {
      sum += in_.query[QueryIndex(b, h, i, c)] * in_.key[KeyIndex(b, h, j, c)];
    }
    return sum;
  }
  template <class Element>
  static Element At(const BroadcastView<Element>& v, std::size_t b, std::size_t h, std::size_t i,
                    std::size_t j) {
    return v.data[b * v.batch_stride + h * v.head_stride + i * v.query_stride + j * v.key_stride];
  }
  bool Allowed(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    if (problem_.mask.data != nullptr && At(problem_.mask, b, h, i, j) == 0) return false;
    return !problem_.causal ||
           static_cast<std::int64_t>(j) <= static_cast<std::int64_t>(i) + problem_.causal_offset;
  }
  double Bias(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    return problem_.bias.data == nullptr ? 0.0 : static_cast<double>(At(problem_.bias, b, h, i, j));
  }

  AttentionProblem problem_;
  AttentionShape s_;
  const Arrays<T>& in_;
};

}  // namespace sqrtdk::reference
