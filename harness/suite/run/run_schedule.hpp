#pragma once

/// The schedule of `cliffbench run`: warms up the programs, then a plan's slots one by one.

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/core/record/workplace.hpp"
#include "harness/suite/run/case_programs.hpp"
#include "harness/suite/run/prepare.hpp"
#include "harness/suite/run/progress.hpp"
#include "harness/suite/run/run.hpp"

namespace cliffbench {

class RunSchedule {
 public:
  enum class End { complete, stopped, budget };

  /// `rows` are those that the folder has already. After the request's budget no point begins.
  RunSchedule(const Plan& plan, const RunRequest& request, std::vector<Slot> slots,
              const std::vector<Row>& rows, const Costs& costs, Workplace& place);

  /// Runs and discards one trial of each program, and of each variant expected to take under a
  /// second, because the first start pays for cold files. False: the user stopped it.
  bool warm_up();
  /// One fresh process after the other, a row kept after each.
  void measure();
  [[nodiscard]] End end() const { return end_; }  ///< why it measures no more

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] const Cell& cell_of(const Slot& slot) const { return plan_.cells[slot.cell]; }
  [[nodiscard]] const Case& case_of(const Slot& slot) const;
  [[nodiscard]] Row row_of(const Slot& slot) const;
  [[nodiscard]] std::string why_skipped(const Slot& slot) const;
  [[nodiscard]] bool ends_before_next();
  void measured(const Row& row);
  bool run_slot(const Slot& slot, Row& row) const;
  void remember(const Row& row);
  void warn_of_failures(const Row& row);

  const Plan& plan_;
  const CasePrograms& programs_;
  std::vector<Slot> slots_;
  size_t begun_ = 0;  ///< of slots_
  End end_ = End::stopped;
  Clock::time_point start_ = Clock::now();  ///< the budget counts from here
  double budget_s_;
  Costs costs_;
  Workplace& place_;
  Progress progress_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_;  // for people; the rows are what counts
  std::set<size_t> stopped_;                             // cells that reached their limit
  std::map<std::string, int> failures_;                  // of each program, since one worked
};

}  // namespace cliffbench
