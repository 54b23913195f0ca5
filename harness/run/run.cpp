#include "harness/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "harness/case/case.hpp"
#include "harness/host/exit_code.hpp"
#include "harness/host/machine.hpp"
#include "harness/host/orphans.hpp"
#include "harness/host/process.hpp"
#include "harness/host/text.hpp"
#include "harness/judge/claim.hpp"
#include "harness/plan/shard.hpp"
#include "harness/print/progress.hpp"
#include "harness/program/identity.hpp"
#include "harness/program/scratch.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/record.hpp"
#include "harness/record/row.hpp"
#include "harness/record/session.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

volatile std::sig_atomic_t pause_requested = 0;

/// Whether the rows decide every claim that they say anything about.
bool all_decided(const CasePrograms& programs, const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> by_program;
  for (const Row& row : rows) by_program[row.program].push_back(row);
  const Machine machine = describe_machine();
  const JudgedMachine here =
      judged_machine(machine.cpu, machine.arch, machine.os, machine.virtualised);
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

/// The measuring itself, with what it must remember between trials.
class Measuring {
 public:
  enum class End { complete, stopped, budget, decided };

  Measuring(const RunRequest& request, const Plan& plan, const fs::path& folder, RowWriter& writer,
            const std::vector<Row>& rows, std::vector<Slot> slots)
      : request_(request),
        plan_(plan),
        slots_(std::move(slots)),
        progress_(plan_, slots_, rows, request.quiet),
        writer_(writer),
        session_(folder, plan, {request.command}),
        scratch_(fs::weakly_canonical(folder) / "scratch" / std::to_string(session_.number())),
        log_(fdopen(open_to_append(folder / "trials.log").release(), "a"), std::fclose),
        watch_(request.programs, plan) {
    make_folder(scratch_);
    limits_.memory_bytes =
        request.memory_limit_bytes ? request.memory_limit_bytes : available_memory_bytes() / 10 * 9;
    for (const Row& row : rows) remember(row);
    begun_elsewhere_ = begun_on_others(folder, rows);
  }

  End all() {
    const End end = prime() ? trials() : End::stopped;
    session_.end();
    std::error_code ignored;
    fs::remove_all(scratch_.parent_path(), ignored);
    return end;
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Turn = std::tuple<std::string, Params, int>;  // a point of a program in one round

  /// What another machine of this kind has begun (a requeued job): its pairs are not ours to end.
  std::set<Turn> begun_on_others(const fs::path& folder, const std::vector<Row>& rows) const {
    const auto sessions = read_sessions(folder);
    const std::string here = host_id(plan_.run);
    std::set<Turn> turns;
    for (const Row& row : rows) {
      const auto session = sessions.find(fmt::format("{}.{}", row.run, row.session));
      const bool known = session != sessions.end() && !session->second.host.empty();
      if (known && session->second.host != here) turns.insert({row.program, row.params, row.round});
    }
    return turns;
  }

  End trials() {
    auto start = Clock::now();
    for (size_t i = 0; i < slots_.size(); ++i) {
      const bool round = i == 0 || slots_[i].round != slots_[i - 1].round;
      const bool point = round || !same_point(slots_[i], slots_[i - 1]);
      if (point) start += pause_if_asked();
      if (round && i > 0 && !same_descriptions()) return End::stopped;
      if (round && request_.until_decided && decided(slots_[i].round - 1)) return End::decided;
      const double spent_s = std::chrono::duration<double>(Clock::now() - start).count();
      if (point && request_.budget_s > 0 && spent_s >= request_.budget_s) {
        return same_descriptions() ? End::budget : End::stopped;
      }
      if (!one(slots_[i])) return End::stopped;
    }
    (void)same_descriptions();  // all rows are there
    return End::complete;
  }

  [[nodiscard]] bool same_point(const Slot& a, const Slot& b) const {
    const Cell& one = plan_.cells[a.cell];
    const Cell& other = plan_.cells[b.cell];
    return one.program == other.program && one.params == other.params;
  }

  /// Between points, so that what is compared stays neighbours. How long it was.
  Clock::duration pause_if_asked() {
    if (!pause_requested) return {};
    pause_requested = 0;
    const auto start = Clock::now();
    fmt::print("paused; go on with: kill -CONT {}\n", getpid());
    std::fflush(stdout);
    std::raise(SIGSTOP);
    fmt::print("going on\n");
    std::fflush(stdout);
    return Clock::now() - start;
  }

  /// Throws CannotMeasure when a program does not describe itself as at the start. False: the user
  /// stopped the run.
  [[nodiscard]] bool same_descriptions() const {
    for (const auto& [name, identity] : plan_.programs) {
      const CaseProgram& program = request_.programs.at(name);
      std::map<std::string, Description> now;
      try {
        now = describe_program(program.path);
      } catch (const CannotMeasure&) {
        if (stop_requested()) return false;
        throw;
      }
      const auto found = now.find(name);
      if (found != now.end() && describe(found->second) == describe(program.description)) continue;
      throw CannotMeasure(
          fmt::format("{} describes itself otherwise than at the start; the rows so far stay, but "
                      "do not trust those of the last round",
                      name));
    }
    return true;
  }

  [[nodiscard]] bool decided(int rounds) const {
    constexpr int kFirstLook = 6;  // fewer rounds give no interval
    int look = kFirstLook;
    while (look < rounds) look *= 2;
    return look == rounds && all_decided(request_.programs, rows_);
  }

  [[nodiscard]] Row row_of(const Slot& slot) const {
    const Cell& cell = plan_.cells[slot.cell];
    Row row;
    row.run = plan_.run;
    row.session = session_.number();
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

  bool measure(const Slot& slot, Row& row) {
    const Cell& cell = plan_.cells[slot.cell];
    TrialLimits limits = limits_;
    limits.timed_s = cell.limit_s;
    return run_trial(request_.programs.at(cell.program).path, scratch_, limits, row);
  }

  /// One trial of each program, and of each variant expected to take under a second, is thrown
  /// away: the first start pays for cold files.
  bool prime() {
    constexpr double kShort_s = 1;
    std::set<std::string> primed;
    std::vector<Slot> order = slots_;
    const auto seconds = [&](const Slot& slot) {
      return expected_s(plan_.cells[slot.cell], 1).value_or(INFINITY);
    };
    const auto weight = [&](const Slot& slot) {
      const Cell& cell = plan_.cells[slot.cell];
      const Case& declared = request_.programs.at(cell.program).description.declared;
      return std::pair(seconds(slot), size_of_point(declared, cell.params));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Slot& a, const Slot& b) { return weight(a) < weight(b); });
    for (const Slot& slot : order) {
      const Cell& cell = plan_.cells[slot.cell];
      const bool first = primed.insert(cell.program).second;
      const bool quick =
          seconds(slot) < kShort_s && primed.insert(cell.program + '\n' + cell.variant).second;
      if (!first && !quick) continue;
      progress_.priming(cell.program + " " + cell.variant);
      Row thrown_away = row_of(slot);
      if (!measure(slot, thrown_away)) return false;
      progress_.primed(slot, thrown_away);
    }
    return true;
  }

  bool one(const Slot& slot) {
    Row row = row_of(slot);
    progress_.started(slot);
    const std::string reason = why_skipped(slot);
    if (!reason.empty()) {
      row.status = Status::skipped;
      row.reason = reason;
    } else if (!measure(slot, row)) {
      return false;
    }
    if (row.status == Status::failed || row.status == Status::crash)
      require_room_for_results(scratch_);
    const std::string changed = watch_.changed();
    if (!changed.empty()) {
      throw CannotMeasure(changed + " was changed while it was measured; start a new run");
    }
    writer_.append(row);
    fmt::print(log_.get(), "{}\n", progress_.finished(slot, row));
    std::fflush(log_.get());
    remember(row);
    return true;
  }

  void remember(const Row& row) {
    if (request_.until_decided) rows_.push_back(row);
    call_for_help(row);
    if (row.status != Status::timeout) return;
    for (size_t i = 0; i < plan_.cells.size(); ++i) {
      if (plan_.cells[i].program == row.program && plan_.cells[i].name == row.name)
        stopped_.insert(i);
    }
  }

  /// A line when trials of a program go wrong one after the other, once until one works again: that
  /// needs a person.
  void call_for_help(const Row& row) {
    constexpr int kEnough = 3;
    int& failures = failures_[row.program];
    const bool useless =
        row.status == Status::crash || row.status == Status::failed || row.status == Status::oom;
    failures = useless ? failures + 1 : 0;
    if (failures != kEnough) return;
    fmt::print(stderr, "attention: {} trials of {} in a row went wrong; the last: {}\n", kEnough,
               row.program, row.reason);
  }

  [[nodiscard]] std::string why_skipped(const Slot& slot) const {
    const size_t cell = slot.cell;
    if (stopped_.contains(cell)) return "stopped at its limit in an earlier round";
    if (begun_elsewhere_.contains(
            {plan_.cells[cell].program, plan_.cells[cell].params, slot.round}))
      return "the round of this point was begun on another machine";
    const Case& declared = request_.programs.at(plan_.cells[cell].program).description.declared;
    for (const size_t stopped : stopped_) {
      if (!is_larger(declared, plan_.cells[cell], plan_.cells[stopped])) continue;
      return fmt::format("a smaller size did not finish ({})",
                         point_text(plan_.cells[stopped].params));
    }
    return "";
  }

  const RunRequest& request_;
  const Plan& plan_;
  std::vector<Slot> slots_;
  Progress progress_;
  RowWriter& writer_;
  Session session_;
  fs::path scratch_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> log_;  // for people; the rows are what counts
  Watch watch_;
  TrialLimits limits_;
  std::set<size_t> stopped_;
  std::set<Turn> begun_elsewhere_;
  std::map<std::string, int> failures_;  // of each program, from its first trial
  std::vector<Row> rows_;                // for --until-decided only
};

void listen_to_signals() {
  stop_on_signals();
  struct sigaction action {};
  action.sa_handler = [](int) { pause_requested = 1; };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTSTP, SIGUSR1}) sigaction(signal, &action, nullptr);
}

/// The plan to measure, and whether its folder has begun already.
struct Started {
  Plan plan;
  fs::path folder;
  bool exists = false;
};

Started start(const RunRequest& request) {
  if (!request.resume) require_no_link(request.folder);
  Started started{{}, request.folder, is_there(request.folder / "plan.json")};
  if (request.resume) {
    if (!started.exists) {
      throw UserError(request.folder.string() + " holds no run to resume (it has no plan.json)");
    }
    started.plan = read_plan(request.folder / "plan.json");
    if (started.plan.shard.count == 1 && !started.plan.whole()) {
      throw UserError(request.folder.string() +
                      " holds merged shards, and others are missing; go on with each shard's own "
                      "folder and merge them again");
    }
  } else if (!request.plan_file.empty()) {
    started.plan = read_plan(request.plan_file, Links::followed);
    if (!started.plan.whole()) {
      throw UserError(request.plan_file.string() +
                      " is a shard's part of a plan; name the file that cliffbench plan wrote");
    }
    started.plan = part_of(started.plan, request.shard);
    if (started.folder.empty()) {
      const auto [index, count] = request.shard;
      started.folder = fmt::format("results/local/{}{}", started.plan.run,
                                   count > 1 ? fmt::format("-{}of{}", index, count) : "");
      started.exists = is_there(started.folder / "plan.json");
    }
    if (started.exists &&
        plan_json(read_plan(started.folder / "plan.json")) != plan_json(started.plan)) {
      throw UserError(fmt::format("{} holds another plan or another shard; choose another folder",
                                  started.folder.string()));
    }
  } else if (started.exists) {
    throw UserError(
        fmt::format("{0} holds a run already; go on with it by --resume {0}, or choose "
                    "another folder",
                    request.folder.string()));
  } else {
    started.plan = make_plan(request.programs, request.wish, request.seed);
  }
  std::error_code missing;
  if (!started.exists && fs::file_size(started.folder / "rows.jsonl", missing) > 0 && !missing) {
    throw UserError(fmt::format("{} holds rows that no plan belongs to; choose another folder",
                                started.folder.string()));
  }
  if (!started.exists && is_there(started.folder / "scratch")) {
    throw UserError(
        fmt::format("{} holds something named scratch that is of no run; choose "
                    "another folder",
                    started.folder.string()));
  }
  if (request.resume || !request.plan_file.empty()) {
    require_same_programs(started.plan, request.programs);
  }
  return started;
}

/// How far the estimate was off, for whoever believed it.
void say_time(const Estimate& expected, double seconds) {
  if (expected.unknown_trials || expected.trials == 0) return;
  fmt::print("took {}; by the runs before it was {}\n", clock_time(seconds),
             clock_time(expected.wall_s));
}

int say_end(Measuring::End end, const Plan& plan, const fs::path& folder) {
  const std::string go_on =
      fmt::format("go on with: cliffbench run --resume {}\n", folder.string());
  switch (end) {
    case Measuring::End::stopped:
      fmt::print("stopped; {}", go_on);
      return Exit::stopped;
    case Measuring::End::budget:
      fmt::print("the budget is spent; {}", go_on);
      return 0;
    case Measuring::End::decided:
      fmt::print("every claim is decided; for the rest, {}", go_on);
      return 0;
    case Measuring::End::complete:
      break;
  }
  if (plan.shard.count > 1) fmt::print("shard {} is complete\n", shard_text(plan.shard));
  return 0;
}

}  // namespace

int run_benchmarks(const RunRequest& request) {
  const auto [plan, folder, exists] = start(request);
  if (request.dry_run) {  // reads only, while another runner may be at work
    std::vector<LeftOut> ignored;
    const bool begun = exists && is_there(folder / "rows.jsonl");
    const std::vector<Slot> slots =
        begun ? still_to_do(plan, read_rows(folder / "rows.jsonl", ignored), folder)
              : slots_of(plan);
    fmt::print("{}\n", estimate_text(plan, estimate(plan, slots)));
    return 0;
  }
  Estimate total;
  if (!exists) {
    total = estimate(plan, slots_of(plan));
    make_folder(folder);
    fmt::print("{}\n", estimate_text(plan, total));
    require_room(total);
  }
  listen_to_signals();
  RowWriter writer(folder / "rows.jsonl");  // from here on nobody else writes to the folder
  if (!exists) {
    if (!write_new_file(folder / "plan.json", record_text(plan_json(plan)))) {
      throw CannotMeasure(folder.string() + " has just been begun by another cliffbench run");
    }
    keep_descriptions(request.programs, plan, folder, true);
  }
  const fs::path scratch = fs::weakly_canonical(folder) / "scratch";
  end_leftovers(scratch);  // of a start that was killed
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  std::vector<LeftOut> left_out;
  const std::vector<Row> rows = read_rows(folder / "rows.jsonl", left_out);
  if (writer.cut_a_line()) {
    left_out.push_back({0, (folder / "rows.jsonl").string() + " ended in an unfinished line"});
  }
  for (const LeftOut& one : left_out) fmt::print("{}; it is measured again\n", one.text);
  const std::vector<Slot> slots = still_to_do(plan, rows, folder);
  if (exists) {
    require_same_machine(folder);
    require_same_declarations(request.programs, plan, folder);
    keep_descriptions(request.programs, plan, folder, false);
    total = estimate(plan, slots);
    fmt::print("{}\n", estimate_text(plan, total));
    if (slots.empty()) return 0;
    require_room(total);
  }
  Measuring measuring(request, plan, folder, writer, rows, slots);
  const auto begun = std::chrono::steady_clock::now();
  const Measuring::End end = measuring.all();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  if (end == Measuring::End::complete) say_time(total, took.count());
  return say_end(end, plan, folder);
}

}  // namespace cliffbench
