#pragma once

/// What a person sees during a run: on a terminal one line per cell, redrawn in place; elsewhere
/// one line per trial.

#include <map>
#include <string>
#include <vector>

#include "harness/plan/plan.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

class Progress {
 public:
  /// `slots` are those still to do, `rows` those that a resumed run has already.
  /// A quiet one prints nothing.
  Progress(const Plan& plan, const std::vector<Slot>& slots, const std::vector<Row>& rows,
           bool quiet);

  void priming(const std::string& program);
  /// A trial that is thrown away still says how much slower this machine is than expected.
  void primed(const Slot& slot, const Row& row);
  void started(const Slot& slot);
  /// Returns the trial in one line, for the log.
  std::string finished(const Slot& slot, const Row& row);

  /// Time left: each remaining trial at its cell's mean so far, before that at what the program
  /// expects of it, scaled by how the expectations of the measured cells turned out; a cell that
  /// was stopped at its limit is not tried again. NaN while nothing is known.
  [[nodiscard]] double seconds_left() const;

 private:
  struct Seen {
    int done = 0;
    int planned = 0;
    int not_ok = 0;
    bool stopped = false;
    double process_s = 0;
    double wall_s = 0;
    int timed = 0;
    std::string status;
  };

  void count(const Row& row);
  [[nodiscard]] std::string cell_line(size_t cell) const;
  [[nodiscard]] std::string ratio_text(size_t cell) const;
  void redraw(const std::string& headline);

  const Plan& plan_;
  std::map<std::string, size_t> cell_by_name_;  // program + name
  std::map<size_t, size_t> baseline_;           // of each cell that has one
  std::vector<Seen> seen_;
  double primed_s_ = 0;           // of trials thrown away that had an expectation,
  double primed_expected_s_ = 0;  // and what was expected of them
  size_t total_ = 0;
  size_t done_ = 0;
  bool quiet_ = false;
  bool terminal_ = false;
  bool colour_ = false;
  int lines_drawn_ = 0;
};

}  // namespace cliffbench
