// Attention, forward. One key head at a time:
//
//   for a tile of keys:            K and V of the tile packed once
//     for the heads that share it, for a block of queries:
//       1. S = Q K^T of the tile   [queries, keys], then scale, softcap, masks
//       2. P = 2^(S - m)           row by row, m and the sum l brought up to date (online softmax)
//       3. O += P V                in the output itself, not yet divided by l
//   then O /= l and logSumExp = m + ln l.
//
// Scratch: one tile of S, K, V and Q packed, two floats a query for m and l.
#include <algorithm>
#include <limits>

#include "attention/attention.h"
#include "attention/matrix.h"
#include "attention/tiles.h"
#include "simd/f32x4.h"
#include "simd/math.h"
#include "simd/math64.h"
#include "softmax/row_loops.h"

namespace sqrtdk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Scratch cut into its parts; with a null base only their sizes count.
struct ForwardScratch {
  float* keys;     // panels of K^T
  float* values;   // panels of V
  float* queries;  // Q in columns of four
  float* tile;     // [tile queries][tile keys]
  float* maxima;   // m of [heads that share a key head][queries]
  float* sums;     // l
  std::size_t floats;

  ForwardScratch(const AttentionProblem& problem, float* base) {
    const AttentionShape& s = problem.shape;
    const TileSize tile_size = TileSizeFor(problem);
    const std::size_t rows = s.kv_heads == 0 ? 0 : s.heads / s.kv_heads * s.query_length;
    std::size_t used = 0;
    const auto take = [&](std::size_t count) {
      float* part = base == nullptr ? nullptr : base + used;
      used += count;
      return part;
    };
    keys = take(PanelFloats(s.head_dim, tile_size.keys));
    values = take(PanelFloats(tile_size.keys, s.value_dim));
    queries = take(tile_size.queries * s.head_dim);
    tile = take(tile_size.queries * tile_size.keys);
    maxima = take(rows);
    sums = take(rows);
    floats = used;
  }
};

// Step 2 for one row of `columns` scores, a multiple of 8. Returns by how much what was summed so far
// shrinks.
[[gnu::noinline]] float UpdateRow(float* row, std::size_t columns, float& maximum, float& sum) {
  const auto read = [=](std::size_t j, std::size_t) { return Load(row + j); };
  const auto write = [=](std::size_t j, std::size_t, F32x4 p) { Store(p, row + j); };
  const auto combine = [=](F32x4 most, std::size_t j, std::size_t) { return Max(most, Load(row + j)); };
  const auto merge = [](F32x4 a, F32x4 b) { return Max(a, b); };
  const float largest = MaxLanes(ReduceVectors(0, columns, Splat(maximum), combine, merge));
  // All masked so far: any finite reference makes the weights 0, where -infinity would make them NaN.
  const float reference = largest == -kInfinity ? 0.0f : largest;
  const F32x4 top = Splat(reference), flush_below = Splat(kSmallestExponent);
  const auto power = [=](F32x4 s) { return Exp2(s - top, flush_below); };
  const double row_sum = TransformVectors(columns, read, power, write);
  const float shrink = maximum == largest ? 1.0f : Exp2(Splat(maximum - reference), flush_below)[0];
  sum = sum * shrink + static_cast<float>(row_sum);
  maximum = largest;
  return shrink;
}

[[gnu::noinline]] void ScaleRow(float* row, std::size_t columns, float factor) {
  for (std::size_t j = 0; j < columns; j += kLanes) {
    StorePartial(LoadPartial(row + j, columns - j, 0.0f) * Splat(factor), row + j, columns - j);
  }
}

class Forward {
 public:
  Forward(const AttentionProblem& problem, const AttentionInputs& inputs, const AttentionOutputs& outputs,
          float* scratch)
      : problem_(problem),
        shape_(problem.shape),
        inputs_(inputs),
        outputs_(outputs),
        scratch_(problem, scratch),
        tile_size_(TileSizeFor(problem)),
        group_(shape_.heads / shape_.kv_heads) {}

  void RunKeyHead(std::size_t batch, std::size_t kv_head) {
    const std::size_t states = group_ * shape_.query_length;
    std::fill_n(scratch_.maxima, states, -kInfinity);
    std::fill_n(scratch_.sums, states, 0.0f);
    for (std::size_t h = 0; h < group_; ++h) {
      const auto output = OutputRows(batch, kv_head * group_ + h);
      for (std::size_t i = 0; i < shape_.query_length; ++i)
        std::fill_n(output.Row(i), shape_.value_dim, 0.0f);
    }
    ForEachTile(batch, kv_head, [&](const TileRange& range) { Accumulate(range); });
    for (std::size_t h = 0; h < group_; ++h) Finish(batch, kv_head, h);
    if (outputs_.which_weights == Weights::kNone) return;
    ForEachTile(batch, kv_head, [&](const TileRange& range) { WriteWeights(range); });
  }

 private:
  HeadRows<float> OutputRows(std::size_t batch, std::size_t head) const {
    return RowsOfHead(problem_.layout, outputs_.output, batch, head, shape_.heads, shape_.query_length,
                      shape_.value_dim);
  }
  HeadRows<const float> QueryRows(std::size_t batch, std::size_t head) const {
    return RowsOfHead(problem_.layout, inputs_.query, batch, head, shape_.heads, shape_.query_length,
                      shape_.head_dim);
  }
  // Index of m and l: heads of the group first, queries last.
  std::size_t StateOf(const TileRange& range) const {
    return range.head % group_ * shape_.query_length + range.query_begin;
  }

  // All tiles of a key head, keys outermost so that each tile of K and V is packed once.
  template <class Visit>
  void ForEachTile(std::size_t batch, std::size_t kv_head, Visit visit) {
    const auto key = RowsOfHead(problem_.layout, inputs_.key, batch, kv_head, shape_.kv_heads,
                                shape_.key_length, shape_.head_dim);
    const auto value = RowsOfHead(problem_.layout, inputs_.value, batch, kv_head, shape_.kv_heads,
                                  shape_.key_length, shape_.value_dim);
    for (std::size_t j = 0; j < shape_.key_length; j += tile_size_.keys) {
      const std::size_t keys = std::min(tile_size_.keys, shape_.key_length - j);
      PackTransposed<kPanelColumns>(key.Row(j), key.stride, keys, shape_.head_dim, scratch_.keys);
      PackPanels(value.Row(j), value.stride, keys, shape_.value_dim, scratch_.values);
      packed_keys_ = keys;
      finite_values_ = AllFinite(value.Row(j), value.stride, keys, shape_.value_dim);
      for (std::size_t h = 0; h < group_; ++h) {
        for (std::size_t i = 0; i < shape_.query_length; i += tile_size_.queries) {
          const std::size_t queries = std::min(tile_size_.queries, shape_.query_length - i);
          visit(TileRange{batch, kv_head * group_ + h, i, queries, j, keys});
        }
      }
    }
  }

  // Step 1.
  void Scores(const TileRange& range, double unit, Weights last) {
    const auto query = QueryRows(range.batch, range.head);
    PackTransposed<kBlockRows>(query.Row(range.query_begin), query.stride, range.queries, shape_.head_dim,
                               scratch_.queries);
    const float factor = ScoreFactor(problem_, unit);
    for (std::size_t i = 0; i < range.queries; i += kBlockRows) {
      const ByColumns rows{scratch_.queries + i * shape_.head_dim, kBlockRows};
      // Whole blocks: the tile has room, and what lies beyond the range is not read.
      Multiply<Write::kSet>(kBlockRows, RoundUp(range.keys, kPanelColumns), shape_.head_dim, rows,
                            Panels{scratch_.keys, shape_.head_dim}, factor,
                            scratch_.tile + i * tile_size_.keys, tile_size_.keys);
    }
    ScoreStages(problem_, range, unit, last, scratch_.tile, tile_size_.keys, nullptr);
  }

  void Accumulate(TileRange range) {
    // Keys that no query of the block sees are left out: they are the last ones.
    range.keys = VisibleKeys(problem_, range.query_begin + range.queries - 1, range.key_begin, range.keys);
    if (range.keys == 0) return;
    Scores(range, kLog2E, Weights::kMasked);
    const auto output = OutputRows(range.batch, range.head);
    const std::size_t state = StateOf(range);
    for (std::size_t i = 0; i < range.queries; ++i) {
      const float shrink = UpdateRow(scratch_.tile + i * tile_size_.keys, RoundUp(range.keys, kPanelColumns),
                                     scratch_.maxima[state + i], scratch_.sums[state + i]);
      if (shrink != 1) ScaleRow(output.Row(range.query_begin + i), shape_.value_dim, shrink);
    }
    MultiplyAdd(finite_values_, range.queries, shape_.value_dim, range.keys,
                ByRows{scratch_.tile, tile_size_.keys}, Panels{scratch_.values, packed_keys_}, 1.0f,
                output.Row(range.query_begin), output.stride);
  }

  void Finish(std::size_t batch, std::size_t kv_head, std::size_t h) {
    const std::size_t head = kv_head * group_ + h;
    const auto output = OutputRows(batch, head);
    float* log_sums = outputs_.log_sum_exp + (batch * shape_.heads + head) * shape_.query_length;
    for (std::size_t i = 0; i < shape_.query_length; ++i) {
      const float maximum = scratch_.maxima[h * shape_.query_length + i];
      float& sum = scratch_.sums[h * shape_.query_length + i];
      if (sum == 0) {  // no key to attend to
        log_sums[i] = -kInfinity;
        continue;
      }
      ScaleRow(output.Row(i), shape_.value_dim, 1.0f / sum);
      const double log_sum = static_cast<double>(maximum) * kLn2 + Log(static_cast<double>(sum));
      log_sums[i] = sum != sum ? sum : static_cast<float>(log_sum);
    }
  }

  // The intermediate that was asked for, recomputed: nobody else pays for it.
  void WriteWeights(const TileRange& range) {
    const bool probabilities = outputs_.which_weights == Weights::kProbabilities;
    Scores(range, probabilities ? kLog2E : 1, probabilities ? Weights::kMasked : outputs_.which_weights);
    const std::size_t first_row = (range.batch * shape_.heads + range.head) * shape_.query_length;
    for (std::size_t i = 0; i < range.queries; ++i) {
      const float* row = scratch_.tile + i * tile_size_.keys;
      float* to =
          outputs_.weights + (first_row + range.query_begin + i) * shape_.key_length + range.key_begin;
      const float sum = scratch_.sums[StateOf(range) + i];
      const F32x4 top = Splat(sum == 0 ? 0.0f : scratch_.maxima[StateOf(range) + i]);
      const F32x4 inverse = Splat(sum == 0 ? 0.0f : 1.0f / sum);
      for (std::size_t j = 0; j < range.keys; j += kLanes) {
        F32x4 value = Load(row + j);
        if (probabilities) value = Exp2(value - top, Splat(kSmallestExponent)) * inverse;
        StorePartial(value, to + j, range.keys - j);
      }
    }
  }

  const AttentionProblem& problem_;
  const AttentionShape& shape_;
  const AttentionInputs& inputs_;
  const AttentionOutputs& outputs_;
  ForwardScratch scratch_;
  TileSize tile_size_;
  std::size_t group_;
  std::size_t packed_keys_ = 0;
  bool finite_values_ = true;
};

}  // namespace

std::size_t AttentionForwardScratchFloats(const AttentionProblem& problem) {
  return ForwardScratch(problem, nullptr).floats;
}

void AttentionForward(const AttentionProblem& problem, const AttentionInputs& inputs,
                      const AttentionOutputs& outputs, float* scratch) {
  if (problem.shape.heads == 0 || problem.shape.kv_heads == 0 || problem.shape.query_length == 0) return;
  Forward forward(problem, inputs, outputs, scratch);
  for (std::size_t batch = 0; batch < problem.shape.batch; ++batch) {
    for (std::size_t kv_head = 0; kv_head < problem.shape.kv_heads; ++kv_head)
      forward.RunKeyHead(batch, kv_head);
  }
}

}  // namespace sqrtdk
