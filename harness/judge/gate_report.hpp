#pragma once

#include <string>
#include <vector>

#include "harness/judge/gate.hpp"

namespace cliffbench {

/// A whole gate: what was compared, on what machine, and what was found.
struct GateReport {
  std::string base, head;          ///< as the user gave them
  std::string machine;             ///< "Intel(R) Xeon(R) ..., 2 cores"
  std::string unfit;               ///< why times decide nothing here; "" when they do
  std::vector<std::string> notes;  ///< what else should be known, a sentence each
  std::vector<GateFinding> findings;
  PairRule rule;                        ///< of each finding
  std::vector<std::string> arguments;   ///< of the measured programs
  bool has_filter = true;               ///< benchmarks of programs: one can be measured alone
  bool strict = false;
  double seconds = 0;     ///< from the first pilot to the last pair
  double measured_s = 0;  ///< of it, the life of the measured processes
  double control_s = 0;   ///< of that, the control's
  std::size_t open = 0;   ///< findings that the budget left without a decision
  double open_s = 0;      ///< that --resume would take to their next looks

  [[nodiscard]] int exit() const { return exit_code(findings, strict); }
};

}  // namespace cliffbench
