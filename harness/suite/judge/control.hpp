#pragma once

/// The controls of a whole run: each point that has a program and the same program again is
/// compared, and what moved voids its own point. Pure. README.md says how often chance alone moves
/// one.

#include <cstddef>

#include "harness/suite/judge/claim.hpp"

namespace cliffbench {

/// The chance that any control of a run moves although its program equals itself.
inline constexpr double kRunAlarm = 0.01;

/// Whether a control whose median lies outside its range has moved: the chance of such a difference
/// is at most its part of kRunAlarm (Bonferroni). `controls`: of the whole run, > 0.
[[nodiscard]] bool is_beyond_chance(double chance, std::size_t controls);

/// How many controls can move: those with an interval.
[[nodiscard]] std::size_t controls_of(const Judgement& judgement);

/// Decides which controls moved, among so many of the whole run (all its programs and sets), and
/// voids what was measured at their points, nothing else: each ratio there, and each decided claim
/// that needs the point, as its own or as one of those along its axis. Call it once, after
/// judge_program.
void rule_controls(Judgement& judgement, std::size_t controls);

}  // namespace cliffbench
