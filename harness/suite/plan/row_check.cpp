#include "harness/suite/plan/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/text/text.hpp"
#include "harness/suite/run/run_folder.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

RowCheck::RowCheck(fs::path rows_file, std::optional<Plan> plan)
    : file_(std::move(rows_file)), plan_(std::move(plan)), seen_(file_) {
  if (!plan_) return;
  slots_ = slots_of(*plan_);
  measured_.resize(slots_.size());
}

RowCheck::RowCheck(const fs::path& folder)
    : RowCheck(rows_file(folder), is_there(folder / "plan.json")
                                      ? std::optional(read_plan(folder / "plan.json"))
                                      : std::nullopt) {}

size_t RowCheck::slot_of(const Row& row) const {
  const auto slot = std::ranges::lower_bound(slots_, row.position, {}, &Slot::position);
  const auto refuse = [&] { refuse_row(file_, "a row of another plan", row); };
  if (slot == slots_.end() || slot->position != row.position) refuse();
  const Cell& cell = plan_->cells[slot->cell];
  if (row.run != plan_->run || row.round != slot->round || row.name != cell.name ||
      row.program != cell.program || row.variant != cell.variant || row.params != cell.params) {
    refuse();
  }
  return static_cast<size_t>(slot - slots_.begin());
}

void RowCheck::take(const Row& row) {
  if (plan_) {
    std::vector<bool>::reference measured = measured_[slot_of(row)];
    if (measured) refuse_row(file_, "two rows of one trial", row);
    measured = true;
  } else {
    seen_.take(row);
  }
  ++taken_;
}

std::int64_t RowCheck::planned() const {
  return plan_ ? static_cast<std::int64_t>(slots_.size()) : taken_;
}

std::vector<Slot> RowCheck::to_do() const {
  std::vector<Slot> slots;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!measured_[i]) slots.push_back(slots_[i]);
  }
  return slots;
}

void for_each_checked_row(const fs::path& folder, RowCheck& check, std::vector<LeftOut>& left_out,
                          const std::function<void(Row, const std::string&)>& visit) {
  for_each_row(rows_file(folder), left_out, [&](Row row, const std::string& line) {
    check.take(row);
    visit(std::move(row), line);
  });
}

}  // namespace cliffbench
