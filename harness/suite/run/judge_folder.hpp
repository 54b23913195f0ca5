#pragma once

/// `cliffbench judge`: from a run's rows to its verdicts.

#include <filesystem>
#include <string>
#include <vector>

namespace cliffbench {

/// Reads a run folder (or its rows.jsonl), writes verdicts.jsonl beside the rows, prints the table
/// and the sentence, and returns the exit code (claim.hpp). With `claims` (claim_grammar.hpp),
/// judges them beside the cases' own and writes nothing. Throws CannotMeasure when the folder
/// cannot be read, UserError for a malformed claim.
int judge_folder(const std::filesystem::path& folder, const std::vector<std::string>& claims = {});

}  // namespace cliffbench
