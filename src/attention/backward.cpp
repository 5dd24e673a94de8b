// Attention, backward. The tiles of P are recomputed, so memory does not grow with their number:
//
//   for a tile of keys:              K and V of the tile packed once
//     for the heads that share it, for a block of queries:
//       1. S = Q K^T, dP = dO V^T    [queries, keys]
//       2. P = exp(S - logSumExp) and dS = P (dP - D), D = dO . O (Dao et al. 2022), row by row
//       3. dV += P^T dO,  dQ += scale dS K,  dK += scale dS^T Q
//
// Two things keep what rows lose in float32 in this form:
//
// - The key t that takes nearly all the weight has dP_t - D = sum_j P_j (dP_t - dP_j), tiny where the others'
//   weights are, with an error of 2^-24 |dO| |V| from the subtraction. The dS of a row sum to 0, so its dS is
//   minus the sum of the others', known after the last tile: step 3 leaves it out and AddTopKeys brings it.
// - A large logSumExp is too coarse for the weights to sum to 1. Such rows get their m and l again, in a pass
//   over the scores before all else, and P = exp(S - m) / l.
//
// Scratch: tiles of P and dP (and of the softcap's slope), K, V, Q and dO packed, a RowState a query.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "attention/attention.h"
#include "attention/matrix.h"
#include "attention/online_softmax.h"
#include "attention/tiles.h"
#include "simd/f32x4.h"
#include "simd/math.h"
#include "simd/math64.h"
#include "softmax/row_loops.h"

namespace sqrtdk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Up to here float32 holds a logSumExp to 2^-17: weights recomputed from it are within 7.6e-6 of their size.
constexpr float kLargestUsableLogSumExp = 256;

// A key with more weight is the top key of its row. More than a half by what rounding could add: two keys of
// half the weight have none.
constexpr float kTopWeight = 0.6f;
constexpr std::uint32_t kNoKey = 0xffffffff;

struct RowState {
  RunningSoftmax weights;  // P = exp(S - maximum) / sum; as good as any: logSumExp and 1
  float mean;              // D
  float others = 0;        // sum of dS over all keys but the top one, before the softcap
  float slope = 1;         // of the softcap at the top key's score
  std::uint32_t top = kNoKey;
};

template <class Arithmetic>
float Dot(const float* a, const float* b, std::size_t n) {
  F32x4 sum = Splat(0.0f);
  for (std::size_t j = 0; j < n; j += kLanes) {
    sum = Arithmetic::MulAdd(LoadPartial(a + j, n - j, 0.0f), LoadPartial(b + j, n - j, 0.0f), sum);
  }
  return SumLanes(sum);
}

template <class Arithmetic>
void AddScaled(const float* from, std::size_t n, float factor, float* to) {
  for (std::size_t j = 0; j < n; j += kLanes) {
    const F32x4 sum = Arithmetic::MulAdd(Splat(factor), LoadPartial(from + j, n - j, 0.0f),
                                         LoadPartial(to + j, n - j, 0.0f));
    StorePartial(sum, to + j, n - j);
  }
}

// A row whose logSumExp is NaN: so are its weights and gradients, but not at keys that it does not see.
void SpreadNaN(float nan, float* s, float* dp, std::size_t columns) {
  for (std::size_t j = 0; j < columns; ++j) s[j] = dp[j] = s[j] == -kInfinity ? 0 : nan;
}

// Step 2 for one row of a tile: s becomes P and dp becomes dS, 0 at the top key; columns is a multiple of 8.
// Returns the column of the top key, `columns` if it is not in this tile.
template <class Arithmetic>
[[gnu::noinline]] std::size_t ScoreGradients(float* s, float* dp, std::size_t columns, RowState& row) {
  const F32x4 reference = Splat(row.weights.Reference()), mean = Splat(row.mean);
  const F32x4 inverse = Splat(row.weights.sum > 0 ? 1.0f / row.weights.sum : 0.0f);
  // Where D is not finite there is nothing to be rescued.
  const F32x4 top_weight = Splat(std::isfinite(row.mean) ? kTopWeight : kInfinity);
  F32x4 others = Splat(0.0f), largest = Splat(0.0f);
  const auto read = [=](std::size_t j, std::size_t) { return Load(s + j); };
  const auto weight = [=](F32x4 x) { return Weight<Arithmetic>(x, reference) * inverse; };
  const auto write = [&](std::size_t j, std::size_t, F32x4 p) {
    Store(p, s + j);
    // At keys without weight dP may be NaN or infinite.
    const F32x4 ds = ZeroWhere((p == Splat(0.0f)) | (p > top_weight), p * (Load(dp + j) - mean));
    Store(ds, dp + j);
    others += ds;
    largest = Max(largest, p);
  };
  TransformVectors(columns, read, weight, write);
  row.others += SumLanes(others);
  if (!(MaxLanes(largest) > top_weight[0])) return columns;
  return static_cast<std::size_t>(std::find_if(s, s + columns, [](float p) { return p > kTopWeight; }) - s);
}

template <class Arithmetic>
class Backward {
 public:
  Backward(const AttentionProblem& problem, const AttentionInputs& inputs, const AttentionSaved& saved,
           const AttentionGradients& gradients, ScratchCutter scratch)
      : problem_(problem),
        shape_(problem.shape),
        inputs_(inputs),
        saved_(saved),
        gradients_(gradients),
        group_(GroupSize(shape_)),
        scores_(problem, inputs, scratch) {
    const TileSize t = TileSizeFor(problem);
    values_transposed_ = scratch.Take(PanelFloats(shape_.value_dim, t.keys));
    keys_ = scratch.Take(PanelFloats(t.keys, shape_.head_dim));
    grad_columns_ = scratch.Take(Product(t.queries, shape_.value_dim));
    queries_ = scratch.Take(PanelFloats(t.queries, shape_.head_dim));
    grads_ = scratch.Take(PanelFloats(t.queries, shape_.value_dim));
    ds_ = scratch.Take(Product(t.queries, t.keys));
    slopes_ = problem.softcap > 0 ? scratch.Take(Product(t.queries, t.keys)) : nullptr;
    rows_ = scratch.TakeArray<RowState>(Product(group_, shape_.query_length));
    scratch_floats_ = scratch.used();
  }

  std::uint64_t ScratchFloats() const { return scratch_floats_; }

  void RunKeyHead(std::size_t batch, std::size_t kv_head) {
    PrepareRows(batch, kv_head);
    const auto pack = [&](std::size_t first, std::size_t keys) { PackKeys(batch, kv_head, first, keys); };
    ForEachTile(problem_, batch, kv_head, pack, [&](const TileRange& range) {
      const TileRange visible = VisiblePart(problem_, range);
      if (visible.keys > 0) RunTile(visible);
    });
    AddTopKeys(batch, kv_head);
  }

 private:
  RowState* StatesOf(const TileRange& range) const {
    return rows_ + range.head % group_ * shape_.query_length + range.query_begin;
  }

  void PrepareRows(std::size_t batch, std::size_t kv_head) {
    bool all_usable = true;
    for (std::size_t h = 0; h < group_; ++h) {
      const std::size_t head = kv_head * group_ + h;
      const auto output = QueryRows(problem_, saved_.output, batch, head, shape_.value_dim);
      const auto grad = QueryRows(problem_, saved_.grad_output, batch, head, shape_.value_dim);
      const float* log_sums = saved_.log_sum_exp + (batch * shape_.heads + head) * shape_.query_length;
      for (std::size_t i = 0; i < shape_.query_length; ++i) {
        const bool usable = !IsCoarse(log_sums[i]);
        all_usable = all_usable && usable;
        RowState row{usable ? RunningSoftmax{log_sums[i], 1} : RunningSoftmax{},
                     Dot<Arithmetic>(grad.Row(i), output.Row(i), shape_.value_dim)};
        std::construct_at(rows_ + h * shape_.query_length + i, row);
      }
    }
    if (!all_usable) SumAgain(batch, kv_head);
  }

  static bool IsCoarse(float log_sum_exp) {
    return std::isfinite(log_sum_exp) && std::fabs(log_sum_exp) > kLargestUsableLogSumExp;
  }

  // m and l of the rows whose logSumExp is too coarse.
  void SumAgain(std::size_t batch, std::size_t kv_head) {
    const auto pack = [&](std::size_t first, std::size_t keys) {
      scores_.PackKeys(batch, kv_head, first, keys);
    };
    ForEachTile(problem_, batch, kv_head, pack, [&](const TileRange& range) {
      const std::size_t first_row = (batch * shape_.heads + range.head) * shape_.query_length;
      const float* log_sums = saved_.log_sum_exp + first_row + range.query_begin;
      const TileRange visible = VisiblePart(problem_, range);
      if (visible.keys == 0 || std::none_of(log_sums, log_sums + range.queries, IsCoarse)) return;
      scores_.Make(visible, Weights::kMasked);
      for (std::size_t i = 0; i < range.queries; ++i) {
        if (IsCoarse(log_sums[i]))
          UpdateSoftmax<Arithmetic>(scores_.Row(i), RoundUp(visible.keys, kPanelColumns),
                                    StatesOf(range)[i].weights);
      }
    });
  }

  void PackKeys(std::size_t batch, std::size_t kv_head, std::size_t first, std::size_t keys) {
    scores_.PackKeys(batch, kv_head, first, keys);
    const auto key = KeyRows(problem_, inputs_.key, batch, kv_head, shape_.head_dim);
    const auto value = KeyRows(problem_, inputs_.value, batch, kv_head, shape_.value_dim);
    PackTransposed<kPanelColumns>(value.Row(first), value.stride, keys, shape_.value_dim, 1.0f,
                                  values_transposed_);
    PackPanels(key.Row(first), key.stride, keys, shape_.head_dim, keys_);
    packed_keys_ = keys;
    finite_keys_ = AllFinite(key.Row(first), key.stride, keys, shape_.head_dim);
  }

  void PackQueries(const TileRange& range) {
    const auto query = QueryRows(problem_, inputs_.query, range.batch, range.head, shape_.head_dim);
    const auto grad = QueryRows(problem_, saved_.grad_output, range.batch, range.head, shape_.value_dim);
    const float* q = query.Row(range.query_begin);
    const float* g = grad.Row(range.query_begin);
    PackTransposed<kBlockRows>(g, grad.stride, range.queries, shape_.value_dim, 1.0f, grad_columns_);
    PackPanels(q, query.stride, range.queries, shape_.head_dim, queries_);
    PackPanels(g, grad.stride, range.queries, shape_.value_dim, grads_);
    finite_queries_ = AllFinite(q, query.stride, range.queries, shape_.head_dim);
    finite_grads_ = AllFinite(g, grad.stride, range.queries, shape_.value_dim);
  }

  void RunTile(const TileRange& range) {
    PackQueries(range);
    scores_.Make(range, Weights::kMasked, slopes_);
    TileProduct<Arithmetic>(range, grad_columns_, values_transposed_, shape_.value_dim, 1.0f, ds_,
                            scores_.stride());
    for (std::size_t i = 0; i < range.queries; ++i) RunRow(range, i);
    AddProducts(range);
  }

  // Step 2 for query i of the tile.
  void RunRow(const TileRange& range, std::size_t i) {
    const std::size_t columns = RoundUp(range.keys, kPanelColumns);
    float* p = scores_.Row(i);
    float* ds = ds_ + i * scores_.stride();
    RowState& row = StatesOf(range)[i];
    if (std::isnan(row.weights.maximum)) return SpreadNaN(row.weights.maximum, p, ds, columns);
    const std::size_t top = ScoreGradients<Arithmetic>(p, ds, columns, row);
    if (top < columns) row.top = static_cast<std::uint32_t>(range.key_begin + top);
    if (slopes_ == nullptr) return;
    const float* slope = slopes_ + i * scores_.stride();
    if (top < columns) row.slope = slope[top];
    for (std::size_t j = 0; j < range.keys; j += kLanes) {
      Store(ZeroWhere(Load(p + j) == Splat(0.0f), Load(ds + j) * Load(slope + j)), ds + j);
    }
  }

  // Step 3.
  void AddProducts(const TileRange& range) {
    const std::size_t stride = scores_.stride(), kv_head = range.head / group_;
    const float scale = ToFiniteFloat(problem_.scale);
    const auto dq = QueryRows(problem_, gradients_.grad_query, range.batch, range.head, shape_.head_dim);
    const auto dk = KeyRows(problem_, gradients_.grad_key, range.batch, kv_head, shape_.head_dim);
    const auto dv = KeyRows(problem_, gradients_.grad_value, range.batch, kv_head, shape_.value_dim);
    MultiplyAdd<Arithmetic>(finite_grads_, range.keys, shape_.value_dim, range.queries,
                            ByColumns{scores_.Row(0), stride}, Panels{grads_, range.queries}, 1.0f,
                            dv.Row(range.key_begin), dv.stride);
    MultiplyAdd<Arithmetic>(finite_keys_, range.queries, shape_.head_dim, range.keys, ByRows{ds_, stride},
                            Panels{keys_, packed_keys_}, scale, dq.Row(range.query_begin), dq.stride);
    MultiplyAdd<Arithmetic>(finite_queries_, range.keys, shape_.head_dim, range.queries,
                            ByColumns{ds_, stride}, Panels{queries_, range.queries}, scale,
                            dk.Row(range.key_begin), dk.stride);
  }

  // What step 3 left out.
  void AddTopKeys(std::size_t batch, std::size_t kv_head) {
    const float scale = ToFiniteFloat(problem_.scale);
    const auto key = KeyRows(problem_, inputs_.key, batch, kv_head, shape_.head_dim);
    const auto dk = KeyRows(problem_, gradients_.grad_key, batch, kv_head, shape_.head_dim);
    for (std::size_t h = 0; h < group_; ++h) {
      const std::size_t head = kv_head * group_ + h;
      const auto query = QueryRows(problem_, inputs_.query, batch, head, shape_.head_dim);
      const auto dq = QueryRows(problem_, gradients_.grad_query, batch, head, shape_.head_dim);
      for (std::size_t i = 0; i < shape_.query_length; ++i) {
        const RowState& row = rows_[h * shape_.query_length + i];
        if (row.top == kNoKey) continue;
        const float factor = -row.others * row.slope * scale;
        AddScaled<Arithmetic>(key.Row(row.top), shape_.head_dim, factor, dq.Row(i));
        AddScaled<Arithmetic>(query.Row(i), shape_.head_dim, factor, dk.Row(row.top));
      }
    }
  }

  const AttentionProblem& problem_;
  const AttentionShape& shape_;
  const AttentionInputs& inputs_;
  const AttentionSaved& saved_;
  const AttentionGradients& gradients_;
  std::size_t group_;
  ScoreTile scores_;          // S, then P
  float* values_transposed_;  // panels of V^T, for dP
  float* keys_;               // panels of K, for dQ
  float* grad_columns_;       // dO in columns of four, for dP
  float* queries_;            // panels of Q, for dK
  float* grads_;              // panels of dO, for dV
  float* ds_;                 // dP, then dS
  float* slopes_;             // 1 - tanh(S / softcap)^2
  RowState* rows_;            // [heads that share a key head][queries]
  std::uint64_t scratch_floats_;
  std::size_t packed_keys_ = 0;
  bool finite_keys_ = true, finite_queries_ = true, finite_grads_ = true;
};

template <class Arithmetic>
void RunBackward(const AttentionProblem& problem, const AttentionInputs& inputs, const AttentionSaved& saved,
                 const AttentionGradients& gradients, float* scratch) {
  const AttentionShape& s = problem.shape;
  Backward<Arithmetic> backward(problem, inputs, saved, gradients, ScratchCutter(scratch));
  for (std::size_t batch = 0; batch < s.batch; ++batch) {
    for (std::size_t kv_head = 0; kv_head < s.kv_heads; ++kv_head) backward.RunKeyHead(batch, kv_head);
  }
}

}  // namespace

std::uint64_t AttentionBackwardScratchFloats(const AttentionProblem& problem) {
  return Backward<Fused>(problem, {}, {}, {}, ScratchCutter(nullptr)).ScratchFloats();
}

void AttentionBackward(const AttentionProblem& problem, const AttentionInputs& inputs,
                       const AttentionSaved& saved, const AttentionGradients& gradients, float* scratch) {
  const AttentionShape& s = problem.shape;
  std::fill_n(gradients.grad_query, s.batch * s.heads * s.query_length * s.head_dim, 0.0f);
  std::fill_n(gradients.grad_key, s.batch * s.kv_heads * s.key_length * s.head_dim, 0.0f);
  std::fill_n(gradients.grad_value, s.batch * s.kv_heads * s.key_length * s.value_dim, 0.0f);
  if (s.heads == 0 || s.kv_heads == 0 || s.query_length == 0 || s.key_length == 0) return;
  const auto run = problem.same_bits ? RunBackward<Exact> : RunBackward<Fused>;
  run(problem, inputs, saved, gradients, scratch);
}

}  // namespace sqrtdk
