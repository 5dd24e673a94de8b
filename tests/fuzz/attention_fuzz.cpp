// libFuzzer target: attention, forward and backward, under every combination of options.
//
// The input bytes choose shapes, layout, masks, tile sizes and where odd values stand. Sanitizers watch the
// memory (arrays are exactly as long as promised); here the numbers are compared with the reference, and odd
// values must stay in the rows that see them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <vector>

#include "cpp/attention_cases.h"
#include "cpp/numbers.h"
#include "reference/attention.h"

namespace sqrtdk::test {
namespace {

// Reads choices from the input; zeros when it is used up.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}
  std::size_t UpTo(std::size_t largest) { return data_ == end_ ? 0 : *data_++ % (largest + 1); }
  bool Coin() { return UpTo(1) == 1; }
  template <class T>
  T OneOf(std::initializer_list<T> values) {
    return values.begin()[UpTo(values.size() - 1)];
  }

 private:
  const std::uint8_t* data_;
  const std::uint8_t* end_;
};

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "attention_fuzz: %s\n", what);
  std::abort();
}

Case ChooseCase(Choices& choose, TestNumbers& numbers) {
  Case c;
  AttentionProblem& p = c.problem;
  const std::size_t group = 1 + choose.UpTo(2), kv_heads = 1 + choose.UpTo(1);
  p.shape = {.batch = choose.UpTo(2),
             .heads = group * kv_heads,
             .kv_heads = kv_heads,
             .query_length = choose.UpTo(21),
             .key_length = choose.UpTo(37),
             .head_dim = choose.UpTo(19),
             .value_dim = choose.UpTo(19)};
  p.layout = choose.Coin() ? Layout::kBhld : Layout::kBlhd;
  p.scale = choose.OneOf({1.0, 0.25, -0.5, 0.0, 3.0});
  p.softcap = choose.OneOf({0.0, 0.0, 0.5, 5.0});
  p.tile = {.queries = choose.OneOf<std::size_t>({32, 4, 8, 12}),
            .keys = choose.OneOf<std::size_t>({512, 8, 16, 24})};
  p.causal = choose.Coin();
  p.causal_offset = static_cast<std::int64_t>(choose.UpTo(60)) - 30;
  // Masks broadcast over any subset of the four dimensions.
  const auto strides = [&](auto& view) {
    std::size_t count = 1;
    const auto stride = [&](std::size_t length) {
      if (!choose.Coin()) return std::size_t{0};
      const std::size_t s = count;
      count *= length;
      return s;
    };
    view.key_stride = stride(p.shape.key_length);
    view.query_stride = stride(p.shape.query_length);
    view.head_stride = stride(p.shape.heads);
    view.batch_stride = stride(p.shape.batch);
    return count;
  };
  if (choose.Coin()) {
    c.mask.resize(strides(p.mask));
    const std::size_t every = 1 + choose.UpTo(4);
    for (std::size_t i = 0; i < c.mask.size(); ++i)
      c.mask[i] = i % every == 0 || numbers.Uniform() > 0 ? 1 : 0;
  }
  if (choose.Coin()) {
    c.bias = numbers.Normals(strides(p.bias));
    const std::size_t every = 2 + choose.UpTo(5);
    for (std::size_t i = 0; i < c.bias.size(); i += every) c.bias[i] = -kInf;
  }
  c.Attach();
  return c;
}

double NormOf(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x * x;
  return std::sqrt(sum);
}

void CheckClose(const std::vector<float>& got, const std::vector<double>& want, double tolerance,
                const char* what) {
  double error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = static_cast<double>(got[i]) - want[i];
    // Equal infinities (log-sum-exp of a masked row) differ by NaN.
    if (std::isinf(want[i]) ? static_cast<double>(got[i]) != want[i] : std::isnan(difference)) Fail(what);
    if (!std::isinf(want[i])) error += difference * difference;
  }
  // The absolute part is for results that cancel to nearly nothing.
  std::vector<double> finite;
  for (double x : want) finite.push_back(std::isinf(x) ? 0 : x);
  if (!(std::sqrt(error) <= tolerance * (NormOf(finite) + 1))) Fail(what);
}

void CompareWithReference(const Case& c, const Inputs& in, const std::vector<float>& grad_output) {
  const reference::Arrays<double> exact = ConvertTo<double>(in);
  const reference::Attention<double> reference(c.problem, exact);
  const reference::Result<double> want = reference.Forward();
  const ForwardResult got = RunForward(c.problem, in, Weights::kProbabilities);
  CheckClose(got.output, want.output, 1e-5, "output");
  CheckClose(got.log_sum_exp, want.log_sum_exp, 1e-5, "log_sum_exp");
  CheckClose(got.weights, want.probabilities, 1e-5, "probabilities");
  const reference::Arrays<double> gradients = reference.Backward(ConvertTo<double>(grad_output));
  const Inputs d = RunBackward(c.problem, in, grad_output);
  CheckClose(d.query, gradients.query, 1e-4, "grad_query");
  CheckClose(d.key, gradients.key, 1e-4, "grad_key");
  CheckClose(d.value, gradients.value, 1e-4, "grad_value");
}

// One key and its value become odd: rows that may not attend to it must not notice.
void CheckOddKey(const Case& c, const Inputs& in, std::size_t key, float odd) {
  const AttentionShape& s = c.problem.shape;
  if (key >= s.key_length || s.batch == 0 || s.head_dim == 0 || s.value_dim == 0) return;
  const reference::Arrays<double> exact = ConvertTo<double>(in);
  const reference::Attention<double> reference(c.problem, exact);
  const reference::Result<double> plain = reference.Forward();
  Inputs changed = in;
  for (std::size_t d = 0; d < s.head_dim; ++d) changed.key[reference.KeyIndex(0, 0, key, d)] = odd;
  for (std::size_t d = 0; d < s.value_dim; ++d) changed.value[reference.ValueIndex(0, 0, key, d)] = odd;
  const ForwardResult got = RunForward(c.problem, changed);
  for (std::size_t i = 0; i < s.query_length; ++i) {
    // Row (0, 0, i) attends to the key unless its masked score is -infinity.
    if (plain.masked[i * s.key_length + key] > -std::numeric_limits<double>::infinity()) continue;
    for (std::size_t d = 0; d < s.value_dim; ++d) {
      const std::size_t at = reference.OutputIndex(0, 0, i, d);
      if (!(std::fabs(static_cast<double>(got.output[at]) - plain.output[at]) <= 1e-4))
        Fail("an odd key left its rows");
    }
  }
}

}  // namespace
}  // namespace sqrtdk::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sqrtdk::test;
  Choices choose(data, size);
  TestNumbers numbers(static_cast<std::uint32_t>(choose.UpTo(255)));
  const Case c = ChooseCase(choose, numbers);
  const Inputs in = RandomInputs(c.problem.shape, numbers);
  const sqrtdk::AttentionShape& s = c.problem.shape;
  CompareWithReference(c, in, numbers.Normals(s.batch * s.heads * s.query_length * s.value_dim));
  CheckOddKey(c, in, choose.UpTo(36), choose.OneOf({kNan, kInf, -kInf, 3e38f, 1e-40f}));
  return 0;
}
