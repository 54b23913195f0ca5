#pragma once

/// For tests: what is no measurement.

#include <limits>

#include "harness/judge/stats.hpp"

namespace cliffbench {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// No time, no count and no size that a ratio can be taken of.
inline constexpr double kNone[] = {kNan, 0, -1, -kInf, kInf};
/// No number that lies anywhere.
inline constexpr Range kNowhere[] = {
    {kNan, kNan}, {kNan, 1}, {0, kNan}, {kInf, kInf}, {-kInf, -kInf}};

}  // namespace cliffbench
