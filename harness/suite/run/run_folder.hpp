#pragma once

/// What a run's folder keeps beside its rows: the plan and the programs' declarations. Everything
/// that fails here throws CannotMeasure with one sentence that names the file.

#include <filesystem>
#include <map>
#include <string>

#include "harness/core/host/file.hpp"
#include "harness/core/record/row.hpp"
#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

/// The plan in a file. Throws CannotMeasure when it holds none.
[[nodiscard]] Plan read_plan(const std::filesystem::path& file, Links = Links::refused);

/// The programs' declarations that a run kept, by program name. In a merged folder, declarations
/// that differ between its runs are found by "<run>/<program>".
[[nodiscard]] std::map<std::string, Description> read_descriptions(
    const std::filesystem::path& folder);
/// The declaration of a row's program; throws when there is none.
[[nodiscard]] const Description& description_of(const std::map<std::string, Description>& all,
                                                const Row& row);

}  // namespace cliffbench
