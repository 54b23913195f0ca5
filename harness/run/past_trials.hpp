#pragma once

/// What trials took before: an expectation for a plan, never a result.

#include <filesystem>
#include <map>
#include <string>

#include "harness/plan/plan.hpp"

namespace cliffbench {

/// Gives each cell the mean duration and the most memory of its trials in the newest run under
/// `results`/local that has it, else under `results`/published. A cell that neither knows keeps
/// none. Runs that cannot be read are passed over.
void expect_as_before(Plan& plan, const std::filesystem::path& results);

}  // namespace cliffbench
