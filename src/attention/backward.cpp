// Attention, backward. The tiles of P are recomputed, so memory does not grow with their number:
//
//   for a tile of keys:              K and V of the tile packed once
//     for the heads that share it, for a block of queries:
//       1. S = Q K^T, dP = dO V^T    [queries, keys]
//       2. P and dS = P (dP - D)     row by row
//       3. dV += P^T dO,  dQ += scale dS K,  dK += scale dS^T Q
//
// Step 2 has two forms. Where one tile holds all keys, P is the softmax of the tile's row and dS its
// vector-Jacobian product, both as in softmax/: saturated rows keep their small gradients. With more tiles P
// = exp(S - logSumExp) and D = dO . O (Dao et al. 2022), whose errors are 2^-24 of |dO| |V| however small dS
// is.
//
// Scratch: tiles of P and dP (and of tanh with a softcap), K, V, Q and dO packed.
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
struct BackwardScratch {
  float* keys_transposed;    // panels of K^T, for S
  float* values_transposed;  // panels of V^T, for dP
  float* keys;               // panels of K, for dQ
  float* query_columns;      // Q in columns of four, for S
  float* grad_columns;       // dO in columns of four, for dP
  float* queries;            // panels of Q, for dK
  float* grads;              // panels of dO, for dV
  float* p;                  // [tile queries][tile keys]: S, then P
  float* ds;                 // dP, then dS
  float* tanh;               // tanh(S / softcap)
  std::size_t floats;

  BackwardScratch(const AttentionProblem& problem, float* base) {
    const AttentionShape& s = problem.shape;
    const TileSize t = TileSizeFor(problem);
    std::size_t used = 0;
    const auto take = [&](std::size_t count) {
      float* part = base == nullptr ? nullptr : base + used;
      used += count;
      return part;
    };
    keys_transposed = take(PanelFloats(s.head_dim, t.keys));
    values_transposed = take(PanelFloats(s.value_dim, t.keys));
    keys = take(PanelFloats(t.keys, s.head_dim));
    query_columns = take(t.queries * s.head_dim);
    grad_columns = take(t.queries * s.value_dim);
    queries = take(PanelFloats(t.queries, s.head_dim));
    grads = take(PanelFloats(t.queries, s.value_dim));
    p = take(t.queries * t.keys);
    ds = take(t.queries * t.keys);
    tanh = problem.softcap > 0 ? take(t.queries * t.keys) : nullptr;
    floats = used;
  }
};

float Dot(const float* a, const float* b, std::size_t n) {
  F32x4 sum = Splat(0.0f);
  for (std::size_t j = 0; j < n; j += kLanes) {
    sum = MulAdd(LoadPartial(a + j, n - j, 0.0f), LoadPartial(b + j, n - j, 0.0f), sum);
  }
  return SumLanes(sum);
}

// A NaN in a row of P or dS must not reach keys that the row does not see: there P is 0, and so stays dS.
void KeepZeros(const float* p, float* ds, std::size_t columns) {
  for (std::size_t j = 0; j < columns; ++j) ds[j] = p[j] == 0 ? 0 : ds[j];
}

// dS = P ((dP - shift) - mean)
void WriteScoreGradients(const float* p, float* dp, std::size_t columns, float shift, float mean) {
  const F32x4 c = Splat(shift), d = Splat(mean);
  for (std::size_t j = 0; j < columns; j += kLanes) Store(Load(p + j) * ((Load(dp + j) - c) - d), dp + j);
  if (mean - mean != 0) KeepZeros(p, dp, columns);
}

// Step 2 where the row holds all keys: s becomes P and dp becomes dS; columns is a multiple of 8.
[[gnu::noinline]] void WholeRow(float* s, float* dp, std::size_t columns) {
  const auto read = [=](std::size_t j, std::size_t) { return Load(s + j); };
  const auto write = [=](std::size_t j, std::size_t, F32x4 p) { Store(p, s + j); };
  const auto larger = [=](F32x4 most, std::size_t j, std::size_t) { return Max(most, Load(s + j)); };
  const auto merge_max = [](F32x4 a, F32x4 b) { return Max(a, b); };
  const float largest = MaxLanes(ReduceVectors(0, columns, Splat(-kInfinity), larger, merge_max));
  const F32x4 top = Splat(largest == -kInfinity ? 0.0f : largest), flush_below = Splat(kSmallestExponent);
  const auto power = [=](F32x4 x) { return Exp2(x - top, flush_below); };
  const auto sum = static_cast<float>(TransformVectors(columns, read, power, write));
  // In a NaN row a zero times 1 / sum would be NaN too.
  if (sum != sum) {
    for (std::size_t j = 0; j < columns; ++j) s[j] = s[j] == 0 ? 0 : sum;
  }
  const F32x4 inverse = Splat(sum > 0 ? 1.0f / sum : 1.0f);

  // dP of the key that holds more than half of the weight, if one does: see SoftmaxBackward.
  F32x4 of_top_key = Splat(0.0f);
  for (std::size_t j = 0; j < columns; j += kLanes) {
    const F32x4 p = Load(s + j) * inverse;
    Store(p, s + j);
    of_top_key += ZeroWhere(p <= Splat(0.5f), Load(dp + j));
  }
  const float shift = SumLanes(of_top_key);
  const auto add = [=](F32x4 dot, std::size_t j, std::size_t) {
    return MulAdd(Load(s + j), Load(dp + j) - Splat(shift), dot);
  };
  const auto merge_sum = [](F32x4 a, F32x4 b) { return a + b; };
  const float mean = SumLanes(ReduceVectors(0, columns, Splat(0.0f), add, merge_sum));
  WriteScoreGradients(s, dp, columns, shift, mean);
}

// Step 2 for a part of a row, from its log-sum-exp and D = dO . O.
[[gnu::noinline]] void PartOfRow(float* s, float* dp, std::size_t columns, float log_sum_exp, float mean) {
  if (log_sum_exp != log_sum_exp) {
    for (std::size_t j = 0; j < columns; ++j) s[j] = s[j] == -kInfinity ? 0 : log_sum_exp;
  } else {
    // A row that sees no key: any finite reference makes its weights 0, where -infinity would make them NaN.
    const double reference = log_sum_exp == -kInfinity ? 0.0 : static_cast<double>(log_sum_exp) * kLog2E;
    const F32x4 top = Splat(ToFiniteFloat(reference)), flush_below = Splat(kSmallestExponent);
    for (std::size_t j = 0; j < columns; j += kLanes) Store(Exp2(Load(s + j) - top, flush_below), s + j);
  }
  WriteScoreGradients(s, dp, columns, 0.0f, mean);
}

class Backward {
 public:
  Backward(const AttentionProblem& problem, const AttentionInputs& inputs, const AttentionSaved& saved,
           const AttentionGradients& gradients, float* scratch)
      : problem_(problem),
        shape_(problem.shape),
        inputs_(inputs),
        saved_(saved),
        gradients_(gradients),
        scratch_(problem, scratch),
        tile_size_(TileSizeFor(problem)),
        group_(shape_.heads / shape_.kv_heads) {}

  void RunKeyHead(std::size_t batch, std::size_t kv_head) {
    for (std::size_t j = 0; j < shape_.key_length; j += tile_size_.keys) {
      PackKeys(batch, kv_head, j, std::min(tile_size_.keys, shape_.key_length - j));
      for (std::size_t h = 0; h < group_; ++h) {
        for (std::size_t i = 0; i < shape_.query_length; i += tile_size_.queries) {
          const std::size_t queries = std::min(tile_size_.queries, shape_.query_length - i);
          // Keys that no query of the block sees are left out: they are the last ones.
          const std::size_t keys = VisibleKeys(problem_, i + queries - 1, j, packed_keys_);
          if (keys > 0) RunTile({batch, kv_head * group_ + h, i, queries, j, keys});
        }
      }
    }
  }

 private:
  template <class Float>
  HeadRows<Float> QueryRows(Float* data, const TileRange& range, std::size_t dim) const {
    return RowsOfHead(problem_.layout, data, range.batch, range.head, shape_.heads, shape_.query_length, dim);
  }
  template <class Float>
  HeadRows<Float> KeyRows(Float* data, std::size_t batch, std::size_t kv_head, std::size_t dim) const {
    return RowsOfHead(problem_.layout, data, batch, kv_head, shape_.kv_heads, shape_.key_length, dim);
  }

  void PackKeys(std::size_t batch, std::size_t kv_head, std::size_t begin, std::size_t keys) {
    const auto key = KeyRows(inputs_.key, batch, kv_head, shape_.head_dim);
    const auto value = KeyRows(inputs_.value, batch, kv_head, shape_.value_dim);
    PackTransposed<kPanelColumns>(key.Row(begin), key.stride, keys, shape_.head_dim,
                                  scratch_.keys_transposed);
    PackTransposed<kPanelColumns>(value.Row(begin), value.stride, keys, shape_.value_dim,
                                  scratch_.values_transposed);
    PackPanels(key.Row(begin), key.stride, keys, shape_.head_dim, scratch_.keys);
    packed_keys_ = keys;
    finite_keys_ = AllFinite(key.Row(begin), key.stride, keys, shape_.head_dim);
    finite_values_ = AllFinite(value.Row(begin), value.stride, keys, shape_.value_dim);
  }

  void PackQueries(const TileRange& range) {
    const auto query = QueryRows(inputs_.query, range, shape_.head_dim);
    const auto grad = QueryRows(saved_.grad_output, range, shape_.value_dim);
    const float* q = query.Row(range.query_begin);
    const float* g = grad.Row(range.query_begin);
    PackTransposed<kBlockRows>(q, query.stride, range.queries, shape_.head_dim, scratch_.query_columns);
    PackTransposed<kBlockRows>(g, grad.stride, range.queries, shape_.value_dim, scratch_.grad_columns);
    PackPanels(q, query.stride, range.queries, shape_.head_dim, scratch_.queries);
    PackPanels(g, grad.stride, range.queries, shape_.value_dim, scratch_.grads);
    finite_queries_ = AllFinite(q, query.stride, range.queries, shape_.head_dim);
    finite_grads_ = AllFinite(g, grad.stride, range.queries, shape_.value_dim);
  }

  // Step 1 for one of the two products: tile = factor * (rows packed in columns of four) * panels.
  void TileProduct(const TileRange& range, const float* columns, const float* panels, std::size_t depth,
                   float factor, float* tile) {
    for (std::size_t i = 0; i < range.queries; i += kBlockRows) {
      // Whole blocks: the tile has room, and what lies beyond the range is not read.
      Multiply<Write::kSet>(kBlockRows, RoundUp(range.keys, kPanelColumns), depth,
                            ByColumns{columns + i * depth, kBlockRows}, Panels{panels, depth}, factor,
                            tile + i * tile_size_.keys, tile_size_.keys);
    }
  }

  void RunTile(const TileRange& range) {
    const std::size_t stride = tile_size_.keys, columns = RoundUp(range.keys, kPanelColumns);
    PackQueries(range);
    TileProduct(range, scratch_.query_columns, scratch_.keys_transposed, shape_.head_dim,
                ScoreFactor(problem_, kLog2E), scratch_.p);
    ScoreStages(problem_, range, kLog2E, Weights::kMasked, scratch_.p, stride, scratch_.tanh);
    TileProduct(range, scratch_.grad_columns, scratch_.values_transposed, shape_.value_dim, 1.0f,
                scratch_.ds);
    for (std::size_t i = 0; i < range.queries; ++i) {
      ScoreGradients(range, i, scratch_.p + i * stride, scratch_.ds + i * stride, columns);
    }
    AddProducts(range);
  }

  // Step 2 for query i of the tile.
  void ScoreGradients(const TileRange& range, std::size_t i, float* s, float* dp, std::size_t columns) {
    if (!finite_values_ || !finite_grads_) {
      for (std::size_t j = 0; j < columns; ++j) dp[j] = s[j] == -kInfinity ? 0 : dp[j];
    }
    if (shape_.key_length <= tile_size_.keys) {
      WholeRow(s, dp, columns);
    } else {
      const std::size_t query = range.query_begin + i;
      const std::size_t row = (range.batch * shape_.heads + range.head) * shape_.query_length + query;
      const float mean = Dot(QueryRows(saved_.grad_output, range, shape_.value_dim).Row(query),
                             QueryRows(saved_.output, range, shape_.value_dim).Row(query), shape_.value_dim);
      PartOfRow(s, dp, columns, saved_.log_sum_exp[row], mean);
    }
    if (problem_.softcap > 0) {
      const float* tanh = scratch_.tanh + i * tile_size_.keys;
      for (std::size_t j = 0; j < range.keys; j += kLanes) {
        const F32x4 t = Load(tanh + j);
        Store(Load(dp + j) * (Splat(1.0f) - t * t), dp + j);
      }
      if (!finite_keys_ || !finite_queries_) KeepZeros(s, dp, range.keys);
    }
  }

  // Step 3.
  void AddProducts(const TileRange& range) {
    const std::size_t stride = tile_size_.keys, kv_head = range.head / group_;
    const float scale = ToFiniteFloat(problem_.scale);
    const auto dq = QueryRows(gradients_.grad_query, range, shape_.head_dim);
    const auto dk = KeyRows(gradients_.grad_key, range.batch, kv_head, shape_.head_dim);
    const auto dv = KeyRows(gradients_.grad_value, range.batch, kv_head, shape_.value_dim);
    MultiplyAdd(finite_grads_, range.keys, shape_.value_dim, range.queries, ByColumns{scratch_.p, stride},
                Panels{scratch_.grads, range.queries}, 1.0f, dv.Row(range.key_begin), dv.stride);
    MultiplyAdd(finite_keys_, range.queries, shape_.head_dim, range.keys, ByRows{scratch_.ds, stride},
                Panels{scratch_.keys, packed_keys_}, scale, dq.Row(range.query_begin), dq.stride);
    MultiplyAdd(finite_queries_, range.keys, shape_.head_dim, range.queries, ByColumns{scratch_.ds, stride},
                Panels{scratch_.queries, range.queries}, scale, dk.Row(range.key_begin), dk.stride);
  }

  const AttentionProblem& problem_;
  const AttentionShape& shape_;
  const AttentionInputs& inputs_;
  const AttentionSaved& saved_;
  const AttentionGradients& gradients_;
  BackwardScratch scratch_;
  TileSize tile_size_;
  std::size_t group_;
  std::size_t packed_keys_ = 0;
  bool finite_keys_ = true, finite_values_ = true, finite_queries_ = true, finite_grads_ = true;
};

}  // namespace

std::size_t AttentionBackwardScratchFloats(const AttentionProblem& problem) {
  return BackwardScratch(problem, nullptr).floats;
}

void AttentionBackward(const AttentionProblem& problem, const AttentionInputs& inputs,
                       const AttentionSaved& saved, const AttentionGradients& gradients, float* scratch) {
  const AttentionShape& s = problem.shape;
  std::fill_n(gradients.grad_query, s.batch * s.heads * s.query_length * s.head_dim, 0.0f);
  std::fill_n(gradients.grad_key, s.batch * s.kv_heads * s.key_length * s.head_dim, 0.0f);
  std::fill_n(gradients.grad_value, s.batch * s.kv_heads * s.key_length * s.value_dim, 0.0f);
  if (s.heads == 0 || s.kv_heads == 0 || s.query_length == 0 || s.key_length == 0) return;
  Backward backward(problem, inputs, saved, gradients, scratch);
  for (std::size_t batch = 0; batch < s.batch; ++batch) {
    for (std::size_t kv_head = 0; kv_head < s.kv_heads; ++kv_head) backward.RunKeyHead(batch, kv_head);
  }
}

}  // namespace sqrtdk
