// Attention where float32 is short of digits or of range: scores up to the largest float, logSumExp too
// coarse to compute weights from, rows in which one key takes nearly all the weight.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "attention/attention.h"
#include "cpp/attention_cases.h"
#include "cpp/numbers.h"
#include "reference/attention.h"

namespace sqrtdk {
namespace {

using test::ConvertTo;
using test::ForwardResult;
using test::Inputs;
using test::kInf;
using test::LargestError;
using test::NormError;
using test::TestNumbers;

constexpr float kLowest = std::numeric_limits<float>::lowest();

// One query whose scores are the keys themselves, with values 0, 1, 2 ... .
Inputs KeysAsScores(const std::vector<float>& scores) {
  Inputs in{{1.0f}, scores, {}};
  for (std::size_t j = 0; j < scores.size(); ++j) in.value.push_back(static_cast<float>(j));
  return in;
}

AttentionProblem OneRow(std::size_t keys, std::size_t head_dim = 1, std::size_t value_dim = 1) {
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 1, keys, head_dim, value_dim};
  return problem;
}

TEST_CASE("No finite score is masked, however low, nor too large for its row") {
  const std::vector<std::vector<float>> rows = {
      {-3e38f, -3e38f, -3.1e38f, -3e38f},
      {kLowest, kLowest, -kInf, kLowest},
      {-2.4e38f},
      {3e38f, 2.9e38f, -3e38f, 3e38f, 0.0f},
      {-kInf, 3.4e38f, kLowest},
      std::vector<float>(30, kLowest),
      {1e-45f, -1e-45f, 1e-40f, 0.0f},
  };
  for (const std::vector<float>& scores : rows) {
    for (std::size_t tile : test::Sizes{8, 512}) {
      AttentionProblem problem = OneRow(scores.size());
      problem.tile.keys = tile;
      const Inputs in = KeysAsScores(scores);
      const auto wide = ConvertTo<double>(in);
      const auto want = reference::Attention<double>(problem, wide).Forward();
      const ForwardResult got = test::RunForward(problem, in, Weights::kProbabilities);
      CAPTURE(scores[0]);
      CHECK(LargestError(got.weights, want.probabilities) <= 1e-7);
      CHECK(NormError(got.output, want.output) <= 2e-7);
      CHECK(test::RelativeError(static_cast<double>(got.log_sum_exp[0]), want.log_sum_exp[0]) <= 0x1p-24);
    }
  }
}

TEST_CASE("A score in range does not overflow before it is scaled") {
  AttentionProblem problem = OneRow(2, 4);
  problem.scale = 0.25;
  // q.k = 1.2e39 and -1.2e39, scores of +-3e38.
  const Inputs in{std::vector<float>(4, 2e19f), std::vector<float>(8, 1.5e19f), {1.0f, 2.0f}};
  Inputs opposite = in;
  for (float& k : opposite.key) k = -k;
  for (const Inputs& each : {in, opposite}) {
    const ForwardResult got = test::RunForward(problem, each, Weights::kRaw);
    CHECK(std::fabs(got.weights[0]) == doctest::Approx(3e38));
    CHECK(std::fabs(got.log_sum_exp[0]) == doctest::Approx(3e38));
    CHECK(got.output[0] == 1.5f);
  }
}

TEST_CASE("A bias added to a score stays in range") {
  AttentionProblem problem = OneRow(3);
  const std::vector<float> bias = {kLowest, kLowest, -kInf};
  problem.bias = {bias.data(), 0, 0, 0, 1};
  const ForwardResult got = test::RunForward(problem, KeysAsScores({-3e38f, -3e38f, 0.0f}), Weights::kMasked);
  CHECK(got.weights == std::vector<float>{kLowest, kLowest, -kInf});
  CHECK(got.output[0] == 0.5f);
}

TEST_CASE("An infinite value at a key without weight has no influence, in one tile and in many") {
  std::vector<float> scores(20, 0.0f);
  scores[17] = 500;  // so that the weight of key 3 is below 2^-100, which a first tile of 8 does not know yet
  for (float poison : {kInf, -kInf, test::kNan}) {
    Inputs in = KeysAsScores(scores);
    in.value[3] = poison;
    for (std::size_t tile : test::Sizes{8, 512}) {
      AttentionProblem problem = OneRow(scores.size());
      problem.tile.keys = tile;
      CAPTURE(tile);
      CHECK(test::RunForward(problem, in, Weights::kNone).output[0] == 17.0f);
    }
  }
}

// Largest relative error of the gradients of single keys, which NormError over all of them does not see. Keys
// are left out whose weight is below 2^-100 of the largest and so counts as 0.
double WorstKeyError(const std::vector<float>& got, const std::vector<double>& want, std::size_t dim) {
  double worst = 0;
  for (std::size_t j = 0; j < want.size(); j += dim) {
    const auto begin = static_cast<std::ptrdiff_t>(j), end = static_cast<std::ptrdiff_t>(j + dim);
    const std::vector<double> want_key(want.begin() + begin, want.begin() + end);
    double square = 0;
    for (double x : want_key) square += x * x;
    if (std::sqrt(square) < 1e-28) continue;
    worst =
        test::Worst(worst, NormError(std::vector<float>(got.begin() + begin, got.begin() + end), want_key));
  }
  return worst;
}

TEST_CASE("Saturated rows of 2000 keys keep their small gradients, in one tile and in many") {
  constexpr std::size_t kKeys = 2000, kDim = 4;
  for (double softcap : {0.0, 60.0}) {
    for (std::size_t top : test::Sizes{0, 700, 1999}) {
      TestNumbers numbers(41);
      AttentionProblem problem = OneRow(kKeys, kDim, 6);
      problem.softcap = softcap;
      Inputs in = test::RandomInputs(problem.shape, numbers);
      in.query = {4.0f, -3.0f, 2.0f, 1.0f};
      for (std::size_t c = 0; c < kDim; ++c) in.key[top * kDim + c] = 2 * in.query[c];  // a score of 60
      const auto g = numbers.Normals(6);
      const auto wide = ConvertTo<double>(in);
      const auto want = reference::Attention<double>(problem, wide).Backward(ConvertTo<double>(g));
      for (std::size_t tile : test::Sizes{128, 512, 4096}) {
        CAPTURE(softcap);
        CAPTURE(top);
        CAPTURE(tile);
        problem.tile.keys = tile;
        const Inputs got = test::RunBackward(problem, in, g);
        // With scores of 60, with the softcap 45, the other keys' weights are 1e-13 and less.
        CHECK(std::fabs(want.key[top * kDim]) < 1e-9);
        // 60 * 2^-24 in the exponent, and single dP - D may cancel to a hundredth.
        CHECK(NormError(got.query, want.query) <= 1e-5);
        CHECK(NormError(got.key, want.key) <= 1e-5);
        CHECK(WorstKeyError({&got.key[top * kDim], &got.key[top * kDim] + kDim},
                            {&want.key[top * kDim], &want.key[top * kDim] + kDim}, kDim) <= 1e-5);
        CHECK(WorstKeyError(got.key, want.key, kDim) <= 1e-3);
      }
    }
  }
}

TEST_CASE("Gradients do not depend on how large a logSumExp is") {
  // q.k = 4096 * offset + j % 3, exact in float32, while logSumExp is rounded to whole numbers and worse.
  constexpr std::size_t kKeys = 70;
  for (float offset : {0.0f, 0.05f, -0.07f, 2441.0f, -4000.0f, 4095.0f}) {
    TestNumbers numbers(42);
    AttentionProblem problem = OneRow(kKeys, 2, 3);
    Inputs in = test::RandomInputs(problem.shape, numbers);
    in.query = {4096.0f, 1.0f};
    for (std::size_t j = 0; j < kKeys; ++j) {
      in.key[2 * j] = std::round(offset * 16) / 16;
      in.key[2 * j + 1] = static_cast<float>(j % 3);
    }
    const auto g = numbers.Normals(3);
    const auto wide = ConvertTo<double>(in);
    const auto want = reference::Attention<double>(problem, wide).Backward(ConvertTo<double>(g));
    for (std::size_t tile : test::Sizes{16, 512}) {
      CAPTURE(offset);
      CAPTURE(tile);
      problem.tile.keys = tile;
      const Inputs got = test::RunBackward(problem, in, g);
      CHECK(NormError(got.value, want.value) <= 1e-5);
      // The other component of dQ sums dS, which is 0: nothing but rounding.
      CHECK(std::fabs(static_cast<double>(got.query[1]) - want.query[1]) <= 1e-6);
      CHECK(NormError(got.key, want.key) <= 1e-5);
    }
  }
  // The largest there are: two keys share the weight.
  AttentionProblem problem = OneRow(4);
  const Inputs got = test::RunBackward(problem, KeysAsScores({kLowest, 3e38f, 3e38f, 0.0f}), {1.0f});
  CHECK(got.value == std::vector<float>{0.0f, 0.5f, 0.5f, 0.0f});
  CHECK(got.key == std::vector<float>{0.0f, -0.25f, 0.25f, 0.0f});
}

}  // namespace
}  // namespace sqrtdk
