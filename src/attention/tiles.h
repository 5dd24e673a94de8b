// What forward and backward share: scratch, where the rows of a head lie, the tiles and their scores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "attention/attention.h"
#include "attention/matrix.h"

namespace sqrtdk {

// Cuts scratch into parts, one after the other; with a null base only their sizes count.
class ScratchCutter {
 public:
  explicit ScratchCutter(float* base) : base_(base) {}

  float* Take(std::uint64_t floats) {
    float* part = base_ == nullptr ? nullptr : base_ + static_cast<std::size_t>(used_);
    used_ += floats;
    return part;
  }
  // Room for objects made of floats and of what is as large, not yet constructed.
  template <class T>
  T* TakeArray(std::uint64_t count) {
    static_assert(sizeof(T) % sizeof(float) == 0 && alignof(T) <= alignof(float));
    return reinterpret_cast<T*>(Take(count * (sizeof(T) / sizeof(float))));
  }
  std::uint64_t used() const { return used_; }

 private:
  float* base_;
  std::uint64_t used_ = 0;
};

// Rows of one head of one batch entry: row i starts at data + i * stride.
template <class Float>
struct HeadRows {
  Float* data;
  std::size_t stride;

  Float* Row(std::size_t i) const { return data + i * stride; }
};

// The head's rows in a [batch, heads, length, dim] array of either layout.
template <class Float>
HeadRows<Float> RowsOfHead(Layout layout, Float* data, std::size_t batch, std::size_t head, std::size_t heads,
                           std::size_t length, std::size_t dim) {
  if (length == 0) return {data, dim};  // an empty array may be null, and null has no neighbours
  if (layout == Layout::kBhld) return {data + (batch * heads + head) * length * dim, dim};
  return {data + (batch * length * heads + head) * dim, heads * dim};
}

// The rows of a head in an array shaped like query or output (like key or value).
template <class Float>
HeadRows<Float> QueryRows(const AttentionProblem& problem, Float* data, std::size_t batch, std::size_t head,
                          std::size_t dim) {
  const AttentionShape& s = problem.shape;
  return RowsOfHead(problem.layout, data, batch, head, s.heads, s.query_length, dim);
}
template <class Float>
HeadRows<Float> KeyRows(const AttentionProblem& problem, Float* data, std::size_t batch, std::size_t kv_head,
                        std::size_t dim) {
  const AttentionShape& s = problem.shape;
  return RowsOfHead(problem.layout, data, batch, kv_head, s.kv_heads, s.key_length, dim);
}

// Query heads that share a key head.
inline std::size_t GroupSize(const AttentionShape& s) { return s.kv_heads == 0 ? 0 : s.heads / s.kv_heads; }

// Tile sizes actually used: not larger than the problem, rows a multiple of 4, columns of 8.
struct TileSize {
  std::size_t queries;
  std::size_t keys;
};
TileSize TileSizeFor(const AttentionProblem& problem);

struct TileRange {
  std::size_t batch;
  std::size_t head;
  std::size_t query_begin;
  std::size_t queries;
  std::size_t key_begin;
  std::size_t keys;
};

// How many of the tile's keys the query may see under the causal rule; they are the first ones.
std::size_t VisibleKeys(const AttentionProblem& problem, std::size_t query, std::size_t key_begin,
                        std::size_t keys);
// The tile without keys that none of its queries sees.
inline TileRange VisiblePart(const AttentionProblem& problem, TileRange range) {
  range.keys = VisibleKeys(problem, range.query_begin + range.queries - 1, range.key_begin, range.keys);
  return range;
}

// All tiles of a key head, keys outermost: what pack(first key, keys) makes of a tile of keys serves all
// queries of all heads that share it.
template <class Pack, class Visit>
void ForEachTile(const AttentionProblem& problem, std::size_t batch, std::size_t kv_head, Pack pack,
                 Visit visit) {
  const AttentionShape& s = problem.shape;
  const TileSize tile = TileSizeFor(problem);
  const std::size_t group = GroupSize(s);
  for (std::size_t j = 0; j < s.key_length; j += tile.keys) {
    const std::size_t keys = std::min(tile.keys, s.key_length - j);
    pack(j, keys);
    for (std::size_t h = 0; h < group; ++h) {
      for (std::size_t i = 0; i < s.query_length; i += tile.queries) {
        visit(TileRange{batch, kv_head * group + h, i, std::min(tile.queries, s.query_length - i), j, keys});
      }
    }
  }
}

// A product of a tile's size, [range.queries][stride] = factor * A B: A in columns of four rows, B in panels.
// It reaches to whole blocks; what lies beyond the range is not to be read.
template <class Arithmetic>
void TileProduct(const TileRange& range, const float* columns, const float* panels, std::size_t depth,
                 float factor, float* tile, std::size_t stride) {
  for (std::size_t i = 0; i < range.queries; i += kBlockRows) {
    Multiply<Write::kSet, Arithmetic>(kBlockRows, RoundUp(range.keys, kPanelColumns), depth,
                                      ByColumns{columns + i * depth, kBlockRows}, Panels{panels, depth},
                                      factor, tile + i * stride, stride);
  }
}

// Makes the scores of one tile after the other.
class ScoreTile {
 public:
  ScoreTile(const AttentionProblem& problem, const AttentionInputs& inputs, ScratchCutter& scratch);

  // Keys first .. first + keys - 1, for the tiles that follow.
  void PackKeys(std::size_t batch, std::size_t kv_head, std::size_t first, std::size_t keys);

  // The scores of `range`, up to and including stage `last` (kRaw, kSoftcap or kMasked), in rows whose
  // columns reach to a multiple of 8; with kMasked those beyond the range are -infinity. Where `slopes` is
  // not null and there is a softcap it receives its derivative, the same shape.
  void Make(const TileRange& range, Weights last, float* slopes = nullptr);

  float* Row(std::size_t i) const { return tile_ + i * stride_; }
  std::size_t stride() const { return stride_; }

 private:
  const AttentionProblem& problem_;
  const AttentionInputs& inputs_;
  std::size_t stride_;
  float* keys_;     // panels of K^T
  float* queries_;  // Q in columns of four
  float* tile_;     // [tile queries][tile keys]
};

}  // namespace sqrtdk
