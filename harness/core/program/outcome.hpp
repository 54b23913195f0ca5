#pragma once

/// The outcome of a trial's process: the report that it wrote, or how it ended.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/host/process.hpp"
#include "harness/core/program/benchmark_json.hpp"
#include "harness/core/program/program.hpp"
#include "harness/core/record/row.hpp"

namespace cliffbench {

/// The report in the JSON file. The library writes each result when it has it: of a process that
/// died, `cut_off`, those before are there and the closing brackets are not.
/// Throws CannotMeasure when it cannot be read.
[[nodiscard]] std::vector<BenchmarkResult> read_report(const std::filesystem::path& file,
                                                       bool cut_off = false);

/// The measured results of one benchmark: one, or one per repetition; the median where the program
/// reports aggregates only; none when it is not there.
[[nodiscard]] std::vector<BenchmarkResult> results_of(const std::vector<BenchmarkResult>& all,
                                                      const std::string& name);

/// Fills in `row` from the results of one benchmark, of which there is at least one. Throws
/// CannotMeasure when a number cannot be one: NaN, infinite, or below 0.
void read_measurements(const std::vector<BenchmarkResult>& results, const Batches& batches,
                       const TrialLimits& limits, Row& row, Remarks& remarks);

/// How a process ended badly after it had written all its results: "ended by signal 11 (...)", "did
/// not end". "" where that is not so, or does not count.
[[nodiscard]] std::string late_end(const Process& process, const TrialLimits& limits,
                                   const std::filesystem::path& report);
/// Whether the report has its closing brackets.
[[nodiscard]] bool is_whole_report(const std::filesystem::path& report);

/// Fills in status and reason where we stopped the process or it ended badly; else returns false.
[[nodiscard]] bool read_death(const Process& process, const TrialLimits& limits, Row& row);

}  // namespace cliffbench
