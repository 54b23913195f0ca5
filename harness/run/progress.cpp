#include "harness/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

winsize terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) size.ws_row = 24;
  if (size.ws_col == 0) size.ws_col = 80;
  return size;
}

}  // namespace

Progress::Progress(const Plan& plan, const std::vector<Slot>& slots, const std::vector<Row>& rows,
                   bool quiet)
    : plan_(plan), seen_(plan.cells.size()), total_(slots.size()), quiet_(quiet) {
  const char* term = std::getenv("TERM");
  terminal_ = !quiet && isatty(STDOUT_FILENO) && term && std::string(term) != "dumb";
  colour_ = !quiet && shows_colour();
  std::map<std::pair<std::string, Params>, size_t> baselines;
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const Cell& cell = plan.cells[i];
    cell_by_name_[cell.program + '\n' + cell.name] = i;
    if (cell.variant == "baseline") baselines[{cell.program, cell.params}] = i;
  }
  for (size_t i = 0; i < plan.cells.size(); ++i) {
    const auto found = baselines.find({plan.cells[i].program, plan.cells[i].params});
    if (found != baselines.end() && found->second != i) baseline_[i] = found->second;
  }
  for (const Slot& slot : slots) ++seen_[slot.cell].planned;
  for (const Row& row : rows) {
    const auto cell = cell_by_name_.find(row.program + '\n' + row.name);
    if (cell != cell_by_name_.end()) ++seen_[cell->second].planned;
  }
  for (const Row& row : rows) count(row);
}

void Progress::count(const Row& row) {
  const auto cell = cell_by_name_.find(row.program + '\n' + row.name);
  if (cell == cell_by_name_.end()) return;
  Seen& seen = seen_[cell->second];
  ++seen.done;
  if (row.status == Status::timeout) seen.stopped = true;
  seen.process_s += row.process_s;
  if (row.status == Status::ok) {
    seen.wall_s += *row.wall_s;
    ++seen.timed;
  } else {
    ++seen.not_ok;
    if (seen.status.empty() || row.status != Status::skipped) seen.status = word(row.status);
  }
}

std::string Progress::ratio_text(size_t cell) const {
  const auto baseline = baseline_.find(cell);
  if (baseline == baseline_.end()) return "";
  const Seen& slow = seen_[baseline->second];
  const Seen& fast = seen_[cell];
  if (!slow.timed || !fast.timed) return "";
  return three_digits((slow.wall_s / slow.timed) / (fast.wall_s / fast.timed)) + "x";
}

double Progress::seconds_left() const {
  double measured_left_s = 0;
  double expected_left_s = 0;
  double means_s = primed_s_;
  double expected_s_of_means = primed_expected_s_;
  for (size_t i = 0; i < seen_.size(); ++i) {
    const Seen& seen = seen_[i];
    const Cell& cell = plan_.cells[i];
    if (seen.done) {
      const double mean = seen.process_s / seen.done;
      if (!seen.stopped) measured_left_s += (seen.planned - seen.done) * mean;
      if (cell.cost) means_s += mean;
      if (cell.cost) expected_s_of_means += *expected_s(cell, 1);
    } else if (cell.cost) {
      expected_left_s += *expected_s(cell, seen.planned);
    } else if (seen.planned) {
      return NAN;
    }
  }
  const double scale = expected_s_of_means > 0 ? means_s / expected_s_of_means : 1;
  return measured_left_s + expected_left_s * scale;
}

std::string Progress::cell_line(size_t cell) const {
  const Seen& seen = seen_[cell];
  const std::string time = seen.timed ? duration(seen.wall_s / seen.timed) : seen.status;
  return fmt::format("{:>2}/{:<2} {:>9} {:>7}  {:<17} {}", seen.done, seen.planned, time,
                     ratio_text(cell), plan_.cells[cell].variant,
                     point_text(plan_.cells[cell].params));
}

void Progress::redraw(const std::string& headline) {
  const winsize size = terminal_size();
  const auto clip = [&](const std::string& text) {
    return cut_middle(one_line(text), size.ws_col - 1);
  };
  if (lines_drawn_) fmt::print("\x1b[{}A", lines_drawn_);
  fmt::print("\x1b[J");
  lines_drawn_ = 0;
  // The cells that are furthest along are the ones that change; a small terminal shows as many as
  // fit.
  size_t room = size.ws_row > 4 ? size.ws_row - 3 : 1;
  std::string program;
  for (size_t i = 0; i < seen_.size() && room > 0; ++i) {
    if (!seen_[i].planned) continue;  // of another shard
    if (plan_.cells[i].program != program) {
      program = plan_.cells[i].program;
      fmt::print("{}{}{}\n", colour_ ? "\x1b[1m" : "", clip(program), colour_ ? "\x1b[0m" : "");
      ++lines_drawn_;
      if (--room == 0) break;
    }
    const bool bad = colour_ && seen_[i].not_ok;
    fmt::print("{}{}{}\n", bad ? "\x1b[31m" : "", clip(cell_line(i)), bad ? "\x1b[0m" : "");
    ++lines_drawn_;
    --room;
  }
  fmt::print("{}\n", clip(headline));
  ++lines_drawn_;
  std::fflush(stdout);
}

void Progress::priming(const std::string& program) {
  if (quiet_) return;
  if (terminal_) {
    redraw("priming " + program);
  } else {
    say("priming {}\n", program);
    std::fflush(stdout);
  }
}

void Progress::primed(const Slot& slot, const Row& row) {
  const Cell& cell = plan_.cells[slot.cell];
  if (row.status != Status::ok || !cell.cost) return;
  primed_s_ += row.process_s;
  primed_expected_s_ += *expected_s(cell, 1);
}

void Progress::started(const Slot& slot) {
  if (!terminal_) return;
  const double left = seconds_left();
  const Cell& cell = plan_.cells[slot.cell];
  redraw(fmt::format("{}/{} trials, {} left; round {}: {} {}", done_, total_,
                     std::isnan(left) ? "unknown time" : clock_time(left), slot.round, cell.variant,
                     point_text(cell.params)));
}

std::string Progress::finished(const Slot& slot, const Row& row) {
  ++done_;
  count(row);
  const double left = seconds_left();
  const std::string ratio = ratio_text(slot.cell);
  const std::string line = one_line(fmt::format(
      "[{}/{}] {} {} {}  {}{}  {} left", done_, total_, row.program, row.variant,
      point_text(row.params),
      row.status == Status::ok ? duration(*row.wall_s) : word(row.status) + ": " + row.reason,
      ratio.empty() ? "" : ", " + ratio + " so far",
      std::isnan(left) ? "unknown time" : clock_time(left)));
  if (terminal_) {
    if (done_ == total_) redraw(fmt::format("{}/{} trials done", done_, total_));
  } else if (!quiet_) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  return utc_now("%Y-%m-%dT%H:%M:%SZ ") + line;
}

}  // namespace cliffbench
