#include "attention/attention.h"

#include <emscripten/bind.h>

#include "bindings/memory.h"

namespace sqrtdk {
namespace {

// AttentionProblem without nesting, with addresses for pointers.
struct AttentionCall {
  std::size_t batch, heads, kv_heads, query_length, key_length, head_dim, value_dim;
  int layout;
  double scale, softcap;
  Address mask, bias;  // 0: none
  // Of the one that is there.
  std::size_t mask_batch_stride, mask_head_stride, mask_query_stride, mask_key_stride;
  bool causal;
  double causal_offset;
  Address query, key, value;
};

template <class T>
BroadcastView<T> MaskOf(const AttentionCall& call, Address data) {
  return {At<const T>(data), call.mask_batch_stride, call.mask_head_stride, call.mask_query_stride,
          call.mask_key_stride};
}

AttentionProblem ProblemOf(const AttentionCall& call) {
  AttentionProblem problem;
  problem.shape = {call.batch,      call.heads,    call.kv_heads, call.query_length,
                   call.key_length, call.head_dim, call.value_dim};
  problem.layout = static_cast<Layout>(call.layout);
  problem.scale = call.scale;
  problem.softcap = call.softcap;
  problem.mask = MaskOf<std::uint8_t>(call, call.mask);
  problem.bias = MaskOf<float>(call, call.bias);
  problem.causal = call.causal;
  problem.causal_offset = static_cast<std::int64_t>(call.causal_offset);
  return problem;
}

AttentionInputs InputsOf(const AttentionCall& call) {
  return {At<const float>(call.query), At<const float>(call.key), At<const float>(call.value)};
}

std::size_t ForwardScratchFloats(const AttentionCall& call) {
  return AttentionForwardScratchFloats(ProblemOf(call));
}
std::size_t BackwardScratchFloats(const AttentionCall& call) {
  return AttentionBackwardScratchFloats(ProblemOf(call));
}

void Forward(const AttentionCall& call, Address output, Address log_sum_exp, int which_weights,
             Address weights, Address scratch) {
  AttentionForward(
      ProblemOf(call), InputsOf(call),
      {At<float>(output), At<float>(log_sum_exp), At<float>(weights), static_cast<Weights>(which_weights)},
      At<float>(scratch));
}

void Backward(const AttentionCall& call, Address grad_output, Address output, Address log_sum_exp,
              Address grad_query, Address grad_key, Address grad_value, Address scratch) {
  AttentionBackward(ProblemOf(call), InputsOf(call),
                    {At<const float>(grad_output), At<const float>(output), At<const float>(log_sum_exp)},
                    {At<float>(grad_query), At<float>(grad_key), At<float>(grad_value)}, At<float>(scratch));
}

EMSCRIPTEN_BINDINGS(attention) {
  emscripten::value_object<AttentionCall>("AttentionCall")
      .field("batch", &AttentionCall::batch)
      .field("heads", &AttentionCall::heads)
      .field("kvHeads", &AttentionCall::kv_heads)
      .field("queryLength", &AttentionCall::query_length)
      .field("keyLength", &AttentionCall::key_length)
      .field("headDim", &AttentionCall::head_dim)
      .field("valueDim", &AttentionCall::value_dim)
      .field("layout", &AttentionCall::layout)
      .field("scale", &AttentionCall::scale)
      .field("softcap", &AttentionCall::softcap)
      .field("mask", &AttentionCall::mask)
      .field("bias", &AttentionCall::bias)
      .field("maskBatchStride", &AttentionCall::mask_batch_stride)
      .field("maskHeadStride", &AttentionCall::mask_head_stride)
      .field("maskQueryStride", &AttentionCall::mask_query_stride)
      .field("maskKeyStride", &AttentionCall::mask_key_stride)
      .field("causal", &AttentionCall::causal)
      .field("causalOffset", &AttentionCall::causal_offset)
      .field("query", &AttentionCall::query)
      .field("key", &AttentionCall::key)
      .field("value", &AttentionCall::value);
  emscripten::function("attentionForwardScratchFloats", &ForwardScratchFloats);
  emscripten::function("attentionBackwardScratchFloats", &BackwardScratchFloats);
  emscripten::function("attentionForward", &Forward);
  emscripten::function("attentionBackward", &Backward);
}

}  // namespace
}  // namespace sqrtdk
