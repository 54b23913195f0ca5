#include "harness/suite/run/run_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/host/layout.hpp"
#include "harness/core/host/stopping.hpp"
#include "harness/core/program/identity.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
RunSchedule::RunSchedule(const Plan& plan, const RunRequest& request, std::vector<Slot> slots,
                         const std::vector<Row>& rows, const Costs& costs, Workplace& place)
    : plan_(plan),
      programs_(request.programs),
      slots_(std::move(slots)),
      budget_s_(request.budget_s),
      costs_(costs),
      place_(place),
      progress_(plan_, slots_, rows, costs, request.quiet),
      log_(fdopen(open_to_append(place.folder() / "trials.log").release(), "a"), std::fclose) {
  std::vector<std::filesystem::path> files;
  for (const auto& [name, identity] : plan.programs) {
    for (auto& file : files_of(programs_.at(name))) files.push_back(std::move(file));
  }
  place_.watch(files);
  for (const Row& row : rows) remember(row);
}

const Case& RunSchedule::case_of(const Slot& slot) const {
  return programs_.at(cell_of(slot).program).description.declared;
}

void RunSchedule::measure() {
  while (!stop_requested() && !ends_before_next()) {
    const Slot& slot = slots_[begun_++];
    progress_.started(slot);
    Row row = row_of(slot);
    row.reason = why_skipped(slot);
    if (!row.reason.empty()) {
      row.status = Status::skipped;
    } else if (!run_slot(slot, row)) {
      return;
    }
    place_.keep(row);
    measured(row);
  }
}

bool RunSchedule::ends_before_next() {
  if (end_ == End::complete) return true;
  if (begun_ == 0) start_ = Clock::now();
  const Slot& slot = slots_[begun_];
  const Slot* before = begun_ ? &slots_[begun_ - 1] : nullptr;
  const bool point = !before || slot.round != before->round ||
                     cell_of(slot).program != cell_of(*before).program ||
                     cell_of(slot).params != cell_of(*before).params;
  const double spent_s = std::chrono::duration<double>(Clock::now() - start_).count();
  if (point && budget_s_ > 0 && spent_s >= budget_s_) end_ = End::budget;
  return end_ != End::stopped;
}

void RunSchedule::measured(const Row& row) {
  say(log_.get(), "{}\n", progress_.finished(slots_[begun_ - 1], row));
  std::fflush(log_.get());
  remember(row);
  if (begun_ == slots_.size()) end_ = End::complete;
}

Row RunSchedule::row_of(const Slot& slot) const {
  const Cell& cell = cell_of(slot);
  Row row;
  row.program = cell.program;
  row.case_name = cell.case_name;
  row.subject = cell.subject;
  row.name = cell.name;
  row.variant = cell.variant;
  row.params = cell.params;
  row.round = slot.round;
  row.position = slot.position;
  row.limit_s = cell.limit_s;
  return row;
}

bool RunSchedule::run_slot(const Slot& slot, Row& row) const {
  const TrialLimits limits{
      .scratch = place_.scratch(),
      .timed_s = cell_of(slot).limit_s,
      .memory_bytes = place_.memory_limit_bytes(),
      .layout = layout_seed(plan_.seed, static_cast<std::uint64_t>(slot.position))};
  return run_trial(programs_.at(row.program).path, limits, row);
}

bool RunSchedule::warm_up() {
  constexpr double kShort_s = 1;
  std::set<std::string> warm;
  std::vector<Slot> order = slots_;
  const auto seconds = [&](const Slot& slot) {
    const auto& cost = costs_[slot.cell];
    return cost ? expected_s(cell_of(slot), *cost, 1) : INFINITY;
  };
  const auto weight = [&](const Slot& slot) {
    return std::pair(seconds(slot), size_of_point(case_of(slot), cell_of(slot).params));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Slot& a, const Slot& b) { return weight(a) < weight(b); });
  for (const Slot& slot : order) {
    const Cell& cell = cell_of(slot);
    const bool first = warm.insert(cell.program).second;
    const bool quick =
        seconds(slot) < kShort_s && warm.insert(cell.program + '\n' + cell.variant).second;
    if (!first && !quick) continue;
    progress_.warming_up(slot);
    Row thrown_away = row_of(slot);
    if (!run_slot(slot, thrown_away)) return false;
  }
  return true;
}

void RunSchedule::remember(const Row& row) {
  warn_of_failures(row);
  if (row.status != Status::timeout) return;
  for (size_t i = 0; i < plan_.cells.size(); ++i) {
    const Cell& cell = plan_.cells[i];
    if (cell.program == row.program && cell.name == row.name) stopped_.insert(i);
  }
}

/// Warns, once until a trial works again, when trials of a program fail one after the other: a
/// person should look.
void RunSchedule::warn_of_failures(const Row& row) {
  constexpr int kEnough = 3;
  int& failures = failures_[row.program];
  failures = is_failure(row.status) ? failures + 1 : 0;
  if (failures != kEnough) return;
  say(stderr, "warning: {} trials of {} in a row went wrong; the last: {}\n", kEnough, row.program,
      row.reason);
}

std::string RunSchedule::why_skipped(const Slot& slot) const {
  if (stopped_.contains(slot.cell) && !plan_.cells[slot.cell].every_round)
    return "stopped at its limit in an earlier round";
  for (const size_t stopped : stopped_) {
    if (!is_larger(case_of(slot), cell_of(slot), plan_.cells[stopped])) continue;
    return fmt::format("a smaller size did not finish ({})",
                       point_text(plan_.cells[stopped].params));
  }
  return "";
}

}  // namespace cliffbench
