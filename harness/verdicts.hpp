#pragma once

/// What was judged, as the lines of verdicts.jsonl and in one sentence.

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/claim.hpp"
#include "harness/folder.hpp"

namespace cliffbench {

/// Rows of one machine, one date and one build are judged together: they are a set.
struct Set {
  std::string machine;
  std::string date;    ///< of the first start of the run, UTC
  std::string commit;  ///< of the build, with "+" when it had local changes
  auto operator<=>(const Set&) const = default;
};

/// One program in one set, and what was found.
struct Judged {
  Set set;
  std::string program;
  const Case* declared = nullptr;
  Judgement judgement;
};

/// The whole run in numbers and one sentence.
struct Summary {
  std::map<Verdict, int> claims;  // measured ones; controls are counted apart
  int not_measured = 0;
  int unexpected = 0;
  int refuted_as_expected = 0;
  int controls = 0;
  std::string moved;  // the first control that did
  int wrong_output = 0;
  int exit = 0;

  [[nodiscard]] int count(Verdict verdict) const {
    const auto found = claims.find(verdict);
    return found == claims.end() ? 0 : found->second;
  }
};

/// A wrong output, a crash and the like are worse than a moved control, and that is worse than a
/// verdict that was not expected; nothing judged at all is the worst.
[[nodiscard]] Summary summarise(std::span<const Judged> all);

/// "24 of 29 claims hold, 3 refuted as expected; 12 controls quiet."
[[nodiscard]] std::string sentence(const Summary& summary);

/// "held", "control quiet", ...: a control is quiet unless it moved; with too few rounds it says
/// nothing.
[[nodiscard]] std::string verdict_words(const Finding& finding);

/// Writes verdicts.jsonl: the summary, one line for each set, then claims, cells, ratios and
/// exponents of each program (results/README.md). `all` is in the order of its sets.
void write_verdicts(const std::filesystem::path& folder, std::span<const Judged> all,
                    const Summary& summary, const std::set<std::string>& runs,
                    std::span<const LeftOut> left_out);

}  // namespace cliffbench
