#pragma once

/// Estimates from earlier runs the time and memory that a run will take. A run says them in one
/// line, and refuses to begin when the machine lacks the memory. No result depends on the estimate.

#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"

namespace cliffbench {

/// The cost of one trial's process.
struct Cost {
  double wall_s = 0;
  double memory_mb = 0;
};

/// The cost of each cell of a plan, absent where it is unknown.
using Costs = std::vector<std::optional<Cost>>;

/// The mean duration and the highest memory of each cell's trials in the newest run under
/// ./results/local that has the cell, else under ./results/published.
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
