#pragma once

/// The loop of `cliffbench run`: plan, estimate, prime, trials in the plan's order, one flushed row
/// each.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/plan.hpp"
#include "harness/program.hpp"

namespace cliffbench {

struct RunRequest {
  Wish wish;
  std::map<std::string, CaseProgram> programs;  ///< the cases to measure, by name
  std::filesystem::path folder;
  std::uint64_t seed = 0;
  std::int64_t memory_limit_bytes =
      0;  ///< of each trial; 0: nine tenths of what is available at the start
  bool resume = false;
  bool dry_run = false;  ///< print the estimate only
  std::string command;   ///< as typed, for the record
};

/// Measures. Returns 0 when every planned trial has its row (whatever its status), 130 when the
/// user stopped it. Throws UserError and CannotMeasure; all rows written before stay.
int run_benchmarks(const RunRequest& request);

}  // namespace cliffbench
