// Attention, forward and backward, against right values computed elsewhere.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention/attention.h"
#include "cpp/attention_cases.h"
#include "cpp/numbers.h"
#include "cpp/vectors.h"

namespace sqrtdk {
namespace {

using test::LargestError;
using test::NormError;

std::vector<float> Floats(const std::vector<double>& v) { return std::vector<float>(v.begin(), v.end()); }

TEST_CASE("Right values") {
  for (const test::AttentionCase& c : test::AttentionCases()) {
    AttentionProblem problem;
    problem.shape = {1, 1, 1, c.queries, c.keys, c.key_dimension, c.value_dimension};
    problem.scale = c.scale_value;
    problem.softcap = c.softcap;
    if (!c.mask.empty()) problem.mask = {c.mask.data(), 0, 0, c.keys, 1};
    const test::Inputs in{Floats(c.q), Floats(c.k), Floats(c.v)};
    // Scores are rounded to float32: an error of 2^-24 of the largest in the exponent.
    double largest = 10;
    for (double s : c.scores) largest = std::max(largest, std::fabs(s));
    for (std::size_t keys : test::Sizes{8, 512}) {
      problem.tile.keys = keys;
      CAPTURE(c.name);
      CAPTURE(keys);
      const test::ForwardResult got = test::RunForward(problem, in, Weights::kProbabilities);
      CHECK(NormError(got.output, c.output) <= 2e-7 * largest);
      CHECK(LargestError(got.weights, c.p) <= 2e-7 * largest);
      CHECK(LargestError(got.log_sum_exp, c.log_sum_exp) <= 2e-7 * largest);
      const test::Inputs d = test::RunBackward(problem, in, Floats(c.d_output));
      CHECK(NormError(d.query, c.dq) <= 3e-7 * largest);
      CHECK(NormError(d.key, c.dk) <= 3e-7 * largest);
      CHECK(NormError(d.value, c.dv) <= 3e-7 * largest);
    }
  }
}

}  // namespace
}  // namespace sqrtdk
