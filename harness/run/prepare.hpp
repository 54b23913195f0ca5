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

/// A new plan of the cells that agree with a filter. Throws UserError when there are none.
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

}  // namespace cliffbench
