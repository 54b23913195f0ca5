#pragma once

/// The one loop in which everything is measured: one fresh process after the other, a row kept
/// after each. What comes next, and when it ends, is a schedule: the rounds of a run.

#include <functional>
#include <optional>

#include "harness/engine/workplace.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

/// Measures once, in a fresh process: fills in the row's status, reason, times, digest. False: the
/// user stopped it, or the budget is over; then there is no row.
using Observe = std::function<bool(Row&)>;

/// What is measured next.
struct Trial {
  Row row;          ///< says which trial it is
  Observe observe;  ///< none: the row has its status already
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  /// Nothing: it ends.
  [[nodiscard]] virtual std::optional<Trial> next() = 0;
  /// The row of the trial asked for last, which is kept already.
  virtual void measured(const Row& row) = 0;
  /// The trial asked for last has no row.
  virtual void cut_short() {}
};

/// Until the schedule ends or a trial is cut short. False: the user stopped it.
bool measure(Schedule& schedule, const std::function<void(Row&)>& keep);

/// The same, into a folder: rows of its run and present session, with its checks after each.
bool measure(Schedule& schedule, Workplace& place);

}  // namespace cliffbench
