#include "harness/record/row_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

void RowCheck::take_planned(const Row& row) {
  const auto slot = std::lower_bound(slots_.begin(), slots_.end(), row.position,
                                     [](const Slot& s, int at) { return s.position < at; });
  if (slot == slots_.end() || slot->position != row.position) refuse("a row of another plan", row);
  const Cell& cell = plan_->cells[slot->cell];
  if (row.run != plan_->run || row.round != slot->round || row.name != cell.name ||
      row.program != cell.program || row.variant != cell.variant || row.params != cell.params) {
    refuse("a row of another plan", row);
  }
  std::vector<bool>::reference measured =
      measured_[static_cast<size_t>(std::distance(slots_.begin(), slot))];
  if (measured) refuse("two rows of one trial", row);
  measured = true;
}

void RowCheck::take(const Row& row) {
  ++taken_;
  if (plan_) return take_planned(row);
  key_.clear();
  fmt::format_to(std::back_inserter(key_), "{}\n{}\n{}\n{}", row.run, row.program, row.name,
                 row.variant);
  std::vector<bool>& rounds = rounds_[key_];
  const auto round = static_cast<size_t>(row.round);
  if (rounds.size() <= round) rounds.resize(round + 1);
  if (rounds[round]) refuse("two rows of one trial", row);
  rounds[round] = true;
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
