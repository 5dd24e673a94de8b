// What forward and backward share: where the rows of a head lie, and the scores of one tile of queries and
// keys.
#pragma once

#include <cstddef>

#include "attention/attention.h"

namespace sqrtdk {

// log2(e). Inside tiles scores are in units of ln 2, so that weights are powers of two: cheaper than powers
// of e.
inline constexpr double kLog2E = 1.4426950408889634;
inline constexpr double kLn2 = 0.6931471805599453;

// The smallest weight kept, relative to the largest: 2^-100. Products of a weight and a value stay normal
// numbers.
inline constexpr float kSmallestExponent = -100;

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

// The factor of Q K^T that ScoreStages expects: scale in the given unit, or over the softcap if there is one.
float ScoreFactor(const AttentionProblem& problem, double unit);

// Turns a tile of factor * Q K^T into scores times `unit`, up to and including stage `last` (kRaw, kSoftcap
// or kMasked). Shape: [range.queries][stride], of which RoundUp(range.keys, 8) columns; columns beyond
// range.keys become -infinity with kMasked. Where `tanh_tile` is not null it receives tanh(score / softcap),
// the same shape.
void ScoreStages(const AttentionProblem& problem, const TileRange& range, double unit, Weights last,
                 float* tile, std::size_t stride, float* tanh_tile);

}  // namespace sqrtdk
