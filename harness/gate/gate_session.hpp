#pragma once

/// One call of `cliffbench gate`: what was asked for, its folder, its budget, its terminal.

#include <filesystem>

#include "harness/core/program/program.hpp"
#include "harness/core/record/workplace.hpp"
#include "harness/core/text/progress_line.hpp"
#include "harness/gate/fitness.hpp"
#include "harness/gate/gate.hpp"

namespace cliffbench {

/// Throws UserError when the folder cannot be the gate's: it holds another one, or none to resume.
void require_usable_folder(const GateRequest& request);

struct GateSession {
  /// Makes the folder, in which nobody else measures until the end; throws UserError when it holds
  /// another gate (or, to resume, none), CannotMeasure when another runner is at work there.
  explicit GateSession(const GateRequest& asked, const Budget& budget);

  [[nodiscard]] const std::filesystem::path& folder() const { return request.folder; }
  [[nodiscard]] TrialLimits limits() const;

  const GateRequest& request;
  Budget budget;
  Fitness fitness;
  Workplace place;
  ProgressLine line;
  std::vector<std::string> counters;  ///< that rows keep
  std::vector<std::string> notes;     ///< what trials showed
  bool shuffles = true;               ///< the programs take --benchmark_enable_random_interleaving
};

}  // namespace cliffbench
