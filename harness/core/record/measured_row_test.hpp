#pragma once

/// For tests: a row as a measured trial has it.

#include <string>

#include "harness/core/record/row.hpp"

namespace cliffbench {

inline Row measured_row(const std::string& variant, int round, double time_s) {
  Row row;
  row.variant = variant;
  row.session = 1;
  row.round = round;
  row.status = Status::ok;
  row.iterations = 1;
  row.wall_s = row.cpu_s = time_s;
  row.limit_s = 100;
  return row;
}

}  // namespace cliffbench
