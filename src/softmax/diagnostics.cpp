// Diagnostics of one softmax row of n scores, all in double. No weight is stored (but for the spectral norm):
// every quantity follows from power sums over the keys other than the top one, the key of the largest
// product. With
//
//   x_j = scale * (score_j - top score) <= 0,  u = the largest x_j of the others,  w = e^u,
//   f_j = e^(x_j - u) <= 1,  B_m = sum over the others of f_j^m,  A_m = w^m B_m = sum of e^(m x_j),
//   Z = 1 + A_1,
//
// the weights are 1/Z and w f_j / Z, and in a saturated row (w -> 0) each quantity below is w times a sum of
// positive terms. Measured against the second key, f does not underflow where the top key leaves e^-400 to
// the others.
#include "softmax/diagnostics.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include "simd/f64x2.h"
#include "simd/math64.h"

namespace sqrtdk {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Stands for -infinity where the exponent also multiplies: exp of it is 0, and 0 times it is 0, not NaN.
constexpr double kNever = -1000;

// The scores times the sign of scale, two at a time; a lane beyond the end is -infinity.
template <class Score>
struct SignedScores {
  std::span<const Score> scores;
  double sign;

  F64x2 operator()(std::size_t j) const {
    if (j + 1 < scores.size()) return Load2(scores.data() + j) * Splat(sign);
    return F64x2{static_cast<double>(scores[j]) * sign, -kInfinity};
  }
};

struct Extremes {
  double largest;  // of what is not NaN
  double second;   // the next in order, equal to the largest in a tie
};

template <class Score>
Extremes FindExtremes(const SignedScores<Score>& read) {
  F64x2 first = Splat(-kInfinity), second = first;
  for (std::size_t j = 0; j < read.scores.size(); j += 2) {
    const F64x2 z = read(j);
    second = Max(second, Min(first, z));
    first = Max(first, z);
  }
  const bool low_lane = first[0] > first[1];
  const double loser = low_lane ? first[1] : first[0];
  const double runner_up = low_lane ? second[0] : second[1];
  return {low_lane ? first[0] : first[1], loser > runner_up ? loser : runner_up};
}

struct PowerSums {
  double b1, b2, b3;  // B_m
  double weighted;    // sum of f_j (x_j - u)
};

// The top key is summed as if it were a second one, f = 1, and taken out again: no search for it and no
// branch.
template <class Score>
PowerSums SumPowers(const SignedScores<Score>& read, double magnitude, double second, double* store_f) {
  F64x2 b1 = Splat(0.0), b2 = b1, b3 = b1, weighted = b1;
  for (std::size_t j = 0; j < read.scores.size(); j += 2) {
    const F64x2 below_second = Min((read(j) - Splat(second)) * Splat(magnitude), Splat(0.0));
    const F64x2 x = Max(below_second, Splat(kNever));
    const F64x2 f = Exp(x), f2 = f * f;
    b1 += f;
    b2 += f2;
    b3 += f2 * f;
    weighted += f * x;
    if (store_f != nullptr) {
      store_f[j] = f[0];
      if (j + 1 < read.scores.size()) store_f[j + 1] = f[1];
    }
  }
  return {SumLanes(b1) - 1, SumLanes(b2) - 1, SumLanes(b3) - 1, SumLanes(weighted)};
}

template <class Score>
std::uint32_t CountBelow(const SignedScores<Score>& read, double magnitude, double largest, double bound) {
  I64x2 count = Splat(std::int64_t{0});
  for (std::size_t j = 0; j < read.scores.size(); j += 2) {
    count -= (read(j) - Splat(largest)) * Splat(magnitude) < Splat(bound);  // true is -1
  }
  const bool counted_padding = read.scores.size() % 2 != 0;
  return static_cast<std::uint32_t>(count[0] + count[1] - (counted_padding ? 1 : 0));
}

// The largest eigenvalue of J in units of w / Z, given f of all keys with the top one as 1.
//
// Eigenvalues lambda > 0 of diag(p) - p p^T solve sum_j p_j / (p_j - lambda) = 0; the largest lies between
// the two largest weights. With lambda = v w / Z that is 1 / (1 - w v) = psi(v) = sum over the others of f /
// (v - f), 1 < v < 1/w. Each step replaces psi by r + s / (v - 1) with the same value and slope and solves
// the quadratic (Bunch, Nielsen and Sorensen 1978): quadratic convergence from any side, five steps as a
// rule. r and s are sums of positive terms.
double LargestEigenvalue(std::span<const double> f, double w, double b1) {
  const double gap = 1 - w;
  double y = b1 * gap / (1 + b1 * w);  // v - 1, exact where all the others are equal
  for (int step = 0; step < 60 && y > 0; ++step) {
    const F64x2 v = Splat(1 + y);
    F64x2 sum_s = Splat(0.0), sum_r = sum_s;
    for (std::size_t j = 0; j < f.size(); j += 2) {
      const F64x2 fj = j + 1 < f.size() ? Load2(f.data() + j) : F64x2{f[j], 0.0};
      const F64x2 distance = v - fj;
      const F64x2 q = fj / (distance * distance);
      sum_s += q;
      sum_r += q * (Splat(1.0) - fj);
    }
    const double s = SumLanes(sum_s) * y * y - 1;  // without the top key
    const double r = SumLanes(sum_r);
    // r w y^2 + (1 - r gap + s w) y - s gap = 0
    const double half_b = 0.5 * (1 - r * gap + s * w);
    const double root = std::sqrt(half_b * half_b + r * w * s * gap);
    const double next = half_b > 0 ? s * gap / (half_b + root) : (root - half_b) / (r * w);
    const double change = std::fabs(next - y);
    y = next;
    if (!(change > 4e-16 * (1 + y))) break;
  }
  return 1 + y;
}

template <class Score>
SoftmaxDiagnostics Diagnose(std::span<const Score> scores, double scale, std::span<double> scratch) {
  const SignedScores<Score> read{scores, scale < 0 ? -1.0 : 1.0};
  // With a magnitude of 0 a masked key would be 0 * infinity; the smallest number instead changes no weight.
  const double size = std::fabs(scale);
  const double magnitude = size == 0 ? std::numeric_limits<double>::denorm_min() : size;
  Extremes ends = FindExtremes(read);
  if (ends.largest == -kInfinity) {
    bool has_nan = false;
    for (const Score z : scores) has_nan = has_nan || z != z;
    if (!has_nan) {
      const double spectral = scratch.empty() ? kNaN : 0;
      return {-kInfinity, 0, 0, 0, 0, 0, 0, 0, 0, spectral, static_cast<std::uint32_t>(scores.size())};
    }
  }
  constexpr SoftmaxDiagnostics kUndefined = {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 0};
  if (ends.largest == kInfinity) return kUndefined;
  // Where only the top key is not masked there is no second; measured against the top key itself all B are 0.
  if (ends.second == -kInfinity) ends.second = ends.largest;

  const PowerSums sums = SumPowers(read, magnitude, ends.second, scratch.empty() ? nullptr : scratch.data());
  const double gap = (ends.second - ends.largest) * magnitude;
  const double u = gap < kNever ? kNever : gap;
  const double w = Exp(u);
  const double a1 = w * sums.b1;
  const double z = 1 + a1;
  if (z != z) return kUndefined;

  const double log_z = Log1p(a1);
  const double a2 = w * w * sums.b2;
  const double square = z * z;
  SoftmaxDiagnostics d{};
  d.log_sum_exp = size * ends.largest + log_z;
  d.entropy = log_z - w * (sums.weighted + u * sums.b1) / z;
  d.perplexity = Exp(d.entropy);
  d.sum_squares = (1 + a2) / square;
  d.effective_keys = square / (1 + a2);
  d.max_probability = 1 / z;
  d.max_complement = a1 / z;
  // Z^2 tr J = Z^2 - 1 - A_2 = 2 A_1 - A_2 + A_1^2, where A_2 <= A_1.
  d.jacobian_trace = w * (2 * sums.b1 - w * sums.b2 + a1 * sums.b1) / square;
  // Z^4 |J|_F^2 = sum_i p_i^2 (1 - p_i)^2 + sum_{i != j} p_i^2 p_j^2, times Z^4,
  //            = A_1^2 + A_2 (Z^2 + 2 + A_2) - 2 Z A_3, where A_3 <= A_2 and Z^2 + 2 - 2 Z >= 1.
  const double frobenius_squared = sums.b1 * sums.b1 + sums.b2 * (square + 2 + a2) - 2 * z * w * sums.b3;
  d.jacobian_frobenius = w * std::sqrt(frobenius_squared) / square;
  d.jacobian_spectral = scratch.empty() ? kNaN
                        : sums.b1 == 0  ? 0
                                        : w / z * LargestEigenvalue(scratch.first(scores.size()), w, sums.b1);
  constexpr double kLogSmallest = -103.97207708399179;  // ln 2^-150
  d.exact_zeros = CountBelow(read, magnitude, ends.largest, kLogSmallest + log_z);
  return d;
}

}  // namespace

SoftmaxDiagnostics DiagnoseRow(std::span<const float> scores, double scale,
                               std::span<double> spectral_scratch) {
  return Diagnose(scores, scale, spectral_scratch);
}
SoftmaxDiagnostics DiagnoseRow(std::span<const double> scores, double scale,
                               std::span<double> spectral_scratch) {
  return Diagnose(scores, scale, spectral_scratch);
}

}  // namespace sqrtdk
