#pragma once

/// What the rows of one cell (one variant at one point) say together. Pure.

#include <map>
#include <string>

#include "harness/case/case.hpp"
#include "harness/judge/observe.hpp"
#include "harness/judge/stats.hpp"

namespace cliffbench {

/// The status of a cell whose output is wrong: then no number of it is used.
inline constexpr const char* kWrongOutput = "wrong_output";

/// What the rows of one variant at one point say together.
struct JudgedCell {
  std::string variant;
  Params params;
  std::string status;                 ///< the row's words, or kWrongOutput
  std::map<std::string, int> counts;  ///< rows by status
  std::string checked;                ///< "digest", "oracle only", "nothing"
  std::string reason;
  double limit_s = 0;
  Interval wall_s, cpu_s, rss_bytes, page_faults;  ///< rounds = 0 when there is nothing
  std::map<std::string, Interval> stages;
};

/// `cells` has the references whose digests the cell must give.
[[nodiscard]] JudgedCell judge_cell(const Case& declared, const Cells& cells, const Key& key,
                                    const CellRows& rows);

/// "crash: ended by signal 11", "ok".
[[nodiscard]] std::string status_text(const JudgedCell& cell);

/// It crashed, gave a wrong output or the like: neither measured nor stopped nor left out.
[[nodiscard]] bool broken(const JudgedCell& cell);

/// nullptr when the case has no such variant.
[[nodiscard]] const Variant* variant_of(const Case& declared, const std::string& name);

}  // namespace cliffbench
