#pragma once

/// What was judged as JSON lines, Markdown and JUnit XML. Pure but for `write_verdicts`.

#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "harness/print/verdicts.hpp"
#include "harness/record/folder.hpp"

namespace cliffbench {

/// The sentence, what crashed or was wrong, and at most 20 claims: those that failed first.
[[nodiscard]] std::string verdicts_markdown(std::span<const Judged> all, const Summary& summary);

/// A test for each claim, control and broken cell. Failed: not as expected, a control that moved, a
/// wrong output, a crash. Skipped: not measured, undecided, a control that is too wide.
[[nodiscard]] std::string verdicts_junit(std::span<const Judged> all);

/// Writes verdicts.jsonl: the summary, one line for each set, then claims, cells, ratios and
/// exponents of each program (results/README.md); verdicts.md and verdicts.xml. `all` is in the
/// order of its sets.
void write_verdicts(const std::filesystem::path& folder, std::span<const Judged> all,
                    const Summary& summary, const std::set<std::string>& runs,
                    std::span<const LeftOut> left_out);

}  // namespace cliffbench
