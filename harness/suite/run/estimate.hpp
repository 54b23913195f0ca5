#pragma once

/// The time and memory of a run, by earlier runs: said in one line, and refused when the machine
/// lacks the memory. No result depends on it, and no file keeps it.

#include <optional>
#include <string>
#include <vector>

#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

/// The cost of one trial's process.
struct Cost {
  double wall_s = 0;
  double memory_mb = 0;
};

/// One for each cell of a plan; nothing where nobody knows.
using Costs = std::vector<std::optional<Cost>>;

/// The mean duration and the most memory of each cell's trials in the newest run under
/// ./results/local that has it, else under ./results/published.
[[nodiscard]] Costs costs_before(const Plan& plan);

/// Seconds that `trials` trials of a cell should take. A cell that is stopped at its limit is not
/// tried again unless a claim needs it.
[[nodiscard]] double expected_s(const Cell& cell, const Cost& cost, int trials);

struct Estimate {
  size_t cells = 0;
  size_t trials = 0;
  size_t unknown_trials = 0;
  double wall_s = 0;
  double memory_mb = 0;
};
[[nodiscard]] Estimate estimate(const Plan& plan, const std::vector<Slot>& slots,
                                const Costs& costs);
/// "38 cells, 412 trials, about 2:10:00 by earlier runs, at most 2.1 GB of memory"
[[nodiscard]] std::string estimate_text(const Plan& plan, const Estimate& total);

/// Throws CannotMeasure when the machine cannot hold the largest trial.
void require_room(const Estimate& total);

}  // namespace cliffbench
