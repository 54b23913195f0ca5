#pragma once

/// Every verb refuses a folder's rows for this: one trial twice, and rows that are not in its plan.

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "harness/core/record/folder.hpp"
#include "harness/suite/plan/plan.hpp"

namespace cliffbench {

/// Checks the rows of one folder, given one by one.
class RowCheck {
 public:
  /// Without a plan (several runs merged) only repeated trials are found.
  RowCheck(std::filesystem::path rows_file, std::optional<Plan> plan);
  /// For the folder's rows.jsonl, by its plan.json where it has one.
  explicit RowCheck(const std::filesystem::path& folder);

  /// Throws CannotMeasure for a row of another plan and for the second row of a trial.
  void take(const Row& row);

  [[nodiscard]] const std::optional<Plan>& plan() const { return plan_; }
  /// Trials of the plan's shard, and those without a row.
  [[nodiscard]] std::int64_t planned() const;
  [[nodiscard]] std::int64_t missing() const { return planned() - taken_; }
  /// The plan's slots without a row, in their order.
  [[nodiscard]] std::vector<Slot> to_do() const;

 private:
  /// The row's place in the plan.
  size_t slot_of(const Row& row) const;

  std::filesystem::path file_;
  std::optional<Plan> plan_;
  std::vector<Slot> slots_;
  std::vector<bool> measured_;  // of slots_
  TrialsSeen seen_;             // where there is no plan
  std::int64_t taken_ = 0;
};

/// Calls for_each_row (folder.hpp) on the folder's rows.jsonl; `check` takes each row first.
void for_each_checked_row(const std::filesystem::path& folder, RowCheck& check,
                          std::vector<LeftOut>& left_out,
                          const std::function<void(Row, const std::string&)>& visit);

}  // namespace cliffbench
