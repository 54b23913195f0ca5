#pragma once

/// The loop of `cliffbench run`: plan, estimate, prime, trials in the plan's order, one flushed row
/// each.

#include <filesystem>
#include <optional>
#include <string>

#include "harness/run/prepare.hpp"

namespace cliffbench {

struct RunRequest {
  CellFilter filter;                ///< of a new plan; not used with a plan file or a resumed run
  CasePrograms programs;            ///< the cases to measure, by name
  std::string paths;                ///< those typed, each with a space: what --resume needs again
  std::filesystem::path folder;     ///< "": results/local/<time>, or <run of the plan file>
  std::filesystem::path plan_file;  ///< "": none
  Shard shard;                      ///< of the plan file
  std::uint64_t seed = 0;
  std::int64_t memory_limit_bytes =
      0;                       ///< of each trial; 0: nine tenths of what is available at the start
  double budget_s = 0;  ///< no point is begun after so long; 0: no end
  bool resume = false;
  bool dry_run = false;  ///< print the estimate only
  bool quiet = false;    ///< trials in the folder's log file only
  std::string command;   ///< as typed, for the record
};

/// Measures. Returns 0 when every planned trial has its row (whatever its status) or what was asked
/// for was reached before, 130 when the user stopped it. Throws UserError and CannotMeasure; all rows
/// written before stay.
int run_benchmarks(const RunRequest& request);

}  // namespace cliffbench
