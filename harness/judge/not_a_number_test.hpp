#pragma once

/// For tests: what is no measurement, and a row that may have it as its time.

#include <limits>
#include <string>

#include "harness/judge/stats.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// No time, no count and no size that a ratio can be taken of.
inline constexpr double kNone[] = {kNan, 0, -1, -kInf, kInf};
/// No number that lies anywhere.
inline constexpr Range kNowhere[] = {
    {kNan, kNan}, {kNan, 1}, {0, kNan}, {kInf, kInf}, {-kInf, -kInf}};

inline Row row(const std::string& variant, int round, double time_s) {
  Row made;
  made.variant = variant;
  made.session = 1;
  made.round = round;
  made.status = Status::ok;
  made.iterations = 1;
  made.wall_s = made.cpu_s = time_s;
  made.limit_s = 100;
  return made;
}

}  // namespace cliffbench
