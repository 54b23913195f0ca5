#pragma once

/// The loop of `cliffbench run`: plan, estimate, warm-up, trials in the plan's order, one flushed
/// row each.

#include <filesystem>
#include <optional>
#include <string>

#include "harness/suite/run/case_programs.hpp"
#include "harness/suite/run/prepare.hpp"

namespace cliffbench {

struct RunRequest {
  CellFilter filter;             ///< for a new plan only: not for a plan file or a resumed run
  CasePrograms programs;         ///< the cases to measure, by name
  std::string paths;             ///< the typed paths, each with a space, for the hint to --resume
  std::filesystem::path folder;  ///< "": results/local/<time>, or <run of the plan file>
  std::filesystem::path plan_file;  ///< "": none
  Shard shard;                      ///< of the plan file
  std::uint64_t seed = 0;
  /// The limit for each trial; 0: nine tenths of the memory that is available at the start.
  std::int64_t memory_limit_bytes = 0;
  double budget_s = 0;  ///< no point begins after this time; 0: no end
  bool resume = false;
  bool dry_run = false;  ///< print the estimate only
  bool quiet = false;    ///< trials in the folder's log file only
  std::string command;   ///< as typed, for the record
};

/// Measures. Returns 0 when every planned trial has its row (whatever its status) or the budget is
/// used up, 130 when the user stopped it. Throws UserError and CannotMeasure; all rows written
/// before stay.
int run_benchmarks(const RunRequest& request);

}  // namespace cliffbench
