#pragma once

/// The judge of claims: rows of one program on one machine -> cells, ratios, verdicts. Pure.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/case/describe.hpp"
#include "harness/host/machine.hpp"
#include "harness/judge/judged_cell.hpp"
#include "harness/judge/stats.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

/// time (memory) of the baseline / time (memory) of the variant, paired by round.
struct RatioFinding {
  std::string variant;
  Params params;
  Role role = Role::patch;
  Interval ratio, rss_ratio;
};

struct ExponentFinding {
  std::string variant;
  std::string axis;
  std::string of;  ///< stage; "" for the whole timed region
  Params where;    ///< the other axes
  Interval exponent;
  std::vector<double> sizes;
  std::vector<Interval> local;  ///< between each size and the next: a bend shows here
};

struct Finding {
  Claim claim;
  Params at;  ///< the measured point; empty when there was none
  Interval seen;
  Verdict verdict = Verdict::undecided;
  std::string reason;       ///< one sentence
  bool by_machine = false;  ///< not measured because of this machine, not of what the run chose
  [[nodiscard]] bool measured() const { return verdict != Verdict::not_measured; }
  [[nodiscard]] bool as_expected() const {
    const bool open = claim.expected == Verdict::undecided;
    return open || verdict == Verdict::undecided || !measured() || verdict == claim.expected;
  }
};

struct Judgement {
  std::vector<JudgedCell> cells;
  std::vector<RatioFinding> ratios;
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
/// (agreement); a control has moved when it moved by as much.
[[nodiscard]] Judgement judge_program(const Case& declared, std::span<const Row> rows,
                                      const JudgedMachine& machine = {});

/// Held when the whole interval lies in the range, refuted when it lies outside, else undecided. No
/// interval (or one of NaN, or at infinity as a whole), no decision. What cannot be measured here
/// is not_measured, and that is no decision.
[[nodiscard]] Verdict decide(const Interval& seen, const Bounds& range);

/// The exit code of a judge, worst first: 13 something could not be measured or was wrong, 14 a
/// control moved, 11 a verdict differs from its expectation, 0 fine.
[[nodiscard]] int exit_code(const Judgement& judgement);

/// What a control says of the machine: a quiet one has its whole interval inside its range, a moved
/// one outside; one that reaches across an edge is too wide to say.
enum class Steadiness { unknown, quiet, too_wide, moved };
/// `unknown` for what is no control or has no interval.
[[nodiscard]] Steadiness steadiness(const Finding& finding);
[[nodiscard]] bool control_moved(const Finding& finding);

}  // namespace cliffbench
