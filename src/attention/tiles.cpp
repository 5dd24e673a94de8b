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

template <class T>
const T* RowOf(const BroadcastView<T>& view, const TileRange& range, std::size_t query) {
  return view.data + range.batch * view.batch_stride + range.head * view.head_stride +
         (range.query_begin + query) * view.query_stride + range.key_begin * view.key_stride;
}

void ApplySoftcap(const TileRange& range, float cap, float* tile, std::size_t stride, float* tanh_tile) {
  for (std::size_t i = 0; i < range.queries; ++i) {
    for (std::size_t j = 0; j < range.keys; j += kLanes) {
      const F32x4 t = Tanh(Load(tile + i * stride + j));
      if (tanh_tile != nullptr) Store(t, tanh_tile + i * stride + j);
      Store(t * Splat(cap), tile + i * stride + j);
    }
  }
}

// A bias of -infinity masks: added to a NaN or +infinity score it would be NaN. A finite one stays finite,
// for the lowest float is a common way to write a mask; beyond 2.3e38 it counts as 2.3e38.
void AddBias(const float* bias, std::size_t key_stride, std::size_t keys, float unit, float* row) {
  for (std::size_t j = 0; j < keys; ++j) {
    const float b = bias[j * key_stride];
    const float scaled =
        std::isfinite(b) ? ToFiniteFloat(static_cast<double>(unit) * static_cast<double>(b)) : b;
    row[j] = b == -kInfinity ? -kInfinity : row[j] + scaled;
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

float ScoreFactor(const AttentionProblem& problem, double unit) {
  return ToFiniteFloat(problem.softcap > 0 ? problem.scale / problem.softcap : problem.scale * unit);
}

void ScoreStages(const AttentionProblem& problem, const TileRange& range, double unit, Weights last,
                 float* tile, std::size_t stride, float* tanh_tile) {
  if (problem.softcap > 0) {
    // The raw scores are wanted before the softcap but were divided by it.
    if (last == Weights::kRaw) {
      const F32x4 cap = Splat(ToFiniteFloat(problem.softcap * unit));
      for (std::size_t i = 0; i < range.queries; ++i) {
        for (std::size_t j = 0; j < range.keys; j += kLanes) {
          Store(Load(tile + i * stride + j) * cap, tile + i * stride + j);
        }
      }
    } else {
      ApplySoftcap(range, ToFiniteFloat(problem.softcap * unit), tile, stride, tanh_tile);
    }
  }
  if (last != Weights::kMasked) return;
  for (std::size_t i = 0; i < range.queries; ++i) {
    float* row = tile + i * stride;
    if (problem.bias.data != nullptr) {
      AddBias(RowOf(problem.bias, range, i), problem.bias.key_stride, range.keys, static_cast<float>(unit),
              row);
    }
    if (problem.mask.data != nullptr) {
      ApplyMask(RowOf(problem.mask, range, i), problem.mask.key_stride, range.keys, row);
    }
    const std::size_t visible = VisibleKeys(problem, range.query_begin + i, range.key_begin, range.keys);
    std::fill(row + visible, row + RoundUp(range.keys, kPanelColumns), -kInfinity);
  }
}

}  // namespace sqrtdk
