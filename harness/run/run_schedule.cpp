#include "harness/run/run_schedule.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "harness/host/machine.hpp"
#include "harness/host/stopping.hpp"
#include "harness/judge/claim.hpp"
#include "harness/program/identity.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

volatile std::sig_atomic_t pause_requested = 0;

/// Whether the rows decide every claim that they say anything about.
bool all_decided(const CasePrograms& programs, const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> by_program;
  for (const Row& row : rows) by_program[row.program].push_back(row);
  const JudgedMachine here = judged_machine(describe_machine());
  for (const auto& [name, own] : by_program) {
    const Judgement found = judge_program(programs.at(name).description.declared, own, here);
    for (const Finding& finding : found.findings) {
      const bool open =
          finding.verdict == Verdict::undecided || finding.verdict == Verdict::unproven;
      if (finding.measured() && open && finding.claim.expected != Verdict::undecided) return false;
    }
  }
  return true;
}

/// Between points, so that what is compared stays neighbours. How long it was.
std::chrono::steady_clock::duration pause_if_asked() {
  if (!pause_requested) return {};
  pause_requested = 0;
  const auto start = std::chrono::steady_clock::now();
  say("paused; continue with: kill -CONT {}\n", getpid());
  std::fflush(stdout);
  std::raise(SIGSTOP);
  say("continuing\n");
  std::fflush(stdout);
  return std::chrono::steady_clock::now() - start;
}

}  // namespace

RunSchedule::RunSchedule(const Plan& plan, const CasePrograms& programs, std::vector<Slot> slots,
                         const std::vector<Row>& rows, const StopRule& rule, bool quiet,
                         Workplace& place)
    : plan_(plan),
      programs_(programs),
      slots_(std::move(slots)),
      rule_(rule),
      place_(place),
      progress_(plan_, slots_, rows, quiet),
      log_(fdopen(open_to_append(place.folder() / "trials.log").release(), "a"), std::fclose) {
  std::vector<std::filesystem::path> files;
  for (const auto& [name, identity] : plan.programs) {
    for (auto& file : files_of(programs.at(name))) files.push_back(std::move(file));
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
    } else if (!observe(slot, row)) {
      progress_.ended();
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
  const bool round = !before || slot.round != before->round;
  const bool point = round || cell_of(slot).program != cell_of(*before).program ||
                     cell_of(slot).params != cell_of(*before).params;
  if (point) start_ += pause_if_asked();
  const double spent_s = std::chrono::duration<double>(Clock::now() - start_).count();
  if (round && rule_.until_decided && decided(slot.round - 1)) {
    end_ = End::decided;
  } else if (point && rule_.budget_s > 0 && spent_s >= rule_.budget_s) {
    end_ = End::budget;
  }
  return end_ != End::stopped;
}

void RunSchedule::measured(const Row& row) {
  say(log_.get(), "{}\n", progress_.finished(slots_[begun_ - 1], row));
  std::fflush(log_.get());
  remember(row);
  if (begun_ == slots_.size()) end_ = End::complete;
}

bool RunSchedule::decided(int rounds) const {
  constexpr int kFirstLook = 6;  // fewer rounds give no interval
  int look = kFirstLook;
  while (look < rounds) look *= 2;
  return look == rounds && all_decided(programs_, rows_);
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

bool RunSchedule::observe(const Slot& slot, Row& row) const {
  const TrialLimits limits{.scratch = place_.scratch(),
                           .timed_s = cell_of(slot).limit_s,
                           .memory_bytes = place_.memory_limit_bytes()};
  return run_trial(programs_.at(row.program).path, limits, row);
}

bool RunSchedule::prime() {
  constexpr double kShort_s = 1;
  std::set<std::string> primed;
  std::vector<Slot> order = slots_;
  const auto seconds = [&](const Slot& slot) {
    return expected_s(cell_of(slot), 1).value_or(INFINITY);
  };
  const auto weight = [&](const Slot& slot) {
    return std::pair(seconds(slot), size_of_point(case_of(slot), cell_of(slot).params));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Slot& a, const Slot& b) { return weight(a) < weight(b); });
  for (const Slot& slot : order) {
    const Cell& cell = cell_of(slot);
    const bool first = primed.insert(cell.program).second;
    const bool quick =
        seconds(slot) < kShort_s && primed.insert(cell.program + '\n' + cell.variant).second;
    if (!first && !quick) continue;
    progress_.priming(slot);
    Row thrown_away = row_of(slot);
    if (!observe(slot, thrown_away)) {
      progress_.ended();
      return false;
    }
    progress_.primed(slot, thrown_away);
  }
  return true;
}

void RunSchedule::remember(const Row& row) {
  if (rule_.until_decided) rows_.push_back(row);
  warn_of_failures(row);
  if (row.status != Status::timeout) return;
  for (size_t i = 0; i < plan_.cells.size(); ++i) {
    const Cell& cell = plan_.cells[i];
    if (cell.program == row.program && cell.name == row.name) stopped_.insert(i);
  }
}

/// A line when trials of a program go wrong one after the other, once until one works again: that
/// needs a person.
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

void pause_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { pause_requested = 1; };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTSTP, SIGUSR1}) sigaction(signal, &action, nullptr);
}

}  // namespace cliffbench
