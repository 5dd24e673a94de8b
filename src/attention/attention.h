// Scaled dot-product attention and its gradients in float32.
//
//   S = scale Q K^T  ->  softcap tanh(S / softcap)  ->  mask  ->  P = softmax  ->  O = P V        (order of
//   ONNX Attention)
//
// Memory does not grow with query_length * key_length: scores live in tiles, the softmax is online (running
// maximum and sum per row), and the backward pass recomputes the tiles from logSumExp. Scratch is a few tiles
// and six floats a query at most.
//
// Accuracy, norm-wise against exact arithmetic on the same float32 inputs, scores up to some tens: 2e-6 for
// the output, 1e-5 for gradients at 1024 keys. Scores are float32, so an error of |score| 2^-24 in the
// exponent is inherent. That is all that large scores cost: weights depend on differences of scores, which
// are exact where the scores are, up to the largest float. Where one key takes nearly all the weight the
// gradients, however small, stay accurate relative to what the other keys contribute: the error of dS_j is
// some 2^-24 p_j |dO| |V|, which is much of dS_j only where key j's value hardly differs from the top key's.
// Sums of dS K and dS^T Q beyond the largest float overflow, also where a scale below 1 would bring them
// back.
//
// Edge rules. A row that may attend to no key gives zeros, logSumExp -infinity and zero gradients, never NaN.
// A NaN or +infinity score makes its row NaN and no other. A key outside a row's mask has no influence on
// that row, not even where the key or its value is NaN or infinite. A score of -infinity is masked; a finite
// one, however low, is not. Weights below 2^-100 of the row's largest count as 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sqrtdk {

// Order of the dimensions of query, key, value, output and their gradients, contiguous and row-major:
// [batch, heads, length, dim] or [batch, length, heads, dim].
enum class Layout { kBhld, kBlhd };

struct AttentionShape {
  std::size_t batch = 1;
  std::size_t heads = 1;
  std::size_t kv_heads = 1;  // divides heads: query head h reads key and value head h / (heads / kv_heads)
  std::size_t query_length = 0;
  std::size_t key_length = 0;
  std::size_t head_dim = 0;
  std::size_t value_dim = 0;
};

// A [batch, heads, query, key] array seen through strides in elements; stride 0 repeats one element along a
// dimension. Absent where data is null.
template <class T>
struct BroadcastView {
  const T* data = nullptr;
  std::size_t batch_stride = 0;
  std::size_t head_stride = 0;
  std::size_t query_stride = 0;
  std::size_t key_stride = 0;
};

// Rows of queries and keys worked on at once. Results depend on it in rounding only; the default is the
// fastest measured.
struct AttentionTile {
  std::size_t queries = 32;
  std::size_t keys = 512;
};

struct AttentionProblem {
  AttentionShape shape;
  Layout layout = Layout::kBhld;
  double scale = 1;    // any finite number
  double softcap = 0;  // 0 = off
  // A key is attended to where every mask present allows it.
  BroadcastView<std::uint8_t> mask;  // nonzero = attend
  BroadcastView<float> bias;         // added to the scores after the softcap
  bool causal = false;               // query i sees keys j <= i + causal_offset
  std::int64_t causal_offset = 0;    // 0: top-left; key_length - query_length: bottom-right
  AttentionTile tile;
  // No fused multiply-add: the same bits on every target, which is what experiments ask for.
  bool same_bits = false;
};

// What to return of the [batch, heads, query_length, key_length] matrix on the way from scores to weights.
enum class Weights {
  kNone,
  kRaw,            // scale Q K^T
  kSoftcap,        // after the softcap
  kMasked,         // after the masks: -infinity where not attended to
  kProbabilities,  // after the softmax
};

struct AttentionInputs {
  const float* query;  // [batch, heads, query_length, head_dim] in the problem's layout
  const float* key;    // [batch, kv_heads, key_length, head_dim]
  const float* value;  // [batch, kv_heads, key_length, value_dim]
};

struct AttentionOutputs {
  float* output;       // [batch, heads, query_length, value_dim] in the problem's layout
  float* log_sum_exp;  // [batch, heads, query_length] in either layout
  float* weights;  // [batch, heads, query_length, key_length] in either layout; unused with Weights::kNone
  Weights which_weights;
};

// Floats of scratch that the calls below need for this problem: in 64 bits, for on 32-bit targets it may be
// more than can be had.
std::uint64_t AttentionForwardScratchFloats(const AttentionProblem& problem);
std::uint64_t AttentionBackwardScratchFloats(const AttentionProblem& problem);

// Outputs must not overlap inputs. Every dimension may be 0.
void AttentionForward(const AttentionProblem& problem, const AttentionInputs& inputs,
                      const AttentionOutputs& outputs, float* scratch);

// What the forward pass left, and the upstream gradient.
struct AttentionSaved {
  const float* grad_output;  // shaped like output
  const float* output;
  const float* log_sum_exp;
};

// Shaped like query, key and value; overwritten. Heads that share a key head add up in its gradient.
struct AttentionGradients {
  float* grad_query;
  float* grad_key;
  float* grad_value;
};

// Where |logSumExp| is above 256, too coarse a number in float32 to compute weights from, it takes a fifth
// longer to sum them again.
void AttentionBackward(const AttentionProblem& problem, const AttentionInputs& inputs,
                       const AttentionSaved& saved, const AttentionGradients& gradients, float* scratch);

}  // namespace sqrtdk
