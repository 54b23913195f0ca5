#pragma once

/// The lines that a person sees during a run: one per trial and, on a terminal, one below them that
/// shows the current step.

#include <map>
#include <string>
#include <vector>

#include "harness/core/record/row.hpp"
#include "harness/core/text/progress_line.hpp"
#include "harness/suite/plan/plan.hpp"
#include "harness/suite/run/estimate.hpp"

namespace cliffbench {

class Progress {
 public:
  /// `slots` are the trials still to do, `rows` those that a resumed run has already. With `quiet`
  /// nothing is printed.
  Progress(const Plan& plan, const std::vector<Slot>& slots, const std::vector<Row>& rows,
           Costs costs, bool quiet);

  void warming_up(const Slot& slot);
  void started(const Slot& slot);
  /// Returns the trial in one line, for the log.
  std::string finished(const Slot& slot, const Row& row);

  /// Time left, with each remaining trial at its cell's mean so far, or at first at its time in
  /// earlier runs; a cell that was stopped at its limit is not tried again. NaN while one is
  /// unknown.
  [[nodiscard]] double seconds_left() const;

 private:
  struct CellProgress {
    int done = 0;
    int planned = 0;
    bool stopped = false;
    double process_s = 0;
    double wall_s = 0;
    int timed = 0;  ///< trials that have a wall_s
  };

  void count(size_t cell, const Row& row);
  [[nodiscard]] std::string ratio_text(size_t cell) const;
  [[nodiscard]] std::string left_text() const;

  const Plan& plan_;
  std::map<size_t, size_t> baseline_;  // of each cell that has one
  std::vector<CellProgress> cells_;
  Costs costs_;
  size_t total_ = 0;
  size_t done_ = 0;
  bool quiet_ = false;
  ProgressLine line_;
};

}  // namespace cliffbench
