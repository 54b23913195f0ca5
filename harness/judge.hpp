#pragma once

/// `cliffbench judge`: from a run's rows to its verdicts.

#include <filesystem>

namespace cliffbench {

/// Reads a run folder (or its rows.jsonl), writes verdicts.jsonl beside the rows, prints the table
/// of claims and what went wrong, and returns the exit code (claim.hpp). Throws CannotMeasure when
/// the folder cannot be read.
int judge_folder(const std::filesystem::path& folder);

}  // namespace cliffbench
