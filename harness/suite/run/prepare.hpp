#pragma once

/// Turns a request into a plan and the trials still to do. Refuses before measuring whatever can be
/// refused.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/program/program.hpp"
#include "harness/core/record/row.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/run/case_programs.hpp"

namespace cliffbench {

/// A new plan with the cells that a filter chooses. Throws UserError when there are none.
[[nodiscard]] Plan make_plan(const CasePrograms& programs, const CellFilter& filter,
                             std::uint64_t seed);

/// Throws UserError when a program of the plan is missing, or its build or its subject has changed
/// since the plan was made.
void require_same_programs(const Plan& plan, const CasePrograms& programs);

/// Keeps what a report needs beside the rows: each program's declaration and its case's README.
void keep_descriptions(const CasePrograms& programs, const Plan& plan,
                       const std::filesystem::path& folder);

/// The plan's slots that have no row yet. Throws CannotMeasure for a row that is not in this plan,
/// or for two rows of one trial.
[[nodiscard]] std::vector<Slot> still_to_do(const Plan& plan, const std::vector<Row>& rows,
                                            const std::filesystem::path& folder);

}  // namespace cliffbench
