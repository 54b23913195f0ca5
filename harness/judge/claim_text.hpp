#pragma once

/// What was seen of a claim, in words. Pure.

#include <string>

#include "harness/case/case.hpp"
#include "harness/judge/stats.hpp"

namespace cliffbench {

/// "12.3x [11.8, 12.9]", "45 % [43, 47]", ">= 38x (1 stopped run)".
[[nodiscard]] std::string interval_text(const Interval& seen, Quantity quantity);
[[nodiscard]] std::string range_text(const Bounds& range, Quantity quantity);

}  // namespace cliffbench
