#pragma once

/// `cliffbench judge` and `cliffbench merge`: from row files to verdicts.

#include <filesystem>
#include <vector>

namespace cliffbench {

/// Reads a run folder (or its rows.jsonl), writes verdicts.jsonl beside the rows, prints the table
/// of claims and what went wrong, and returns the exit code (claim.hpp). Throws CannotMeasure when
/// the folder cannot be read.
int judge_folder(const std::filesystem::path& folder);

/// Puts the rows and descriptions of several run folders into a new one. Refuses two different rows
/// of one trial and two different declarations of one program (CannotMeasure).
void merge_folders(const std::vector<std::filesystem::path>& sources,
                   const std::filesystem::path& target);

}  // namespace cliffbench
