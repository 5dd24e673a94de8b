#include "stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sqrtdk {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormal95 = 1.959963984540054;

// Values with the order statistic of every rank that was asked for in its place. Ranks are asked for in any
// order; what is left and right of one in place need not be looked at again, so each is selected from the
// stretch between its nearest neighbours in place.
class OrderStatistics {
 public:
  explicit OrderStatistics(std::span<double> values) : values_(values) {}

  // Rank from 0.
  double At(std::size_t rank) {
    const auto next = std::lower_bound(placed_, placed_ + count_, rank);
    if (next != placed_ + count_ && *next == rank) return values_[rank];
    const std::size_t begin = next == placed_ ? 0 : *(next - 1) + 1;
    const std::size_t end = next == placed_ + count_ ? values_.size() : *next;
    const auto iterator = [this](std::size_t i) { return values_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(iterator(begin), iterator(rank), iterator(end));
    Remember(next - placed_, rank);
    return values_[rank];
  }

 private:
  void Remember(std::ptrdiff_t position, std::size_t rank) {
    if (count_ == kMost) return;  // later ranks are found all the same, more slowly
    std::copy_backward(placed_ + position, placed_ + count_, placed_ + count_ + 1);
    placed_[position] = rank;
    ++count_;
  }

  static constexpr std::size_t kMost = 96;
  std::span<double> values_;
  std::size_t placed_[kMost];  // ranks in place, in order
  std::size_t count_ = 0;
};

struct Interval {
  double low, high;
};

// The order statistics between which the true quantile lies, z standard deviations away.
Interval Between(OrderStatistics& order, double n, double p, double z) {
  const double reach = z * std::sqrt(n * p * (1 - p));
  const double low = std::floor(n * p - reach), high = std::ceil(n * p + reach) + 1;  // ranks from 1
  if (!(low >= 1 && high <= n)) return {kNaN, kNaN};
  return {order.At(static_cast<std::size_t>(low) - 1), order.At(static_cast<std::size_t>(high) - 1)};
}

}  // namespace

void FindQuantiles(std::span<double> values, std::span<Quantile> quantiles) {
  const bool defined = !values.empty() && std::none_of(values.begin(), values.end(),
                                                       [](double value) { return std::isnan(value); });
  OrderStatistics order(values);
  for (Quantile& q : quantiles) {
    q = {q.probability, kNaN, kNaN, kNaN, kNaN};
    if (!defined) continue;
    const double n = static_cast<double>(values.size());
    const double position = q.probability * (n - 1);
    const auto below = static_cast<std::size_t>(position);
    const double part = position - static_cast<double>(below);
    const double left = order.At(below);
    q.value = part == 0 ? left : (1 - part) * left + part * order.At(below + 1);
    const Interval one = Between(order, n, q.probability, 1);
    q.standard_error = (one.high - one.low) / 2;
    const Interval ninety_five = Between(order, n, q.probability, kNormal95);
    q.low = ninety_five.low;
    q.high = ninety_five.high;
  }
}

}  // namespace sqrtdk
