#include "attention/tiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/matrix.h"
#include "simd/f32x4.h"
#include "simd/math.h"
#include "simd/math64.h"

namespace sqrtdk {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// factor = power * rest, with a power of two for factors below 1: queries times the power are exact, and a
// score that float32 holds does not overflow before it is scaled.
struct SplitFactor {
  float power = 1;
  float rest;

  explicit SplitFactor(double factor) : rest(ToFiniteFloat(factor)) {
    if (rest == 0 || std::fabs(rest) >= 1) return;
    const int exponent = std::max(std::ilogb(rest), -126);
    power = std::ldexp(1.0f, exponent);
    rest = std::ldexp(rest, -exponent);
  }
};

template <class T>
const T* RowOf(const BroadcastView<T>& view, const TileRange& range, std::size_t query) {
  return view.data + range.batch * view.batch_stride + range.head * view.head_stride +
         (range.query_begin + query) * view.query_stride + range.key_begin * view.key_stride;
}

// Also its derivative, where `slopes` is not null.
template <class Arithmetic>
void ApplySoftcap(const TileRange& range, double softcap, float* tile, std::size_t stride, float* slopes) {
  const F32x4 cap = Splat(ToFiniteFloat(softcap));
  for (std::size_t i = 0; i < range.queries; ++i) {
    for (std::size_t j = 0; j < range.keys; j += kLanes) {
      const auto [tanh, slope] = TanhWithSlope<Arithmetic>(Load(tile + i * stride + j));
      if (slopes != nullptr) Store(slope, slopes + i * stride + j);
      Store(tanh * cap, tile + i * stride + j);
    }
  }
}

// A bias of -infinity masks: added to a NaN or +infinity score it would be NaN. The sum of two finite numbers
// stays finite, for the lowest float is a common way to write a mask.
void AddBias(const float* bias, std::size_t key_stride, std::size_t keys, float* row) {
  for (std::size_t j = 0; j < keys; ++j) {
    const float b = bias[j * key_stride];
    const bool finite = std::isfinite(b) && std::isfinite(row[j]);
    const float sum =
        finite ? ToFiniteFloat(static_cast<double>(row[j]) + static_cast<double>(b)) : row[j] + b;
    row[j] = b == -kInfinity ? -kInfinity : sum;
  }
}

void ApplyMask(const std::uint8_t* mask, std::size_t key_stride, std::size_t keys, float* row) {
  std::size_t j = 0;
  if (key_stride == 1) {
    for (; j + kLanes <= keys; j += kLanes) {
      Store(Select(AsSigned(Load(mask + j)) > Splat(0), Load(row + j), Splat(-kInfinity)), row + j);
    }
  }
  for (; j < keys; ++j) {
    if (mask[j * key_stride] == 0) row[j] = -kInfinity;
  }
}

}  // namespace

TileSize TileSizeFor(const AttentionProblem& problem) {
  const std::size_t queries =
      std::min(std::max<std::size_t>(problem.tile.queries, 1), problem.shape.query_length);
  const std::size_t keys = std::min(std::max<std::size_t>(problem.tile.keys, 1), problem.shape.key_length);
  return {RoundUp(queries, kBlockRows), RoundUp(keys, kPanelColumns)};
}

std::size_t VisibleKeys(const AttentionProblem& problem, std::size_t query, std::size_t key_begin,
                        std::size_t keys) {
  if (!problem.causal) return keys;
  // The two early returns also keep the sum below from overflowing.
  const auto to_signed = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  if (problem.causal_offset >= to_signed(problem.shape.key_length)) return keys;
  if (problem.causal_offset <= -to_signed(problem.shape.query_length)) return 0;
  const std::int64_t visible = to_signed(query) + problem.causal_offset + 1 - to_signed(key_begin);
  return static_cast<std::size_t>(std::clamp(visible, std::int64_t{0}, to_signed(keys)));
}

ScoreTile::ScoreTile(const AttentionProblem& problem, const AttentionInputs& inputs, ScratchCutter& scratch)
    : problem_(problem), inputs_(inputs), stride_(TileSizeFor(problem).keys) {
  const std::size_t queries = TileSizeFor(problem).queries, head_dim = problem.shape.head_dim;
  keys_ = scratch.Take(PanelFloats(head_dim, stride_));
  queries_ = scratch.Take(Product(queries, head_dim));
  tile_ = scratch.Take(Product(queries, stride_));
}

void ScoreTile::PackKeys(std::size_t batch, std::size_t kv_head, std::size_t first, std::size_t keys) {
  const std::size_t head_dim = problem_.shape.head_dim;
  const auto key = KeyRows(problem_, inputs_.key, batch, kv_head, head_dim);
  PackTransposed<kPanelColumns>(key.Row(first), key.stride, keys, head_dim, 1.0f, keys_);
}

void ScoreTile::Make(const TileRange& range, Weights last, float* slopes) {
  const std::size_t head_dim = problem_.shape.head_dim;
  const auto query = QueryRows(problem_, inputs_.query, range.batch, range.head, head_dim);
  const bool capped = problem_.softcap > 0 && last != Weights::kRaw;
  const SplitFactor factor(capped ? problem_.scale / problem_.softcap : problem_.scale);
  PackTransposed<kBlockRows>(query.Row(range.query_begin), query.stride, range.queries, head_dim,
                             factor.power, queries_);
  const auto product = problem_.same_bits ? TileProduct<Exact> : TileProduct<Fused>;
  product(range, queries_, keys_, head_dim, factor.rest, tile_, stride_);
  const auto cap = problem_.same_bits ? ApplySoftcap<Exact> : ApplySoftcap<Fused>;
  if (capped) cap(range, problem_.softcap, tile_, stride_, slopes);
  if (last != Weights::kMasked) return;
  for (std::size_t i = 0; i < range.queries; ++i) {
    if (problem_.bias.data != nullptr)
      AddBias(RowOf(problem_.bias, range, i), problem_.bias.key_stride, range.keys, Row(i));
    if (problem_.mask.data != nullptr)
      ApplyMask(RowOf(problem_.mask, range, i), problem_.mask.key_stride, range.keys, Row(i));
    const std::size_t visible = VisibleKeys(problem_, range.query_begin + i, range.key_begin, range.keys);
    std::fill(Row(i) + visible, Row(i) + RoundUp(range.keys, kPanelColumns), -kInfinity);
  }
}

}  // namespace sqrtdk
