#include "harness/judge/claim_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

/// The factor and the unit in which a quantity is shown.
std::pair<double, const char*> shown_as(Quantity quantity) {
  if (quantity == Quantity::share || quantity == Quantity::agreement) return {100, " %"};
  if (quantity == Quantity::time) return {1, " s"};
  return {1, quantity == Quantity::exponent ? "" : "x"};
}

}  // namespace

std::string interval_text(const Interval& seen, Quantity quantity) {
  if (seen.rounds == 0) return "-";
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) { return three_digits(value * by); };
  const auto bound = [&, by = unit](const char* sign, double value) {
    const auto stopped = static_cast<std::size_t>(seen.stopped);
    return fmt::format("{} {}{} ({})", sign, number(value), by, counted(stopped, "stopped run"));
  };
  const Range& widest = seen.at ? *seen.at : seen.median;
  if (std::isinf(seen.median.hi)) return bound(">=", widest.lo);
  if (seen.stopped && seen.median.lo == 0) return bound("<=", widest.hi);
  if (!seen.at) return fmt::format("{}{}", number(seen.median.lo), unit);
  return fmt::format("{}{} [{}, {}]", number(seen.median.lo), unit, number(seen.at->lo),
                     std::isinf(seen.at->hi) ? "open" : number(seen.at->hi));
}

std::string range_text(const Bounds& range, Quantity quantity) {
  const auto [scale, unit] = shown_as(quantity);
  const auto number = [by = scale](double value) {
    return fmt::format("{:g}", std::stod(three_digits(value * by)));
  };
  if (std::isinf(range.hi)) return fmt::format(">= {}{}", number(range.lo), unit);
  if (scale == 100 && range.hi >= 1) return fmt::format(">= {}{}", number(range.lo), unit);
  if (range.lo == 0) return fmt::format("<= {}{}", number(range.hi), unit);
  return fmt::format("{} to {}{}", number(range.lo), number(range.hi), unit);
}

}  // namespace cliffbench
