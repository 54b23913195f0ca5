#pragma once

/// What was judged, in numbers and in one sentence.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/claim.hpp"

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
  std::vector<std::string> sessions = {};  ///< whose rows these are, as "<run>.<session>"
};

/// A cell that crashed, was wrong or the like (judged_cell.hpp).
struct BrokenCell {
  const Judged* judged = nullptr;
  const JudgedCell* cell = nullptr;
};
[[nodiscard]] std::vector<BrokenCell> broken_cells(std::span<const Judged> all);

/// The whole run in numbers and one sentence.
struct Summary {
  std::map<Verdict, size_t> claims;  // measured ones; controls are counted apart
  size_t not_measured = 0;
  size_t unexpected = 0;
  size_t refuted_as_expected = 0;
  std::map<Steadiness, size_t> controls;  // those with an interval
  std::string moved;                      // the first control that did
  size_t wrong_output = 0;
  int exit = 0;
  std::int64_t planned = 0;  ///< trials, as far as there is a plan
  std::int64_t missing = 0;  ///< of them, those without a row
  size_t left_out = 0;       ///< damaged or unfinished lines of rows.jsonl

  [[nodiscard]] size_t count(Verdict verdict) const;
  [[nodiscard]] size_t count(Steadiness state) const;
  [[nodiscard]] size_t claim_count() const;  ///< measured ones
  [[nodiscard]] size_t control_count() const;
  /// Most controls say nothing of this machine.
  [[nodiscard]] bool mostly_too_wide() const;
};

/// A wrong output, a crash and the like are worse than a moved control, and that is worse than a
/// verdict that was not expected; nothing judged at all is the worst.
[[nodiscard]] Summary summarise(std::span<const Judged> all);

/// "24 of 29 claims hold, 3 refuted as expected; controls: 12 quiet, 2 too wide to say." Begins
/// with the controls when one moved or most are too wide.
[[nodiscard]] std::string sentence(const Summary& summary);

/// "12 quiet, 2 too wide to say"; "none was measured".
[[nodiscard]] std::string controls_text(const Summary& summary);

/// "held", "control quiet", "not measured here", ...
[[nodiscard]] std::string verdict_words(const Finding& finding);

}  // namespace cliffbench
