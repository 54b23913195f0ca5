#pragma once

/// The time of a run, by earlier runs, in one line. No result depends on it, and no file keeps it.

#include <optional>
#include <string>
#include <vector>

#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

/// Seconds of one trial's process, for each cell of a plan; nothing if unknown.
using Costs = std::vector<std::optional<double>>;

/// The mean duration of each cell's trials in the newest run under
/// ./results/local that has it, else under ./results/published.
[[nodiscard]] Costs costs_before(const Plan& plan);

/// Seconds that `trials` trials of a cell should take. A cell that is stopped at its limit is not
/// tried again unless a claim needs it.
[[nodiscard]] double expected_s(const Cell& cell, double trial_s, int trials);

struct Estimate {
  size_t cells = 0;
  size_t trials = 0;
  size_t unknown_trials = 0;
  double wall_s = 0;
};
[[nodiscard]] Estimate estimate(const Plan& plan, const std::vector<Slot>& slots,
                                const Costs& costs);
/// "38 cells, 412 trials, about 2:10:00 by earlier runs"
[[nodiscard]] std::string estimate_text(const Plan& plan, const Estimate& total);

}  // namespace cliffbench
