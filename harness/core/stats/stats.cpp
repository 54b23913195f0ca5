#include "harness/core/stats/stats.hpp"

#include <algorithm>
#include <cmath>

namespace cliffbench {
namespace {

double middle(std::span<const double> sorted) {
  const size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/// P(|T| <= t) of Student's T with so many degrees of freedom.
double student_within(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom));
  const double square = std::cos(angle) * std::cos(angle);
  const bool even = freedom % 2 == 0;
  double term = even ? 1 : std::cos(angle);
  double sum = freedom == 1 ? 0 : term;
  for (int k = even ? 2 : 3; k < freedom; k += 2) {
    term *= square * (k - 1) / k;
    sum += term;
  }
  sum *= std::sin(angle);
  return even ? sum : (angle + sum) * 2 / M_PI;
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

double chance_of_mean(std::span<const Range> observations) {
  std::vector<double> values;
  for (const Range& seen : observations) {
    if (seen.known()) values.push_back(std::clamp(0.0, seen.lo, seen.hi));
  }
  const auto n = static_cast<double>(values.size());
  if (n < 2) return 1;
  double mean = 0;
  for (const double value : values) mean += value / n;
  if (mean == 0) return 1;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  if (error == 0) return 0;
  return std::max(0.0, 1 - student_within(std::fabs(mean) / error, static_cast<int>(n) - 1));
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
