#pragma once

/// The questions that cases declare (case.hpp), answered in words and figures by what was judged.
/// Pure.

#include <span>
#include <string>
#include <vector>

#include "harness/print/verdicts.hpp"

namespace cliffbench {

struct AnswerText {
  std::string core;     ///< both times and their ratio, or why there is none
  std::string further;  ///< the other ratios, or ""
};

struct Answered {
  std::string question;
  std::vector<AnswerText> answers;  ///< one a program and set
};

/// In the order of the programs. When no case declares a question, each case is asked what its
/// variant of the most patches gives, the slowest baselines first.
[[nodiscard]] std::vector<Answered> answered(std::span<const Judged> all);

}  // namespace cliffbench
