#pragma once

/// The words of a judged run: to people as a sentence and a table; to machines as verdicts.jsonl.
/// Pure but for `write_verdicts`.

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/core/record/folder.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/suite/judge/claim.hpp"

namespace cliffbench {

/// Rows of one machine, one date and one build are judged together: they are a set.
struct Set {
  std::string machine;
  std::string date;    ///< of the first start of the run, UTC
  std::string commit;  ///< of the build, with "+" when it had local changes
  auto operator<=>(const Set&) const = default;
};

/// One program in one set, and its judgement.
struct Judged {
  Set set;
  std::string program;
  const Case* declared = nullptr;
  Judgement judgement;
  std::vector<std::string> sessions = {};  ///< the sessions of its rows, as "<run>.<session>"
};

/// A program whose control moved, and its claims that are not decided because of it.
struct MovedControl {
  std::string program;  ///< the case's name where the run has one program of it
  std::vector<std::string>
      points;  ///< the axes of each that are not at their default: "dims:64x64"
  size_t undecided = 0;
};

/// The whole run in numbers and one sentence.
struct Summary {
  std::map<Verdict, size_t> claims;  // measured ones; controls are counted apart
  size_t not_measured = 0;
  size_t unexpected = 0;
  size_t refuted_as_expected = 0;
  size_t refuted_of_open = 0;             ///< of claims whose case expects no outcome
  std::map<Steadiness, size_t> controls;  // those with an interval
  std::vector<MovedControl> moved;        // one per program
  size_t wrong_output = 0;
  int exit = 0;
  std::int64_t planned = 0;  ///< trials, where there is a plan
  std::int64_t missing = 0;  ///< planned trials without a row
  size_t left_out = 0;       ///< damaged or unfinished lines of rows.jsonl

  [[nodiscard]] size_t count(Verdict verdict) const {
    return claims.contains(verdict) ? claims.at(verdict) : 0;
  }
  [[nodiscard]] size_t count(Steadiness state) const {
    return controls.contains(state) ? controls.at(state) : 0;
  }
  [[nodiscard]] size_t claim_count() const;  ///< measured ones
  [[nodiscard]] size_t control_count() const;
};

/// Sums up a run. Its exit code is that of the worst part: a wrong output or a crash is worse than
/// a moved control, which is worse than an unexpected verdict; nothing judged at all is the worst.
[[nodiscard]] Summary summarise(std::span<const Judged> all);

/// "24 of 29 claims hold, 3 refuted as expected; controls: 12 within range, 2 too wide to tell."
/// Begins with the controls when one moved (and says which claims that leaves open) or most are too
/// wide.
[[nodiscard]] std::string sentence(const Summary& summary);

/// "12 within range, 2 too wide to tell"; "none was measured".
[[nodiscard]] std::string controls_text(const Summary& summary);

/// "held", "control within range", "not measured here", ...
[[nodiscard]] std::string verdict_words(const Finding& finding);

/// The whole table that `cliffbench judge` prints: of each program its ratios, its claims and what
/// went wrong.
[[nodiscard]] std::string table_text(std::span<const Judged> all, const Screen& screen = {});

/// Writes verdicts.jsonl: the summary, one line for each set, then claims, cells, ratios and
/// exponents of each program (results/README.md). `all` is in the order of its sets.
void write_verdicts(const std::filesystem::path& folder, std::span<const Judged> all,
                    const Summary& summary, const std::set<std::string>& runs,
                    std::span<const LeftOut> left_out);

}  // namespace cliffbench
