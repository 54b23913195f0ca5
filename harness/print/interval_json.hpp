#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/judge/stats.hpp"

namespace cliffbench {

/// An interval as it stands in verdicts and rulings (results/README.md); null when there is none.
/// No number is made of what is not known: `lo` and `hi` are missing with too few rounds, null
/// where they are open; where stopped runs leave an upper bound only, it is `hi`, the median null.
[[nodiscard]] nlohmann::json interval_json(const Interval& seen);

}  // namespace cliffbench
