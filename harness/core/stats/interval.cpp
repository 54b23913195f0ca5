#include "harness/core/stats/interval.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

/// The factor and the unit in which a quantity is shown.
std::pair<double, const char*> shown_as(Quantity quantity) {
  if (quantity == Quantity::share || quantity == Quantity::agreement) return {100, " %"};
  if (quantity == Quantity::time) return {1, " s"};
  return {1, quantity == Quantity::exponent ? "" : "x"};
}

/// Stopped runs say only that the median is this or less.
bool is_upper_bound(const Interval& interval) {
  return interval.stopped && interval.median.lo == 0;
}

}  // namespace

std::string interval_text(const Interval& interval, Quantity quantity) {
  if (interval.rounds == 0) return "-";
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) { return three_digits(value * by); };
  const auto bound = [&, by = unit](const char* sign, double value) {
    const auto stopped = static_cast<std::size_t>(interval.stopped);
    return fmt::format("{} {}{} ({})", sign, number(value), by, counted(stopped, "stopped run"));
  };
  const Range& widest = interval.at ? *interval.at : interval.median;
  if (std::isinf(interval.median.hi)) return bound(">=", widest.lo);
  if (is_upper_bound(interval)) return bound("<=", widest.hi);
  const std::string median = number(interval.median.lo) + unit;
  if (!interval.at) return median;
  return fmt::format("{} [{}, {}]", median, number(interval.at->lo),
                     std::isinf(interval.at->hi) ? "open" : number(interval.at->hi));
}

std::string range_text(const Bounds& range, Quantity quantity) {
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) {
    return fmt::format("{:g}", std::stod(three_digits(value * by)));
  };
  const bool open = std::isinf(range.hi) || (scale == 100 && range.hi >= 1);
  if (open) return fmt::format(">= {}{}", number(range.lo), unit);
  if (range.lo == 0) return fmt::format("<= {}{}", number(range.hi), unit);
  return fmt::format("{} to {}{}", number(range.lo), number(range.hi), unit);
}

void to_json(nlohmann::json& json, const Interval& interval) {
  // Further digits are noise, and most of a file of verdicts.
  const auto rounded = [](double value) {
    return std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr);
  };
  json = nullptr;
  if (interval.rounds == 0) return;
  json["n"] = interval.rounds;
  json["median"] = nullptr;
  if (!is_upper_bound(interval)) json["median"] = rounded(interval.median.lo);
  if (interval.at) json["lo"] = rounded(interval.at->lo);  // null is written for what is not finite
  if (interval.at || is_upper_bound(interval)) {
    json["hi"] = rounded(interval.at ? interval.at->hi : interval.median.hi);
  }
  if (interval.stopped) json["stopped"] = interval.stopped;
  if (std::isinf(interval.median.hi)) json["bound"] = true;
}

}  // namespace cliffbench
