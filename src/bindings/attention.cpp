#include "attention/attention.h"

#include <emscripten/bind.h>

#include "bindings/memory.h"

namespace sqrtdk {
namespace {

// AttentionProblem and its inputs as JavaScript writes them into memory: doubles in this order, which
// web/core/attention-options.ts repeats. (An Embind value_object of so many fields costs 8 microseconds a
// call.)
struct AttentionCall {
  double batch, heads, kv_heads, query_length, key_length, head_dim, value_dim;
  double layout, scale, softcap, causal, causal_offset;
  double mask_batch_stride, mask_head_stride, mask_query_stride, mask_key_stride;
  double mask, bias;  // addresses; 0: none. The strides are those of the one that is there
  double query, key, value;
};
static_assert(sizeof(AttentionCall) == 21 * sizeof(double));

std::size_t Size(double value) { return static_cast<std::size_t>(value); }

template <class T>
BroadcastView<T> MaskOf(const AttentionCall& call, double address) {
  return {At<const T>(Size(address)), Size(call.mask_batch_stride), Size(call.mask_head_stride),
          Size(call.mask_query_stride), Size(call.mask_key_stride)};
}

AttentionProblem ProblemAt(Address address) {
  const AttentionCall& call = *At<const AttentionCall>(address);
  AttentionProblem problem;
  problem.shape = {Size(call.batch),      Size(call.heads),    Size(call.kv_heads), Size(call.query_length),
                   Size(call.key_length), Size(call.head_dim), Size(call.value_dim)};
  problem.layout = static_cast<Layout>(call.layout);
  problem.scale = call.scale;
  problem.softcap = call.softcap;
  problem.mask = MaskOf<std::uint8_t>(call, call.mask);
  problem.bias = MaskOf<float>(call, call.bias);
  problem.causal = call.causal != 0;
  problem.causal_offset = static_cast<std::int64_t>(call.causal_offset);
  return problem;
}

AttentionInputs InputsAt(Address address) {
  const AttentionCall& call = *At<const AttentionCall>(address);
  return {At<const float>(Size(call.query)), At<const float>(Size(call.key)),
          At<const float>(Size(call.value))};
}

// As doubles, for they may be beyond 32 bits; what JavaScript allows is below 2^53 or far above all memory.
double ForwardScratchFloats(Address call) {
  return static_cast<double>(AttentionForwardScratchFloats(ProblemAt(call)));
}

double BackwardScratchFloats(Address call) {
  return static_cast<double>(AttentionBackwardScratchFloats(ProblemAt(call)));
}

void Forward(Address call, Address output, Address log_sum_exp, int which_weights, Address weights,
             Address scratch) {
  AttentionForward(
      ProblemAt(call), InputsAt(call),
      {At<float>(output), At<float>(log_sum_exp), At<float>(weights), static_cast<Weights>(which_weights)},
      At<float>(scratch));
}

void Backward(Address call, Address grad_output, Address output, Address log_sum_exp, Address grad_query,
              Address grad_key, Address grad_value, Address scratch) {
  AttentionBackward(ProblemAt(call), InputsAt(call),
                    {At<const float>(grad_output), At<const float>(output), At<const float>(log_sum_exp)},
                    {At<float>(grad_query), At<float>(grad_key), At<float>(grad_value)}, At<float>(scratch));
}

EMSCRIPTEN_BINDINGS(attention) {
  emscripten::function("attentionForwardScratchFloats", &ForwardScratchFloats);
  emscripten::function("attentionBackwardScratchFloats", &BackwardScratchFloats);
  emscripten::function("attentionForward", &Forward);
  emscripten::function("attentionBackward", &Backward);
}

}  // namespace
}  // namespace sqrtdk
