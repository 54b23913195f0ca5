#include "harness/gate/compared_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cliffbench {
namespace {

std::optional<double> time_of(const Row& row, const ComparedValue& value) {
  const bool wall = value.metric == Metric::wall;
  const auto& fastest = wall ? row.wall_s : row.cpu_s;
  const auto& mean = wall ? row.mean_wall_s : row.mean_cpu_s;
  return value.of_mean && mean ? mean : fastest;
}

std::optional<Range> counter_of(const Row& row, const WantedCounter& counter) {
  constexpr double kNothing = 1e-9;  // 0 has no logarithm; any real count is far above it
  const auto found = row.counters.find(counter.name);
  if (row.status != Status::ok || found == row.counters.end() || !(found->second >= 0)) return {};
  const double above_0 = std::max(found->second, kNothing);
  const double value = counter.larger_is_better ? 1 / above_0 : above_0;
  return Range{value, value};
}

}  // namespace

std::optional<Range> ComparedValue::of(const Row& row) const {
  if (counter) return counter_of(row, *counter);
  const bool stopped = row.status == Status::timeout;
  if (!stopped && row.status != Status::ok) return {};
  const auto iterations = static_cast<double>(std::max<std::int64_t>(row.iterations, 1));
  double seconds = stopped ? row.limit_s / iterations : time_of(row, *this).value_or(0);
  if (growth > 0 && row.iterations > 0) seconds *= std::pow(count / iterations, growth);
  const auto time = positive(seconds);
  return time ? std::optional(Range{*time, stopped ? INFINITY : *time}) : std::nullopt;
}

std::string ComparedValue::why_none(const Row& row) const {
  if (row.status == Status::timeout) return row.variant + ": " + row.reason;
  if (counter) {
    return fmt::format("{}: a trial has {} counter {}", row.variant,
                       row.counters.contains(counter->name) ? "a negative" : "no", counter->name);
  }
  const std::string clock = metric == Metric::wall ? "wall" : "CPU";
  const auto time = time_of(row, *this);
  if (!time) return fmt::format("{}: a trial has no {} time", row.variant, clock);
  return fmt::format(
      "{}: a {} time of {} s cannot be compared; give the benchmark more work or use another "
      "--metric",
      row.variant, clock, *time);
}

}  // namespace cliffbench
