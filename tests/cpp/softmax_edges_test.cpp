// The edge rules of softmax/softmax.h: masks, NaN, infinities, ties, subnormal numbers, rows of any stride.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpp/numbers.h"
#include "cpp/softmax_calls.h"

namespace sqrtdk {
namespace {

using test::BackwardOf;
using test::kInf;
using test::kNan;
using test::LogSoftmaxOf;
using test::LogSumExpOf;
using test::SoftmaxOf;
using test::TestNumbers;

TEST_CASE("A masked key gets weight 0 and a row of masked keys gets zeros") {
  for (double scale : {1.0, 0.0, 1e-200}) {
    CHECK(SoftmaxOf({1.0f, -kInf, 1.0f}, scale) == std::vector<float>{0.5f, 0.0f, 0.5f});
    CHECK(SoftmaxOf(std::vector<float>(7, -kInf), scale) == std::vector<float>(7, 0.0f));
    CHECK(LogSoftmaxOf(std::vector<float>(7, -kInf), scale) == std::vector<float>(7, -kInf));
    CHECK(LogSumExpOf(std::vector<float>(7, -kInf), scale) == -kInf);
  }
  CHECK(SoftmaxOf({kInf, 2.0f, kInf, 2.0f, kInf}, -1) == std::vector<float>{0.0f, 0.5f, 0.0f, 0.5f, 0.0f});
  CHECK(LogSumExpOf({}) == -kInf);
  CHECK(SoftmaxOf({}).empty());
  CHECK(BackwardOf({1, 2, 3}, {0, 0, 0}) == std::vector<float>(3, 0.0f));
}

TEST_CASE("NaN and +infinity make their row NaN and no other, at any place") {
  for (std::size_t n : test::Sizes{1, 3, 4, 5, 8, 11, 257}) {
    for (std::size_t at = 0; at < n; ++at) {
      for (float poison : {kNan, -kNan, kInf}) {
        for (float rest : {1.0f, -kInf}) {
          std::vector<float> scores(3 * n, 0.5f), p(3 * n), log_p(3 * n), lse(3);
          std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(n), n, rest);
          scores[n + at] = poison;
          Softmax({3, n}, {scores.data(), n}, 1, {p.data(), n});
          LogSoftmax({3, n}, {scores.data(), n}, 1, {log_p.data(), n});
          LogSumExp({3, n}, {scores.data(), n}, 1, lse.data());
          bool row_is_nan = true, others_are_finite = true;
          for (std::size_t j = 0; j < n; ++j) {
            row_is_nan = row_is_nan && std::isnan(p[n + j]) && std::isnan(log_p[n + j]);
            others_are_finite = others_are_finite && std::isfinite(p[j]) && std::isfinite(p[2 * n + j]) &&
                                std::isfinite(log_p[j]) && std::isfinite(log_p[2 * n + j]);
          }
          CHECK(row_is_nan);
          CHECK(others_are_finite);
          CHECK(std::isfinite(lse[0]));
          CHECK(std::isfinite(lse[2]));
          // The logarithm of an infinite sum is infinite; only the weights have no value.
          CHECK((poison == kInf ? lse[1] == kInf : std::isnan(lse[1])));
        }
      }
    }
  }
  CHECK(std::isnan(LogSumExpOf({kInf, kNan})));
  CHECK(std::isnan(BackwardOf({1.0f, kNan, 2.0f}, {0.2f, 0.3f, 0.5f})[0]));
}

TEST_CASE("Ties get equal weights, bit for bit, and equal scores the uniform distribution") {
  for (std::size_t n : test::Sizes{1, 2, 4, 8, 64, 1024, 4096}) {
    CHECK(SoftmaxOf(std::vector<float>(n, -3.25f)) == std::vector<float>(n, 1.0f / static_cast<float>(n)));
  }
  const auto p = SoftmaxOf({2, 1, 2, 1, 0, 2, 1, 2, 1});
  CHECK(p[0] == p[2]);
  CHECK(p[0] == p[5]);
  CHECK(p[0] == p[7]);
  CHECK(p[1] == p[8]);
}

TEST_CASE("No weight is subnormal") {
  std::vector<float> scores;
  for (int i = 0; i < 1100; ++i) scores.push_back(-0.1f * static_cast<float>(i));
  for (std::size_t n : test::Sizes{1000, 1023, 1024, 1100}) {
    scores.resize(n);
    for (float x : SoftmaxOf(scores)) CHECK((x == 0.0f || std::isnormal(x)));
  }
  scores.assign(1024, 0.0f);  // the smallest weights for the largest sum
  for (int i = 0; i < 100; ++i) scores[static_cast<std::size_t>(i)] = -80.0f - 0.1f * static_cast<float>(i);
  for (float x : SoftmaxOf(scores)) CHECK((x == 0.0f || std::isnormal(x)));
}

TEST_CASE("Rows apart, unaligned and in place give the same bits as rows packed and aligned") {
  TestNumbers numbers(5);
  for (std::size_t n : test::Sizes{1, 5, 8, 19}) {
    const std::size_t rows = 3, stride = n + 3;
    const auto scores = numbers.Normals(rows * stride + 1), g = numbers.Normals(rows * stride + 1);
    std::vector<float> apart(rows * stride + 1, 99.0f), in_place = scores, back(rows * stride + 1, 99.0f),
                                                        back_in_place = g;
    Softmax({rows, n}, {scores.data() + 1, stride}, 0.5, {apart.data() + 1, stride});
    Softmax({rows, n}, {in_place.data() + 1, stride}, 0.5, {in_place.data() + 1, stride});
    SoftmaxBackward({rows, n}, {g.data() + 1, stride}, {apart.data() + 1, stride}, 2,
                    {back.data() + 1, stride});
    SoftmaxBackward({rows, n}, {back_in_place.data() + 1, stride}, {apart.data() + 1, stride}, 2,
                    {back_in_place.data() + 1, stride});
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = static_cast<std::ptrdiff_t>(1 + r * stride),
                 end = begin + static_cast<std::ptrdiff_t>(n);
      const auto cut = [&](const std::vector<float>& v) {
        return std::vector<float>(v.begin() + begin, v.begin() + end);
      };
      const auto p = SoftmaxOf(cut(scores), 0.5);
      CHECK(cut(apart) == p);
      CHECK(cut(in_place) == p);
      CHECK(cut(back) == BackwardOf(cut(g), p, 2));
      CHECK(cut(back_in_place) == cut(back));
      if (r + 1 < rows) CHECK(apart[1 + r * stride + n] == 99.0f);  // the gap between rows is left alone
      if (r + 1 < rows) CHECK(back[1 + r * stride + n] == 99.0f);
    }
  }
}

}  // namespace
}  // namespace sqrtdk
