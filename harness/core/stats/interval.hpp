#pragma once

/// An interval in words and as JSON. Pure.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/core/stats/quantity.hpp"
#include "harness/core/stats/stats.hpp"

namespace cliffbench {

/// "12.3x [11.8, 12.9]", "45 % [43, 47]", ">= 38x (1 stopped run)".
[[nodiscard]] std::string interval_text(const Interval& interval, Quantity quantity);
[[nodiscard]] std::string range_text(const Bounds& range, Quantity quantity);

/// As it stands in verdicts and rulings (results/README.md); null when there is none. No number is
/// made of what is not known: `lo` and `hi` are missing with too few rounds, null where they are
/// open; where stopped runs leave an upper bound only, it is `hi`, the median null.
void to_json(nlohmann::json& json, const Interval& interval);

}  // namespace cliffbench
