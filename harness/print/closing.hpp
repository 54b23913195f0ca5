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

constexpr std::size_t kClosingLines = 14;  ///< 15 with the line that scripts/bench adds

/// The sentence, the cases' questions with their answers, what did not go as expected or could not
/// be measured and why, the machine, and `where` the rest is ("" for nothing). Nothing is cut: what
/// does not fit into kClosingLines (20 in a narrow terminal) is counted, except the first answer
/// and the first of each kind of trouble. `sessions`: of the run's folder. `width`: of the
/// terminal, 0 for none. Pure.
[[nodiscard]] std::string closing_text(std::span<const Judged> all, const Summary& summary,
                                       const std::map<std::string, SessionRecord>& sessions,
                                       const std::string& where, std::size_t width);

}  // namespace cliffbench
