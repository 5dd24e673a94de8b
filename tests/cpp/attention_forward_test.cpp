// Attention, forward, against the reference in double and against its own invariances.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/attention.h"
#include "cpp/attention_cases.h"
#include "cpp/numbers.h"
#include "reference/attention.h"

namespace sqrtdk {
namespace {

using test::Case;
using test::ConvertTo;
using test::ForwardResult;
using test::Inputs;
using test::kInf;
using test::kNan;
using test::LargestError;
using test::NormError;
using test::RunForward;
using test::TestNumbers;

reference::Result<double> Exact(const AttentionProblem& problem, const Inputs& in) {
  const auto wide = ConvertTo<double>(in);
  return reference::Attention<double>(problem, wide).Forward();
}

TEST_CASE("Every feature agrees with the reference: output, logSumExp and all four intermediates") {
  TestNumbers numbers(21);
  for (const Case& c : test::FeatureCases()) {
    CAPTURE(c.name);
    const Inputs in = test::RandomInputs(c.problem.shape, numbers);
    const auto want = Exact(c.problem, in);
    for (Weights which :
         {Weights::kNone, Weights::kRaw, Weights::kSoftcap, Weights::kMasked, Weights::kProbabilities}) {
      CAPTURE(static_cast<int>(which));
      const ForwardResult got = RunForward(c.problem, in, which);
      CHECK(NormError(got.output, want.output) <= 1e-6);
      CHECK(LargestError(got.log_sum_exp, want.log_sum_exp) <= 2e-6);
      if (which == Weights::kRaw) CHECK(LargestError(got.weights, want.raw) <= 2e-6);
      if (which == Weights::kSoftcap) CHECK(LargestError(got.weights, want.capped) <= 2e-6);
      if (which == Weights::kMasked) CHECK(LargestError(got.weights, want.masked) <= 2e-6);
      if (which == Weights::kProbabilities) CHECK(LargestError(got.weights, want.probabilities) <= 1e-6);
    }
  }
}

TEST_CASE("Every small shape agrees with the reference") {
  TestNumbers numbers(22);
  for (std::size_t queries : test::Sizes{0, 1, 2, 3, 4, 5, 7, 8, 9}) {
    for (std::size_t keys : test::Sizes{0, 1, 2, 4, 7, 8, 9, 15, 16, 17}) {
      for (std::size_t head_dim : test::Sizes{0, 1, 2, 3, 4, 5, 9}) {
        for (std::size_t value_dim : test::Sizes{0, 1, 4, 7, 8, 9, 17}) {
          AttentionProblem problem;
          problem.shape = {1, 1, 1, queries, keys, head_dim, value_dim};
          problem.scale = 0.6;
          problem.tile = {4, 8};
          const Inputs in = test::RandomInputs(problem.shape, numbers);
          const auto want = Exact(problem, in);
          const ForwardResult got = RunForward(problem, in);
          CAPTURE(queries);
          CAPTURE(keys);
          CAPTURE(head_dim);
          CAPTURE(value_dim);
          CHECK(LargestError(got.output, want.output) <= 2e-6);
          CHECK(LargestError(got.log_sum_exp, want.log_sum_exp) <= 2e-6);
        }
      }
    }
  }
}

TEST_CASE("At 1024 keys the output is within 2e-6 norm-wise") {
  TestNumbers numbers(23);
  for (bool causal : {false, true}) {
    AttentionProblem problem;
    problem.shape = {1, 1, 1, 70, 1024, 64, 64};
    problem.scale = 0.125;
    problem.causal = causal;
    problem.causal_offset = 900;
    const Inputs in = test::RandomInputs(problem.shape, numbers);
    CHECK(NormError(RunForward(problem, in).output, Exact(problem, in).output) <= 2e-6);
  }
}

TEST_CASE(
    "Causal with a mask that says the same, and causal against the keys cut off, give the same result") {
  TestNumbers numbers(24);
  AttentionProblem causal;
  causal.shape = {1, 2, 2, 21, 33, 8, 8};
  causal.scale = 0.3;
  causal.tile = {8, 16};
  causal.causal = true;
  const Inputs in = test::RandomInputs(causal.shape, numbers);
  for (std::int64_t offset : {-30, -21, -3, 0, 5, 12, 32, 33, 1000}) {
    CAPTURE(offset);
    causal.causal_offset = offset;
    const ForwardResult got = RunForward(causal, in);
    AttentionProblem masked = causal;
    masked.causal = false;
    std::vector<std::uint8_t> mask(21 * 33);
    for (std::size_t i = 0; i < 21; ++i) {
      for (std::size_t j = 0; j < 33; ++j) {
        mask[i * 33 + j] = static_cast<std::int64_t>(j) <= static_cast<std::int64_t>(i) + offset;
      }
    }
    masked.mask = {mask.data(), 0, 0, 33, 1};
    const ForwardResult want = RunForward(masked, in);
    CHECK(NormError(got.output, want.output) <= 1e-6);
    for (std::size_t i = 0; i < got.log_sum_exp.size(); ++i) {
      CHECK((got.log_sum_exp[i] == want.log_sum_exp[i] ||
             std::fabs(got.log_sum_exp[i] - want.log_sum_exp[i]) <= 1e-6f));
    }
  }
  // The extremes of the offset's type do not overflow.
  causal.causal_offset = std::numeric_limits<std::int64_t>::max();
  AttentionProblem full = causal;
  full.causal = false;
  CHECK(RunForward(causal, in).output == RunForward(full, in).output);
  causal.causal_offset = std::numeric_limits<std::int64_t>::min();
  for (float x : RunForward(causal, in).output) CHECK(x == 0.0f);
}

TEST_CASE("The tile size changes the rounding only") {
  TestNumbers numbers(25);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 37, 70, 12, 10};
  problem.scale = 1;  // spread enough for the maximum to move between tiles
  const Inputs in = test::RandomInputs(problem.shape, numbers);
  const auto want = Exact(problem, in);
  for (std::size_t queries : test::Sizes{0, 1, 3, 4, 5, 16, 37, 100}) {
    for (std::size_t keys : test::Sizes{0, 1, 5, 8, 9, 64, 70, 1000}) {
      problem.tile = {queries, keys};
      CAPTURE(queries);
      CAPTURE(keys);
      CHECK(NormError(RunForward(problem, in).output, want.output) <= 1e-6);
    }
  }
}

TEST_CASE("Grouped heads equal repeated key heads, and BLHD equals BHLD, bit for bit") {
  TestNumbers numbers(26);
  AttentionProblem grouped;
  grouped.shape = {2, 6, 2, 9, 20, 5, 3};
  const Inputs in = test::RandomInputs(grouped.shape, numbers);
  AttentionProblem repeated = grouped, other_layout = grouped;
  repeated.shape.kv_heads = 6;
  other_layout.layout = Layout::kBlhd;
  Inputs repeated_in{in.query, {}, {}}, other_in = in;
  const auto& s = grouped.shape;
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t h = 0; h < 6; ++h) {
      for (std::size_t j = 0; j < 20; ++j) {
        for (std::size_t c = 0; c < 5; ++c) {
          repeated_in.key.push_back(in.key[reference::IndexOf(Layout::kBhld, b, h / 3, j, c, 2, 20, 5)]);
        }
        for (std::size_t c = 0; c < 3; ++c) {
          repeated_in.value.push_back(in.value[reference::IndexOf(Layout::kBhld, b, h / 3, j, c, 2, 20, 3)]);
        }
      }
    }
  }
  const auto to_blhd = [](const std::vector<float>& from, std::size_t heads, std::size_t length,
                          std::size_t dim) {
    std::vector<float> to(from.size());
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t h = 0; h < heads; ++h) {
        for (std::size_t i = 0; i < length; ++i) {
          for (std::size_t c = 0; c < dim; ++c) {
            to[reference::IndexOf(Layout::kBlhd, b, h, i, c, heads, length, dim)] =
                from[reference::IndexOf(Layout::kBhld, b, h, i, c, heads, length, dim)];
          }
        }
      }
    }
    return to;
  };
  other_in = {to_blhd(in.query, 6, 9, 5), to_blhd(in.key, 2, 20, 5), to_blhd(in.value, 2, 20, 3)};
  const ForwardResult want = RunForward(grouped, in);
  CHECK(RunForward(repeated, repeated_in).output == want.output);
  CHECK(RunForward(repeated, repeated_in).log_sum_exp == want.log_sum_exp);
  CHECK(RunForward(other_layout, other_in).output == to_blhd(want.output, 6, 9, s.value_dim));
  CHECK(RunForward(other_layout, other_in).log_sum_exp == want.log_sum_exp);
}

TEST_CASE("A row that sees no key gives zeros and logSumExp -infinity") {
  TestNumbers numbers(27);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 6, 10, 4, 4};
  problem.tile = {4, 8};
  std::vector<std::uint8_t> mask(60, 1);
  std::fill_n(mask.begin() + 20, 10, 0);
  problem.mask = {mask.data(), 0, 0, 10, 1};
  const Inputs in = test::RandomInputs(problem.shape, numbers);
  const ForwardResult got = RunForward(problem, in, Weights::kProbabilities);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(std::isinf(got.log_sum_exp[i]) == (i == 2));
    for (std::size_t c = 0; c < 4; ++c) CHECK((got.output[i * 4 + c] == 0) == (i == 2));
    for (std::size_t j = 0; j < 10; ++j) CHECK((got.weights[i * 10 + j] == 0) == (i == 2));
  }
}

TEST_CASE("A bias of the lowest float masks among others and weighs evenly where it is everywhere") {
  TestNumbers numbers(29);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 2, 10, 4, 4};
  std::vector<float> bias(20, std::numeric_limits<float>::lowest());
  bias[13] = 0;  // the second row sees one key
  problem.bias = {bias.data(), 0, 0, 10, 1};
  const Inputs in = test::RandomInputs(problem.shape, numbers);
  const ForwardResult got = RunForward(problem, in, Weights::kProbabilities);
  for (std::size_t j = 0; j < 10; ++j) {
    CHECK(got.weights[j] == doctest::Approx(0.1));
    CHECK(got.weights[10 + j] == (j == 3 ? 1.0f : 0.0f));
  }
  for (float& b : bias) b = std::numeric_limits<float>::max();
  for (float w : RunForward(problem, in, Weights::kProbabilities).weights) CHECK(w == doctest::Approx(0.1));
}

TEST_CASE("NaN and infinity stay in the rows that see them") {
  TestNumbers numbers(28);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 12, 12, 4, 4};
  problem.tile = {4, 8};
  problem.causal = true;  // row i sees keys 0..i
  const Inputs clean = test::RandomInputs(problem.shape, numbers);
  const ForwardResult want = RunForward(problem, clean);
  for (float poison : {kNan, kInf, -kInf}) {
    Inputs in = clean;
    in.query[5 * 4 + 1] = poison;
    ForwardResult got = RunForward(problem, in);
    for (std::size_t i = 0; i < 12; ++i) {
      if (i != 5) CHECK(got.output[i * 4] == want.output[i * 4]);
      if (i != 5) CHECK(got.log_sum_exp[i] == want.log_sum_exp[i]);
    }
    if (std::isnan(poison)) CHECK(std::isnan(got.output[5 * 4]));
    if (std::isnan(poison)) CHECK(std::isnan(got.log_sum_exp[5]));
    in = clean;
    in.key[7 * 4 + 1] = poison;
    got = RunForward(problem, in);
    for (std::size_t i = 0; i < 7; ++i) CHECK(got.output[i * 4] == want.output[i * 4]);
    if (std::isnan(poison)) {
      for (std::size_t i = 7; i < 12; ++i) CHECK(std::isnan(got.output[i * 4]));
    }
    in = clean;
    in.value[7 * 4 + 1] = poison;
    got = RunForward(problem, in);
    for (std::size_t i = 0; i < 12; ++i) {
      CHECK(std::fabs(got.output[i * 4] - want.output[i * 4]) <= 1e-6f);
      CHECK(std::isfinite(got.output[i * 4 + 1]) == (i < 7));
    }
  }
  // A +infinity score has no softmax.
  AttentionProblem one;
  one.shape = {1, 1, 1, 2, 3, 1, 1};
  const ForwardResult got = RunForward(one, {{1e30f, 1.0f}, {1e30f, 1.0f, 2.0f}, {1.0f, 2.0f, 3.0f}});
  CHECK(std::isnan(got.output[0]));
  CHECK(got.output[1] == 1.0f);
}

TEST_CASE("Peaked scores give the value of the top key") {
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 1, 40, 1, 1};
  std::vector<float> key(40), value(40);
  for (std::size_t j = 0; j < 40; ++j) key[j] = -100.0f * static_cast<float>((j + 20) % 40);
  for (std::size_t j = 0; j < 40; ++j) value[j] = static_cast<float>(j);
  problem.tile = {4, 8};
  const ForwardResult got = RunForward(problem, {{1.0f}, key, value}, Weights::kProbabilities);
  CHECK(got.output[0] == 20.0f);
  CHECK(got.log_sum_exp[0] == 0.0f);
  for (std::size_t j = 0; j < 40; ++j) CHECK(got.weights[j] == (j == 20 ? 1.0f : 0.0f));
}

TEST_CASE("Scratch does not grow with the product of the lengths") {
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 16384, 16384, 64, 64};
  CHECK(AttentionForwardScratchFloats(problem) <= 160 * 1024);
}

}  // namespace
}  // namespace sqrtdk
