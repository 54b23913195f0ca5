#include "harness/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "harness/gate/gate_folder.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/gate/pilots.hpp"
#include "harness/gate/second_look.hpp"
#include "harness/gate/sides.hpp"
#include "harness/host/exit_code.hpp"
#include "harness/host/layout.hpp"
#include "harness/host/stopping.hpp"
#include "harness/print/rulings.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The benchmarks that both sides have, without pilots. Throws UserError when there are none.
void add_benchmarks(GatePlan& plan, const Sides& sides, const GateRequest& request) {
  if (sides.programs().empty()) throw UserError("the two folders have no program in common");
  for (const ProgramPair& pair : sides.programs()) {
    if (plan.identities["base " + pair.name] == plan.identities["head " + pair.name]) {
      plan.notes.push_back(pair.name + " is the same file on both sides");
    }
    const CommonBenchmarks& common = sides.common(pair);
    plan.notes.insert(plan.notes.end(), common.notes.begin(), common.notes.end());
    for (const std::string& name : common.names) {
      plan.benchmarks.push_back(
          {.program = pair.name, .name = name, .pilot = {.batches = {.iterations = 0}}});
    }
  }
  if (!plan.benchmarks.empty()) return;
  if (!request.filter.empty()) {
    throw UserError("no benchmark of both sides matches --filter " + request.filter);
  }
  throw UserError(
      "the two sides have no benchmark in common; `PROGRAM --benchmark_list_tests` prints a side's "
      "names");
}

GatePlan new_plan(const GateRequest& request, const Sides& sides) {
  GatePlan plan;
  plan.seed = request.seed ? request.seed : std::random_device()();
  plan.run = utc_now("%Y%m%d-%H%M%S-") + fmt::format("{:04x}", plan.seed & 0xffff);
  plan.base = request.base.string();
  plan.head = request.head.string();
  plan.notes = sides.notes();
  plan.metric = request.metric;
  plan.margin = request.margin;
  plan.must_find = request.must_find;
  plan.arguments = request.arguments;
  plan.identities = sides.identities();
  add_benchmarks(plan, sides, request);
  return plan;
}

/// The folder's plan, if it compared the same.
GatePlan resumed_plan(const GateRequest& request, const Sides& sides) {
  GatePlan plan = read_gate_plan(request.folder);
  require_same_machine(request.folder);
  if (plan.arguments != request.arguments) {
    throw UserError(fmt::format(
        "{} called the programs {}; repeat the same arguments after --", request.folder.string(),
        plan.arguments.empty() ? "without arguments" : "with " + joined(plan.arguments, " ")));
  }
  if (plan.identities != sides.identities()) {
    throw UserError(
        fmt::format("{} compared other programs (these were rebuilt since, or are different ones); "
                    "start a new gate instead",
                    request.folder.string()));
  }
  return plan;
}

int say_stopped(const GateSession& session) {
  session.line.clear();
  const fs::path& folder = session.folder();
  say_wrapped(holds_gate(folder) ? "stopped; to continue, repeat the command with --resume " +
                                       folder.string() + "\n"
                                 : "stopped before the first pair\n");
  return Exit::stopped;
}

/// How much there is to do, and how long that takes.
void announce(const GatePlan& plan, const GateSession& session) {
  const size_t all = plan.benchmarks.size();
  const std::string benchmarks = counted(all, "benchmark");
  if (plan.pilots() < all) {
    say_wrapped(fmt::format(
        "the budget ended after the pilots of {} of {} benchmarks; continue with --resume\n",
        plan.pilots(), all));
  }
  if (plan.by_instructions()) {
    say_wrapped(fmt::format("{}, by instruction counts alone; {}\n", benchmarks,
                            session.folder().string()));
    return;
  }
  double round_s = 0;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) round_s += benchmark.pilot.round_s;
  const auto& budget_s = session.request.budget_s;
  say_wrapped(fmt::format(
      "{}: {} pairs in about {}, at most {} in {}{}; {}\n", benchmarks, kLookPairs.front(),
      clock_time(kLookPairs.front() * round_s), kMostPairs, clock_time(kMostPairs * round_s),
      budget_s ? ", stopped after " + clock_time(*budget_s) : "", session.folder().string()));
  std::fflush(stdout);
}

/// Rules on a benchmark that needs no more pairs, with a second look, and prints the ruling.
void settle(const ComparedBenchmark& benchmark, const GatePlan& plan, const Sides& sides,
            GateSession& session, SecondLook& look) {
  const GateFinding finding =
      look.rule(benchmark, sides.pair_of(benchmark), plan.by_instructions());
  session.line.clear();
  if (stop_requested()) return;
  say_styled(ruling_line(finding, screen()) + "\n");
  std::fflush(stdout);
}

/// One process of a benchmark, its row kept in the folder.
bool measure_trial(Row& row, const ComparedBenchmark& benchmark, const ProgramPair& pair,
                   GateSession& session, std::uint64_t seed) {
  const Batches& batches = benchmark.pilot.batches;
  const fs::path& program = row.variant == "head" ? pair.head : pair.base;
  TrialLimits limits = session.limits();
  limits.layout = layout_seed(seed, static_cast<std::uint64_t>(row.position));
  if (stop_requested() || !run_trial(program, limits, row, batches)) return false;
  if (row.status == Status::timeout) row.iterations = batches.iterations * batches.count;
  session.place.keep(row);
  return true;
}

size_t open_benchmarks(const GatePlan& plan) {
  return static_cast<size_t>(
      std::count_if(plan.benchmarks.begin(), plan.benchmarks.end(),
                    [](const auto& benchmark) { return !benchmark.finding.decided; }));
}

/// Goes round the benchmarks, a pair of each, until all are decided, the budget is over or the user
/// stops it.
void measure_pairs(GatePlan& plan, const Sides& sides, GateSession& session, SecondLook& look) {
  std::mt19937_64 random(plan.seed + static_cast<std::uint64_t>(session.place.session()));
  const auto left_s = [&] { return session.budget.left_s(); };
  for (auto turn = next_turn(plan.benchmarks, left_s(), random); !turn.empty();
       turn = next_turn(plan.benchmarks, left_s(), random)) {
    const bool in_time = next_looks_s(plan.benchmarks) <= left_s();
    for (ComparedBenchmark* benchmark : turn) {
      if (session.budget.over()) return;
      if (in_time && next_looks_s(plan.benchmarks) > left_s()) break;  // others may come first now
      session.line.show(fmt::format("{} of {} decided; measuring {}",
                                    plan.benchmarks.size() - open_benchmarks(plan),
                                    plan.benchmarks.size(), benchmark->name));
      const bool whole = measure_pair(*benchmark, random, [&](Row& row) {
        return measure_trial(row, *benchmark, sides.pair_of(*benchmark), session, plan.seed);
      });
      if (stop_requested()) return;
      if (benchmark->finding.decided) settle(*benchmark, plan, sides, session, look);
      if (!whole) return;
    }
  }
}

int publish(const GatePlan& plan, GateSession& session, Evidence& evidence) {
  session.line.clear();
  const GateRequest& request = session.request;
  const Disturbance disturbance = session.fitness.disturbance();
  if (!plan.by_instructions() && !request.trust_times) evidence.unfit = why_unfit(disturbance);
  GateReport report = report_of(plan, evidence, session.place.session());
  if (const std::string disturbed = disturbance_text(disturbance); !disturbed.empty()) {
    report.notes.push_back(disturbed + "; this widens the intervals but favours neither side");
  }
  write_evidence(evidence, session.folder());
  session.place.end_session();
  report.open = plan.by_instructions() ? 0 : open_benchmarks(plan);
  report.strict = request.strict;
  report.seconds = session.budget.spent_s();
  return publish_rulings(report, session.folder());
}

}  // namespace

int run_gate(const GateRequest& request) {
  GateSession session(request);
  const Sides sides(request, session.folder() / "sides");
  session.place.watch(sides.files());
  GatePlan plan = request.resume ? resumed_plan(request, sides) : new_plan(request, sides);
  const bool is_whole = request.resume && plan.pilots() == plan.benchmarks.size();
  measure_pilots(plan, sides, session);
  session.line.clear();
  if (stop_requested()) return say_stopped(session);
  if (!is_whole) write_gate_plan(plan, session.folder());
  read_rows_of(plan, session.folder());
  session.place.begin_session({.run = plan.run, .seed = plan.seed, .profile = "gate"},
                              request.command);
  announce(plan, session);
  SecondLook look(session);
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    const bool done = plan.by_instructions() || benchmark.finding.decided;
    if (done && !stop_requested()) settle(benchmark, plan, sides, session, look);
  }
  if (!plan.by_instructions()) measure_pairs(plan, sides, session, look);
  return stop_requested() ? say_stopped(session) : publish(plan, session, look.evidence);
}

}  // namespace cliffbench
