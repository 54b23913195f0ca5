#include "harness/gate/growth.hpp"

#include <algorithm>
#include <cmath>

namespace cliffbench {

double growth_of(std::span<const Row> rows, Metric metric) {
  constexpr double kApart = 0.05;
  constexpr std::ptrdiff_t kTell = 20;
  constexpr double kClear = 0.1;
  std::vector<std::pair<double, double>> points;  // ln of the count, and of the time
  for (const Row& row : rows) {
    if (row.variant == "head" || row.status != Status::ok || row.iterations < 1) continue;
    const auto time = positive((metric == Metric::wall ? row.wall_s : row.cpu_s).value_or(0));
    if (time) points.emplace_back(std::log(static_cast<double>(row.iterations)), std::log(*time));
  }
  std::vector<double> slopes;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double apart = points[i].first - points[j].first;
      if (std::fabs(apart) < kApart) continue;
      slopes.push_back((points[i].second - points[j].second) / apart);
    }
  }
  if (std::ssize(slopes) < kTell) return 0;
  const auto middle = slopes.begin() + std::ssize(slopes) / 2;
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle < kClear ? 0 : *middle;
}

ComparedValue at_one_count(std::span<const Row> rows, ComparedValue value) {
  const auto base = std::ranges::find_if(
      rows, [](const Row& row) { return row.variant == "base" && row.iterations > 0; });
  if (base == rows.end()) return value;
  value.growth = growth_of(rows, value.metric);
  value.count = static_cast<double>(base->iterations);
  return value;
}

}  // namespace cliffbench
