#pragma once

/// The last lines of a judged run, for people.

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "harness/print/verdicts.hpp"
#include "harness/record/session.hpp"

namespace cliffbench {

constexpr std::size_t kClosingLines = 14;  ///< with one for who calls (scripts/bench) 15

/// At most kClosingLines lines: the sentence, the cases' questions with their answers, what did not
/// go as expected or could not be measured and why, what is known of the machine, and `where` the
/// rest lies ("" for nothing). `sessions`: of the run's folder. `width`: of the terminal, 0 for
/// none. Pure.
[[nodiscard]] std::string closing_text(std::span<const Judged> all, const Summary& summary,
                                       const std::map<std::string, SessionRecord>& sessions,
                                       const std::string& where, std::size_t width);

}  // namespace cliffbench
