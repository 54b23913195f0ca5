#pragma once

/// From a request to a plan and the trials still to do: refuses whatever can be
/// refused before measuring.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"
#include "harness/program/program.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

/// A new plan of the cells that agree with a filter, with what their trials took in the newest runs
/// under ./results. Throws UserError when there are none.
[[nodiscard]] Plan make_plan(const CasePrograms& programs, const CellFilter& filter,
                             std::uint64_t seed);

/// Throws UserError when a program of the plan is not here, or is another build or another subject
/// than when the plan was made.
void require_same_programs(const Plan& plan, const CasePrograms& programs);

/// Keeps what a report needs beside the rows: each program's declaration and its case's README.
void keep_descriptions(const CasePrograms& programs, const Plan& plan,
                       const std::filesystem::path& folder);

/// The plan's slots that have no row yet. Throws CannotMeasure when a row is none of this plan, or
/// doubled.
[[nodiscard]] std::vector<Slot> still_to_do(const Plan& plan, const std::vector<Row>& rows,
                                            const std::filesystem::path& folder);

/// What trials are expected to need.
struct Estimate {
  size_t cells = 0;
  size_t trials = 0;
  size_t unknown_trials = 0;
  double wall_s = 0;
  double memory_mb = 0;
};
[[nodiscard]] Estimate estimate(const Plan& plan, const std::vector<Slot>& slots);
/// "38 cells, 412 trials, about 2:10:00 by earlier runs, at most 2.1 GB of memory"
[[nodiscard]] std::string estimate_text(const Plan& plan, const Estimate& total);

/// Throws CannotMeasure when the machine cannot hold the largest trial.
void require_room(const Estimate& total);

}  // namespace cliffbench
