#pragma once

/// For tests: values that cannot be measurements.

#include <limits>

#include "harness/core/stats/stats.hpp"

namespace cliffbench {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Impossible as a time, a count or a size: no ratio can be taken of them.
inline constexpr double kNone[] = {kNan, 0, -1, -kInf, kInf};
/// Ranges that say nothing.
inline constexpr Range kNowhere[] = {
    {kNan, kNan}, {kNan, 1}, {0, kNan}, {kInf, kInf}, {-kInf, -kInf}};

}  // namespace cliffbench
