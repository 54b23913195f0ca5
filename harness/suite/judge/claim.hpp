#pragma once

/// The judge of claims: rows of one program on one machine -> cells, exponents, verdicts. Pure.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/host/machine.hpp"
#include "harness/core/record/row.hpp"
#include "harness/core/stats/stats.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {

/// Time (memory) of the baseline / time (memory) of the variant, paired by round.
struct Comparison {
  Role role = Role::patch;  ///< the variant's
  Interval time, memory;
  bool control_moved = false;  ///< at this point: the ratio decides nothing
  std::string counters;        ///< "baseline 116 page faults a call, control 4"; mostly ""
};

/// The rows of one variant at one point, summarised.
struct JudgedCell {
  std::string variant;
  Params params;
  /// `wrong` when its output is, as far as can be known: then no number of it is used.
  Status status = Status::failed;
  std::map<std::string, int> counts;  ///< rows by status
  std::string checked;                ///< "digest", "oracle only", "nothing"
  std::string reason;
  double limit_s = 0;
  Interval wall_s, cpu_s, rss_bytes, page_faults;  ///< rounds = 0 when there is nothing
  std::map<std::string, Interval> stages;
  std::optional<Comparison> with_baseline;  ///< where both have an output that may be used
  /// It has a ratio to the baseline.
  [[nodiscard]] bool is_compared() const { return with_baseline && with_baseline->time.rounds > 0; }
  /// It crashed, gave a wrong output or the like: neither measured nor stopped nor left out.
  [[nodiscard]] bool is_broken() const { return is_failure(status) || status == Status::wrong; }
};

/// One slope a round, of ln(time) over ln(size), then the median over rounds.
struct ExponentFinding {
  std::string variant;
  std::string axis;
  std::string of;     ///< stage; "" for the whole timed region
  Params where;       ///< the other axes
  Interval exponent;  ///< rounds = 0 when no round shows it
  std::vector<double> sizes;
  std::vector<Interval> local;  ///< between each size and the next: a bend shows here
};

/// Why a claim is not decided.
enum class Open {
  no,
  too_few_rounds,  ///< or none at all
  across_bound,
  coarse_machine,  ///< its times are too coarse for this claim
  control_moved,
  not_possible,   ///< not measured: this machine, or a trial that ended otherwise
  other_machine,  ///< not measured: the claim is about another kind of machine
  left_out,       ///< not measured: the run did not choose it
};

struct Finding {
  Claim claim;
  Params at;  ///< the measured point; empty when there was none
  Interval interval;
  Verdict verdict = Verdict::undecided;
  Open open = Open::no;
  std::string reason;  ///< one sentence
  /// For a control whose median lies outside its range: how probable that was, were there no
  /// difference.
  std::optional<double> chance;
  /// Not measured because of this machine, not of what the run chose.
  [[nodiscard]] bool by_machine() const {
    return open == Open::not_possible || open == Open::other_machine;
  }
  [[nodiscard]] bool measured() const { return verdict != Verdict::not_measured; }
  [[nodiscard]] bool decided() const {
    return verdict == Verdict::held || verdict == Verdict::refuted;
  }
  [[nodiscard]] bool as_expected() const {
    return !decided() || claim.expected == Verdict::undecided || verdict == claim.expected;
  }
};

struct Judgement {
  std::vector<JudgedCell> cells;  ///< by point, then by variant
  std::vector<ExponentFinding> exponents;
  std::vector<Finding> findings;
};

/// Where the rows were measured, as far as it matters for what they can decide.
struct JudgedMachine {
  std::string kind = "";    ///< CPU model and architecture, for claims of some machines only
  bool hosted_mac = false;  ///< a virtual macOS: its times wander by tens of per cent
};

[[nodiscard]] JudgedMachine judged_machine(const Machine& machine);

/// On a hosted Mac only claims of a factor of 2 and more are decided, and those that need no time
/// (agreement); a control has moved when it moved by as much. Which controls moved, and what that
/// voids, is not decided yet: see rule_controls.
[[nodiscard]] Judgement judge_program(const Case& declared, std::span<const Row> rows,
                                      const JudgedMachine& machine = {});

/// Held when the whole interval lies in the range, refuted when it lies outside, else undecided. No
/// interval (or one of NaN, or at infinity as a whole), no decision. What cannot be measured here
/// is not_measured, and that is no decision.
[[nodiscard]] Verdict decide(const Interval& interval, const Bounds& range);

/// The exit code of a judge, worst first: 13 something could not be measured or was wrong, 14 a
/// control moved, 11 a verdict differs from its expectation, 0 fine.
[[nodiscard]] int claims_exit_code(const Judgement& judgement);

/// How steady a control shows the machine: `within` has its whole interval inside its range; a
/// moved one has its median outside, which chance does not explain (control.hpp); any other is too
/// wide to say.
enum class Steadiness { unknown, within, too_wide, moved };
/// `unknown` for what is no control or has no interval.
[[nodiscard]] Steadiness steadiness(const Finding& finding);
[[nodiscard]] bool control_moved(const Finding& finding);

/// "too_few_rounds", ...; "no" for a decided claim.
[[nodiscard]] std::string word(Open open);

/// The word of a cell's status in files: that of rows, but "wrong_output".
[[nodiscard]] std::string word_of_cell(Status status);

/// "crash: ended by signal 11", "ok".
[[nodiscard]] std::string status_text(const JudgedCell& cell);

/// The cell of a variant at a point; nullptr when there is none.
[[nodiscard]] const JudgedCell* cell_at(const std::vector<JudgedCell>& cells, const Params& point,
                                        const std::string& variant);

/// Whether a point has all the values that are wanted.
[[nodiscard]] bool agrees(const Params& where, const Params& point);

}  // namespace cliffbench
