#pragma once

/// The folder of one gate: its plan, rows and sessions, so that it can be resumed and judged again.

#include <filesystem>
#include <string>
#include <vector>

#include "harness/gate/gate_plan.hpp"

namespace cliffbench {

[[nodiscard]] bool holds_gate(const std::filesystem::path& folder);

/// Gives the plan's benchmarks their rule and the rows that the folder holds, and judges them.
void read_rows_of(GatePlan& plan, const std::filesystem::path& folder);

/// The report of what has been measured: the benchmarks' findings, judged at the end, with the
/// evidence applied, notes, machine, and the costs of this session (0: of all).
[[nodiscard]] GateReport report_of(const GatePlan& plan, const Evidence& evidence, int session = 0);

/// Rules again from the rows of one folder or several (of several machines), without measuring, and
/// writes the rulings into `out`. Returns the exit code.
int judge_gate_folders(const std::vector<std::filesystem::path>& folders,
                       const std::filesystem::path& out, bool strict);

}  // namespace cliffbench
