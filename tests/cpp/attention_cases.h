// Random attention problems with their masks, and the kernels called on vectors, for the attention tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "attention/attention.h"
#include "cpp/numbers.h"
#include "reference/attention.h"

namespace sqrtdk::test {

struct ForwardResult {
  std::vector<float> output, log_sum_exp, weights;
};

using Inputs = reference::Arrays<float>;

template <class T>
std::vector<T> ConvertTo(const std::vector<float>& v) {
  return std::vector<T>(v.begin(), v.end());
}
template <class T>
reference::Arrays<T> ConvertTo(const Inputs& in) {
  return {ConvertTo<T>(in.query), ConvertTo<T>(in.key), ConvertTo<T>(in.value)};
}

inline Inputs RandomInputs(const AttentionShape& s, TestNumbers& numbers) {
  return {numbers.Normals(s.batch * s.heads * s.query_length * s.head_dim),
          numbers.Normals(s.batch * s.kv_heads * s.key_length * s.head_dim),
          numbers.Normals(s.batch * s.kv_heads * s.key_length * s.value_dim)};
}

// Every output starts as garbage and scratch as NaN: what a kernel forgets to write or reads too early shows.
inline ForwardResult RunForward(const AttentionProblem& problem, const Inputs& in,
                                Weights which = Weights::kNone) {
  const AttentionShape& s = problem.shape;
  ForwardResult r;
  r.output.assign(s.batch * s.heads * s.query_length * s.value_dim, kNan);
  r.log_sum_exp.assign(s.batch * s.heads * s.query_length, kNan);
  if (which != Weights::kNone) r.weights.assign(s.batch * s.heads * s.query_length * s.key_length, kNan);
  std::vector<float> scratch(static_cast<std::size_t>(AttentionForwardScratchFloats(problem)), kNan);
  AttentionForward(problem, {in.query.data(), in.key.data(), in.value.data()},
                   {r.output.data(), r.log_sum_exp.data(), r.weights.data(), which}, scratch.data());
  return r;
}

inline Inputs RunBackward(const AttentionProblem& problem, const Inputs& in,
                          const std::vector<float>& grad_output) {
  const ForwardResult forward = RunForward(problem, in);
  Inputs d{std::vector<float>(in.query.size(), kNan), std::vector<float>(in.key.size(), kNan),
           std::vector<float>(in.value.size(), kNan)};
  std::vector<float> scratch(static_cast<std::size_t>(AttentionBackwardScratchFloats(problem)), kNan);
  AttentionBackward(problem, {in.query.data(), in.key.data(), in.value.data()},
                    {grad_output.data(), forward.output.data(), forward.log_sum_exp.data()},
                    {d.query.data(), d.key.data(), d.value.data()}, scratch.data());
  return d;
}

// A problem that owns its masks.
struct Case {
  std::string name;
  AttentionProblem problem;
  std::vector<std::uint8_t> mask;
  std::vector<float> bias;

  void Attach() {
    problem.mask.data = mask.empty() ? nullptr : mask.data();
    problem.bias.data = bias.empty() ? nullptr : bias.data();
  }
};

// One case per feature and for their combinations, small tiles so that each problem has several.
inline std::vector<Case> FeatureCases() {
  TestNumbers numbers(77);
  std::vector<Case> cases;
  const auto add = [&](const char* name) -> Case& {
    Case c;
    c.name = name;
    c.problem.shape = {.batch = 2,
                       .heads = 2,
                       .kv_heads = 2,
                       .query_length = 13,
                       .key_length = 19,
                       .head_dim = 6,
                       .value_dim = 5};
    c.problem.scale = 0.41;
    c.problem.tile = {.queries = 8, .keys = 8};
    cases.push_back(c);
    return cases.back();
  };
  const auto fill_mask = [&](Case& c, std::size_t count) {
    c.mask.resize(count);
    for (std::uint8_t& m : c.mask) m = numbers.Uniform() > -0.3f ? 1 : 0;
  };
  add("plain");
  add("negative scale").problem.scale = -0.5;
  add("softcap").problem.softcap = 1.5;
  add("causal").problem.causal = true;
  {
    Case& c = add("causal, bottom-right");
    c.problem.causal = true;
    c.problem.causal_offset = 19 - 13;
  }
  {
    Case& c = add("causal, first rows see nothing");
    c.problem.causal = true;
    c.problem.causal_offset = -5;
  }
  {
    Case& c = add("boolean mask over all dimensions");
    fill_mask(c, 2 * 2 * 13 * 19);
    for (std::size_t j = 0; j < 19; ++j) c.mask[4 * 19 + j] = 0;  // one row sees nothing
    c.problem.mask = {nullptr, 2 * 13 * 19, 13 * 19, 19, 1};
  }
  {
    Case& c = add("boolean mask of keys, broadcast over all else");
    fill_mask(c, 19);
    c.problem.mask = {nullptr, 0, 0, 0, 1};
  }
  {
    Case& c = add("boolean mask of queries, broadcast over keys");
    fill_mask(c, 13);
    c.mask[3] = 0;
    c.problem.mask = {nullptr, 0, 0, 1, 0};
  }
  {
    Case& c = add("boolean mask transposed");
    fill_mask(c, 19 * 13);
    c.problem.mask = {nullptr, 0, 0, 1, 13};
  }
  {
    Case& c = add("bias per head");
    c.bias = numbers.Normals(2 * 13 * 19, 2);
    for (std::size_t j = 0; j < c.bias.size(); j += 7) c.bias[j] = -kInf;
    c.problem.bias = {nullptr, 0, 13 * 19, 19, 1};
  }
  {
    Case& c = add("grouped heads, BLHD");
    c.problem.shape.heads = 6;
    c.problem.layout = Layout::kBlhd;
  }
  {
    Case& c = add("everything at once");
    c.problem.shape.heads = 4;
    c.problem.layout = Layout::kBlhd;
    c.problem.softcap = 2;
    c.problem.causal = true;
    c.problem.causal_offset = 4;
    fill_mask(c, 2 * 19);
    c.problem.mask = {nullptr, 19, 0, 0, 1};
    c.bias = numbers.Normals(13 * 19);
    c.problem.bias = {nullptr, 0, 0, 19, 1};
  }
  for (Case& c : cases) c.Attach();
  return cases;
}

}  // namespace sqrtdk::test
