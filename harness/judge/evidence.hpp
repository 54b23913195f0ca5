#pragma once

/// The second signals of a gate beside time: instruction counts, other layouts, the machine's
/// fitness; and the rules of each and of them together (pure).

#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/gate.hpp"

namespace cliffbench {

struct Evidence {
  using Key = std::pair<std::string, std::string>;  ///< program, benchmark
  std::string unfit;                                ///< fitness.hpp
  std::map<Key, Instructions> instructions;
  std::map<Key, std::string> not_counted;      ///< why
  std::map<Key, std::vector<double>> layouts;  ///< ln(t_head / t_base) in each relinked layout
};

/// The second signal: same instructions make a regression a layout suspect and an inconclusive time
/// (weakly) ok; more than the margin makes what is slower by its whole interval a regression.
/// Counts that can be none change nothing.
void add_instructions(GateFinding& finding, const Instructions& counted);

/// By instructions alone; inconclusive when the counts can be none.
void rule_by_instructions(GateFinding& finding, const Instructions& counted);

/// A suspect relinked: ln(t_head / t_base) in the median of each of the layouts. Regression when
/// their interval lies above the margin, ok when their median lies within it, else inconclusive.
void rule_by_layouts(GateFinding& finding, std::span<const double> log_ratios);

/// Rules a finding of times again with what else is known. `by_instructions`: they alone decide.
void apply_evidence(GateFinding& finding, const Evidence& evidence, bool by_instructions);
void apply_evidence(GateReport& report, const Evidence& evidence, bool by_instructions);

}  // namespace cliffbench
