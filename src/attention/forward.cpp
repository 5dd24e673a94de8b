// Attention, forward. One key head at a time:
//
//   for a tile of keys:            K and V of the tile packed once
//     for the heads that share it, for a block of queries:
//       1. S = Q K^T of the tile   [queries, keys], then scale, softcap, masks
//       2. P = exp(S - m)          row by row, m and the sum l brought up to date (online softmax)
//       3. O += P V                in the output itself, not yet divided by l
//   then O /= l and logSumExp = m + ln l.
//
// Scratch: one tile of S, K, V and Q packed, two floats a query for m and l.
#include <algorithm>
#include <limits>
#include <memory>

#include "attention/attention.h"
#include "attention/matrix.h"
#include "attention/online_softmax.h"
#include "attention/tiles.h"
#include "simd/f32x4.h"
#include "simd/math.h"
#include "simd/math64.h"

namespace sqrtdk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

[[gnu::noinline]] void ScaleRow(float* row, std::size_t columns, float factor) {
  for (std::size_t j = 0; j < columns; j += kLanes) {
    StorePartial(LoadPartial(row + j, columns - j, 0.0f) * Splat(factor), row + j, columns - j);
  }
}

template <class Arithmetic>
class Forward {
 public:
  Forward(const AttentionProblem& problem, const AttentionInputs& inputs, const AttentionOutputs& outputs,
          ScratchCutter scratch)
      : problem_(problem),
        shape_(problem.shape),
        inputs_(inputs),
        outputs_(outputs),
        group_(GroupSize(shape_)),
        scores_(problem, inputs, scratch),
        values_(scratch.Take(PanelFloats(scores_.stride(), shape_.value_dim))),
        rows_(scratch.TakeArray<RunningSoftmax>(Product(group_, shape_.query_length))),
        scratch_floats_(scratch.used()) {}

  std::uint64_t ScratchFloats() const { return scratch_floats_; }

  void RunKeyHead(std::size_t batch, std::size_t kv_head) {
    std::uninitialized_fill_n(rows_, group_ * shape_.query_length, RunningSoftmax{});
    for (std::size_t h = 0; h < group_; ++h) {
      const auto output = QueryRows(problem_, outputs_.output, batch, kv_head * group_ + h, shape_.value_dim);
      for (std::size_t i = 0; i < shape_.query_length; ++i)
        std::fill_n(output.Row(i), shape_.value_dim, 0.0f);
    }
    const auto pack = [&](std::size_t first, std::size_t keys) { PackKeys(batch, kv_head, first, keys); };
    ForEachTile(problem_, batch, kv_head, pack, [&](const TileRange& range) {
      const TileRange visible = VisiblePart(problem_, range);
      if (visible.keys > 0) Accumulate(visible);
    });
    for (std::size_t h = 0; h < group_; ++h) Finish(batch, kv_head, h);
    if (outputs_.which_weights == Weights::kNone) return;
    ForEachTile(problem_, batch, kv_head, pack, [&](const TileRange& range) { WriteWeights(range); });
  }

 private:
  // Rows of a key head: heads of the group first, queries last.
  RunningSoftmax* StatesOf(const TileRange& range) const {
    return rows_ + range.head % group_ * shape_.query_length + range.query_begin;
  }

  void PackKeys(std::size_t batch, std::size_t kv_head, std::size_t first, std::size_t keys) {
    scores_.PackKeys(batch, kv_head, first, keys);
    const auto value = KeyRows(problem_, inputs_.value, batch, kv_head, shape_.value_dim);
    PackPanels(value.Row(first), value.stride, keys, shape_.value_dim, values_);
    packed_keys_ = keys;
    finite_values_ = AllFinite(value.Row(first), value.stride, keys, shape_.value_dim);
  }

  void Accumulate(const TileRange& range) {
    scores_.Make(range, Weights::kMasked);
    const auto output = QueryRows(problem_, outputs_.output, range.batch, range.head, shape_.value_dim);
    RunningSoftmax* states = StatesOf(range);
    for (std::size_t i = 0; i < range.queries; ++i) {
      const float shrink =
          UpdateSoftmax<Arithmetic>(scores_.Row(i), RoundUp(range.keys, kPanelColumns), states[i]);
      float* const row = output.Row(range.query_begin + i);
      if (shrink == 0) {  // keys without weight have no influence, even where their values are infinite
        std::fill_n(row, shape_.value_dim, 0.0f);
      } else if (shrink != 1) {
        ScaleRow(row, shape_.value_dim, shrink);
      }
    }
    MultiplyAdd<Arithmetic>(finite_values_, range.queries, shape_.value_dim, range.keys,
                            ByRows{scores_.Row(0), scores_.stride()}, Panels{values_, packed_keys_}, 1.0f,
                            output.Row(range.query_begin), output.stride);
  }

  void Finish(std::size_t batch, std::size_t kv_head, std::size_t h) {
    const std::size_t head = kv_head * group_ + h;
    const auto output = QueryRows(problem_, outputs_.output, batch, head, shape_.value_dim);
    float* log_sums = outputs_.log_sum_exp + (batch * shape_.heads + head) * shape_.query_length;
    for (std::size_t i = 0; i < shape_.query_length; ++i) {
      const auto [maximum, sum] = rows_[h * shape_.query_length + i];
      if (sum == 0) {  // no key to attend to
        log_sums[i] = -kInfinity;
        continue;
      }
      ScaleRow(output.Row(i), shape_.value_dim, 1.0f / sum);
      const double log_sum = static_cast<double>(maximum) + Log(static_cast<double>(sum));
      log_sums[i] = sum != sum ? sum : static_cast<float>(log_sum);
    }
  }

  // The intermediate that was asked for, recomputed: nobody else pays for it.
  void WriteWeights(const TileRange& range) {
    const bool probabilities = outputs_.which_weights == Weights::kProbabilities;
    scores_.Make(range, probabilities ? Weights::kMasked : outputs_.which_weights);
    const std::size_t first_row = (range.batch * shape_.heads + range.head) * shape_.query_length;
    for (std::size_t i = 0; i < range.queries; ++i) {
      const float* row = scores_.Row(i);
      float* to =
          outputs_.weights + (first_row + range.query_begin + i) * shape_.key_length + range.key_begin;
      const RunningSoftmax& state = StatesOf(range)[i];
      const F32x4 reference = Splat(state.Reference());
      const F32x4 inverse = Splat(state.sum == 0 ? 0.0f : 1.0f / state.sum);
      for (std::size_t j = 0; j < range.keys; j += kLanes) {
        F32x4 value = Load(row + j);
        if (probabilities) value = Weight<Arithmetic>(value, reference) * inverse;
        StorePartial(value, to + j, range.keys - j);
      }
    }
  }

  const AttentionProblem& problem_;
  const AttentionShape& shape_;
  const AttentionInputs& inputs_;
  const AttentionOutputs& outputs_;
  std::size_t group_;
  ScoreTile scores_;
  float* values_;         // panels of V
  RunningSoftmax* rows_;  // [heads that share a key head][queries]
  std::uint64_t scratch_floats_;
  std::size_t packed_keys_ = 0;
  bool finite_values_ = true;
};

template <class Arithmetic>
void RunForward(const AttentionProblem& problem, const AttentionInputs& inputs,
                const AttentionOutputs& outputs, float* scratch) {
  Forward<Arithmetic> forward(problem, inputs, outputs, ScratchCutter(scratch));
  for (std::size_t batch = 0; batch < problem.shape.batch; ++batch) {
    for (std::size_t kv_head = 0; kv_head < problem.shape.kv_heads; ++kv_head)
      forward.RunKeyHead(batch, kv_head);
  }
}

}  // namespace

std::uint64_t AttentionForwardScratchFloats(const AttentionProblem& problem) {
  return Forward<Fused>(problem, {}, {}, ScratchCutter(nullptr)).ScratchFloats();
}

void AttentionForward(const AttentionProblem& problem, const AttentionInputs& inputs,
                      const AttentionOutputs& outputs, float* scratch) {
  if (problem.shape.heads == 0 || problem.shape.kv_heads == 0 || problem.shape.query_length == 0) return;
  const auto run = problem.same_bits ? RunForward<Exact> : RunForward<Fused>;
  run(problem, inputs, outputs, scratch);
}

}  // namespace sqrtdk
