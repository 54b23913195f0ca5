#pragma once

/// Every verb refuses a folder's rows for this: one trial twice, and rows that are not in its plan.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/plan/plan.hpp"
#include "harness/record/folder.hpp"

namespace cliffbench {

/// Checks the rows of one folder, given one by one.
class RowCheck {
 public:
  /// Without a plan (several runs merged, a gate) only repeated trials are found.
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
  /// Whether the row's trial has a row already: found by its slot in a plan, or by cell and round.
  std::vector<bool>::reference of_slot(const Row& row);
  std::vector<bool>::reference of_round(const Row& row);
  [[noreturn]] void refuse(const char* what, const Row& row) const;

  std::filesystem::path file_;
  std::optional<Plan> plan_;
  std::vector<Slot> slots_;
  std::vector<bool> measured_;                                 // of slots_
  std::unordered_map<std::string, std::vector<bool>> rounds_;  // measured, by cell
  std::int64_t taken_ = 0;
};

/// Calls for_each_row (folder.hpp) on the folder's rows.jsonl; `check` takes each row first.
void for_each_checked_row(const std::filesystem::path& folder, RowCheck& check,
                          std::vector<LeftOut>& left_out,
                          const std::function<void(Row, const std::string&)>& visit);

}  // namespace cliffbench
