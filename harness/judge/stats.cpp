#include "harness/judge/stats.hpp"

#include <algorithm>
#include <cmath>

namespace cliffbench {
namespace {

double middle(std::span<const double> sorted) {
  const size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

}  // namespace

std::optional<double> known(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> positive(double value) { return value > 0 ? known(value) : std::nullopt; }

bool Range::known() const {
  return !std::isnan(lo) && !std::isnan(hi) && lo < INFINITY && hi > -INFINITY;
}

int order_k(int n, double a) {
  double term = std::pow(0.5, n);  // P(Bin = 0)
  double sum = term;
  int k = 0;
  while (k < n / 2 && sum <= a) {
    ++k;
    term *= static_cast<double>(n - k + 1) / k;
    sum += term;
  }
  return k;
}

Interval median_interval(std::span<const Range> observations) {
  Interval result;
  std::vector<double> lows;
  std::vector<double> highs;
  for (const Range& observation : observations) {
    if (!observation.known()) continue;
    lows.push_back(observation.lo);
    highs.push_back(observation.hi);
    if (!observation.exact()) ++result.stopped;
  }
  result.rounds = static_cast<int>(lows.size());
  if (lows.empty()) return result;
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  result.median = {middle(lows), middle(highs)};
  const int k = order_k(result.rounds, 0.025);
  if (k > 0) result.at = Range{lows[k - 1], highs[result.rounds - k]};
  return result;
}

Interval ratio_interval(std::span<const Range> logarithms) {
  Interval result = median_interval(logarithms);
  const auto ratio = [](const Range& log) { return Range{std::exp(log.lo), std::exp(log.hi)}; };
  if (result.rounds) result.median = ratio(result.median);
  if (result.at) result.at = ratio(*result.at);
  return result;
}

std::optional<Range> slope(std::span<const Point> points) {
  constexpr size_t kFewest = 4;
  if (points.size() < kFewest) return std::nullopt;
  double mean = 0;
  for (const Point& point : points) mean += point.x;
  mean /= static_cast<double>(points.size());
  double spread = 0;
  Range sum;
  for (const Point& point : points) {
    const double weight = point.x - mean;
    spread += weight * weight;
    if (weight == 0) continue;  // 0 * inf is no number
    sum.lo += weight * (weight > 0 ? point.y.lo : point.y.hi);
    sum.hi += weight * (weight > 0 ? point.y.hi : point.y.lo);
  }
  const Range result{sum.lo / spread, sum.hi / spread};
  return spread > 0 && result.known() ? std::optional(result) : std::nullopt;
}

}  // namespace cliffbench
