#include "harness/record/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/text/text.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

RowCheck::RowCheck(fs::path rows_file, std::optional<Plan> plan)
    : file_(std::move(rows_file)), plan_(std::move(plan)) {
  if (!plan_) return;
  slots_ = slots_of(*plan_);
  measured_.resize(slots_.size());
}

RowCheck::RowCheck(const fs::path& folder)
    : RowCheck(rows_file(folder), is_there(folder / "plan.json")
                                      ? std::optional(read_plan(folder / "plan.json"))
                                      : std::nullopt) {}

void RowCheck::refuse(const char* what, const Row& row) const {
  throw CannotMeasure(fmt::format("{} holds {} (run {}, {}, round {})", file_.string(), what,
                                  row.run, row.name, row.round));
}

std::vector<bool>::reference RowCheck::of_slot(const Row& row) {
  const auto slot = std::ranges::lower_bound(slots_, row.position, {}, &Slot::position);
  if (slot == slots_.end() || slot->position != row.position) refuse("a row of another plan", row);
  const Cell& cell = plan_->cells[slot->cell];
  if (row.run != plan_->run || row.round != slot->round || row.name != cell.name ||
      row.program != cell.program || row.variant != cell.variant || row.params != cell.params) {
    refuse("a row of another plan", row);
  }
  return measured_[static_cast<size_t>(slot - slots_.begin())];
}

std::vector<bool>::reference RowCheck::of_round(const Row& row) {
  std::vector<bool>& rounds =
      rounds_[fmt::format("{}\n{}\n{}\n{}", row.run, row.program, row.name, row.variant)];
  const auto round = static_cast<size_t>(row.round);
  if (rounds.size() <= round) rounds.resize(round + 1);
  return rounds[round];
}

void RowCheck::take(const Row& row) {
  std::vector<bool>::reference taken = plan_ ? of_slot(row) : of_round(row);
  if (taken) refuse("two rows of one trial", row);
  taken = true;
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
