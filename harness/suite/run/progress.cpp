#include "harness/suite/run/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

Progress::Progress(const Plan& plan, const std::vector<Slot>& slots, const std::vector<Row>& rows,
                   Costs costs, bool quiet)
    : plan_(plan),
      cells_(plan.cells.size()),
      costs_(std::move(costs)),
      total_(slots.size()),
      quiet_(quiet),
      line_(quiet) {
  std::map<std::pair<std::string, Params>, size_t> baselines;
  std::map<std::pair<std::string, std::string>, size_t> by_name;
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const Cell& cell = plan.cells[i];
    by_name[{cell.program, cell.name}] = i;
    if (cell.variant == "baseline") baselines[{cell.program, cell.params}] = i;
  }
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const auto baseline = baselines.find({plan.cells[i].program, plan.cells[i].params});
    if (baseline != baselines.end() && baseline->second != i) baseline_[i] = baseline->second;
  }
  for (const Slot& slot : slots) ++cells_[slot.cell].planned;
  for (const Row& row : rows) {
    const auto cell = by_name.find({row.program, row.name});
    if (cell == by_name.end()) continue;
    ++cells_[cell->second].planned;
    count(cell->second, row);
  }
}

void Progress::count(size_t cell, const Row& row) {
  CellProgress& progress = cells_[cell];
  ++progress.done;
  progress.process_s += row.process_s;
  if (row.status == Status::timeout) progress.stopped = true;
  if (row.status != Status::ok) return;
  progress.wall_s += *row.wall_s;
  ++progress.timed;
}

std::string Progress::ratio_text(size_t cell) const {
  const auto baseline = baseline_.find(cell);
  if (baseline == baseline_.end()) return "";
  const CellProgress& slow = cells_[baseline->second];
  const CellProgress& fast = cells_[cell];
  if (!slow.timed || !fast.timed) return "";
  const double ratio = (slow.wall_s / slow.timed) / (fast.wall_s / fast.timed);
  return ", " + three_digits(ratio) + "x so far";
}

double Progress::seconds_left() const {
  double left_s = 0;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const CellProgress& progress = cells_[i];
    if (progress.done) {
      const double mean = progress.process_s / progress.done;
      if (!progress.stopped) left_s += (progress.planned - progress.done) * mean;
    } else if (costs_[i]) {
      left_s += expected_s(plan_.cells[i], *costs_[i], progress.planned);
    } else if (progress.planned) {
      return NAN;
    }
  }
  return left_s;
}

std::string Progress::left_text() const {
  const double left = seconds_left();
  return (std::isnan(left) ? "unknown time" : clock_time(left)) + " left";
}

void Progress::warming_up(const Slot& slot) {
  const Cell& cell = plan_.cells[slot.cell];
  const std::string text = fmt::format("warming up {} {}", cell.program, cell.variant);
  line_.show(text);
  if (quiet_ || line_.shown()) return;
  say("{}\n", text);
  std::fflush(stdout);
}

void Progress::started(const Slot& slot) {
  if (!line_.shown()) return;
  const Cell& cell = plan_.cells[slot.cell];
  line_.show(fmt::format("{}/{} trials, {}; round {}: {} {} {}", done_, total_, left_text(),
                         slot.round, cell.program, cell.variant, point_text(cell.params)));
}

std::string Progress::finished(const Slot& slot, const Row& row) {
  ++done_;
  count(slot.cell, row);
  const std::string result =
      row.status == Status::ok ? duration(*row.wall_s) : word(row.status) + ": " + row.reason;
  const std::string line =
      one_line(fmt::format("[{}/{}] {} {} {}  {}{}  {}", done_, total_, row.program, row.variant,
                           point_text(row.params), result, ratio_text(slot.cell), left_text()));
  if (!quiet_) {
    line_.clear();
    say("{}\n", line);
    std::fflush(stdout);
  }
  return utc_now("%Y-%m-%dT%H:%M:%SZ ") + line;
}

}  // namespace cliffbench
