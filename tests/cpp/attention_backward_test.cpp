// Attention, backward: the reference by complex step, the kernel against the reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "attention/attention.h"
#include "cpp/attention_cases.h"
#include "cpp/numbers.h"
#include "reference/attention.h"

namespace sqrtdk {
namespace {

using test::Case;
using test::ConvertTo;
using test::Inputs;
using test::kInf;
using test::kNan;
using test::NormError;
using test::RunBackward;
using test::TestNumbers;
using Complex = std::complex<double>;

std::vector<float> RandomGradOutput(const AttentionShape& s, TestNumbers& numbers) {
  return numbers.Normals(s.batch * s.heads * s.query_length * s.value_dim);
}

reference::Arrays<double> Exact(const AttentionProblem& problem, const Inputs& in,
                                const std::vector<float>& g) {
  const auto wide = ConvertTo<double>(in);
  return reference::Attention<double>(problem, wide).Backward(ConvertTo<double>(g));
}

void CheckGradients(const Inputs& got, const reference::Arrays<double>& want, double allowed) {
  CHECK(NormError(got.query, want.query) <= allowed);
  CHECK(NormError(got.key, want.key) <= allowed);
  CHECK(NormError(got.value, want.value) <= allowed);
}

// The derivative of sum(O * dO) with respect to one input: Im f(x + ih) / h, exact to rounding since nothing
// cancels.
double ComplexStep(const AttentionProblem& problem, reference::Arrays<Complex>& in, Complex& x,
                   const std::vector<float>& g) {
  constexpr double kStep = 1e-100;
  const Complex kept = x;
  x += Complex(0, kStep);
  const auto r = reference::Attention<Complex>(problem, in).Forward();
  x = kept;
  double derivative = 0;
  for (std::size_t i = 0; i < g.size(); ++i) derivative += static_cast<double>(g[i]) * r.output[i].imag();
  return derivative / kStep;
}

TEST_CASE("The reference's gradients equal complex-step derivatives for every feature") {
  TestNumbers numbers(31);
  for (const Case& c : test::FeatureCases()) {
    CAPTURE(c.name);
    const Inputs in = test::RandomInputs(c.problem.shape, numbers);
    const auto g = RandomGradOutput(c.problem.shape, numbers);
    const auto d = Exact(c.problem, in, g);
    auto complex_in = ConvertTo<Complex>(in);
    for (std::size_t i = 5; i < in.query.size(); i += in.query.size() / 5) {
      CHECK(std::fabs(ComplexStep(c.problem, complex_in, complex_in.query[i], g) - d.query[i]) <= 1e-13);
    }
    for (std::size_t i = 3; i < in.key.size(); i += in.key.size() / 5) {
      CHECK(std::fabs(ComplexStep(c.problem, complex_in, complex_in.key[i], g) - d.key[i]) <= 1e-13);
    }
    for (std::size_t i = 1; i < in.value.size(); i += in.value.size() / 5) {
      CHECK(std::fabs(ComplexStep(c.problem, complex_in, complex_in.value[i], g) - d.value[i]) <= 1e-13);
    }
  }
}

TEST_CASE("Every feature agrees with the reference, in one tile and in many") {
  TestNumbers numbers(32);
  for (const Case& c : test::FeatureCases()) {
    CAPTURE(c.name);
    const Inputs in = test::RandomInputs(c.problem.shape, numbers);
    const auto g = RandomGradOutput(c.problem.shape, numbers);
    const auto want = Exact(c.problem, in, g);
    AttentionProblem problem = c.problem;
    CheckGradients(RunBackward(problem, in, g), want, 2e-6);
    problem.tile = {};
    CheckGradients(RunBackward(problem, in, g), want, 2e-6);
  }
}

TEST_CASE("Every small shape agrees with the reference") {
  TestNumbers numbers(33);
  for (std::size_t queries : test::Sizes{0, 1, 3, 4, 5, 8, 9}) {
    for (std::size_t keys : test::Sizes{0, 1, 4, 7, 8, 9, 16, 17}) {
      for (std::size_t head_dim : test::Sizes{0, 1, 4, 5, 9}) {
        for (std::size_t value_dim : test::Sizes{0, 1, 7, 8, 9}) {
          AttentionProblem problem;
          problem.shape = {1, 1, 1, queries, keys, head_dim, value_dim};
          problem.scale = 0.6;
          problem.tile = {4, 8};
          const Inputs in = test::RandomInputs(problem.shape, numbers);
          const auto g = RandomGradOutput(problem.shape, numbers);
          const auto want = Exact(problem, in, g);
          const Inputs got = RunBackward(problem, in, g);
          CAPTURE(queries);
          CAPTURE(keys);
          CAPTURE(head_dim);
          CAPTURE(value_dim);
          // Absolute: with one key the gradient is 0 exactly. Entries are sums of a few dozen numbers
          // around 1.
          CHECK(test::LargestError(got.query, want.query) <= 1e-5);
          CHECK(test::LargestError(got.key, want.key) <= 1e-5);
          CHECK(test::LargestError(got.value, want.value) <= 1e-5);
        }
      }
    }
  }
}

TEST_CASE("At 1024 keys gradients are within 1e-5 norm-wise, in one tile and in many") {
  TestNumbers numbers(34);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 40, 1024, 64, 64};
  problem.scale = 0.125;
  const Inputs in = test::RandomInputs(problem.shape, numbers);
  const auto g = RandomGradOutput(problem.shape, numbers);
  const auto want = Exact(problem, in, g);
  for (std::size_t keys : test::Sizes{128, 512, 1024}) {
    problem.tile.keys = keys;
    CheckGradients(RunBackward(problem, in, g), want, 1e-5);
  }
}

TEST_CASE("Saturated rows keep their small gradients") {
  TestNumbers numbers(35);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 5, 12, 4, 6};
  Inputs in = test::RandomInputs(problem.shape, numbers);
  // Scores that differ by 30 at least: weights of 1e-13 and less beside 1.
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t c = 0; c < 4; ++c) in.query[i * 4 + c] = c == i % 4 ? 6.0f : 0.0f;
  }
  for (std::size_t j = 0; j < 12; ++j) {
    for (std::size_t c = 0; c < 4; ++c) in.key[j * 4 + c] = j == c ? 6.0f : 0.25f * static_cast<float>(j % 5);
  }
  const auto g = RandomGradOutput(problem.shape, numbers);
  const auto want = Exact(problem, in, g);
  const Inputs got = RunBackward(problem, in, g);
  CHECK(NormError(got.query, want.query) <= 5e-6);  // 2^-24 of scores of 36
  CHECK(NormError(got.key, want.key) <= 5e-6);
}

TEST_CASE("Rows that see no key have no gradient and give none") {
  TestNumbers numbers(36);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 6, 10, 4, 4};
  std::vector<std::uint8_t> mask(60, 1);
  std::fill_n(mask.begin() + 20, 10, 0);
  problem.mask = {mask.data(), 0, 0, 10, 1};
  const Inputs in = test::RandomInputs(problem.shape, numbers);
  auto g = RandomGradOutput(problem.shape, numbers);
  for (std::size_t keys : test::Sizes{8, 512}) {
    problem.tile = {4, keys};
    const Inputs d = RunBackward(problem, in, g);
    for (std::size_t c = 0; c < 4; ++c) CHECK(d.query[2 * 4 + c] == 0.0f);
    auto other = g;
    for (std::size_t c = 0; c < 4; ++c) other[2 * 4 + c] = 1000.0f;
    CHECK(RunBackward(problem, in, other).key == d.key);
    CHECK(RunBackward(problem, in, other).value == d.value);
  }
}

TEST_CASE("NaN and infinity reach only the gradients of what they touch") {
  TestNumbers numbers(37);
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 12, 12, 4, 4};
  problem.causal = true;  // row i sees keys 0..i
  const Inputs clean = test::RandomInputs(problem.shape, numbers);
  const auto clean_g = RandomGradOutput(problem.shape, numbers);
  for (std::size_t keys : test::Sizes{8, 512}) {
    for (double softcap : {0.0, 3.0}) {
      problem.tile = {4, keys};
      problem.softcap = softcap;
      const Inputs want = RunBackward(problem, clean, clean_g);
      const auto near = [](float a, float b) { return std::fabs(a - b) <= 1e-5f; };
      for (float poison : {kNan, kInf}) {
        for (int where = 0; where < 4; ++where) {
          CAPTURE(where);
          Inputs in = clean;
          auto g = clean_g;
          if (where == 0) in.query[5 * 4 + 1] = poison;
          if (where == 1) in.key[7 * 4 + 1] = poison;
          if (where == 2) in.value[7 * 4 + 1] = poison;
          if (where == 3) g[5 * 4 + 1] = poison;
          const bool at_query = where == 0 || where == 3;
          const Inputs got = RunBackward(problem, in, g);
          bool clean_elsewhere = true, poisoned = false;
          for (std::size_t i = 0; i < 12; ++i) {
            for (std::size_t c = 0; c < 4; ++c) {
              const bool touched_query = at_query ? i == 5 : i >= 7;
              if (!touched_query)
                clean_elsewhere = clean_elsewhere && near(got.query[i * 4 + c], want.query[i * 4 + c]);
              if (touched_query) poisoned = poisoned || !std::isfinite(got.query[i * 4 + c]);
              // Query 5 does not see keys 6 and on.
              if (at_query && i > 5) {
                clean_elsewhere = clean_elsewhere && near(got.key[i * 4 + c], want.key[i * 4 + c]) &&
                                  near(got.value[i * 4 + c], want.value[i * 4 + c]);
              }
            }
          }
          CHECK(clean_elsewhere);
          if (std::isnan(poison)) CHECK(poisoned);
        }
      }
    }
  }
}

TEST_CASE("Scratch does not grow with the product of the lengths") {
  AttentionProblem problem;
  problem.shape = {1, 1, 1, 16384, 16384, 64, 64};
  CHECK(AttentionBackwardScratchFloats(problem) <= 256 * 1024);
}

}  // namespace
}  // namespace sqrtdk
