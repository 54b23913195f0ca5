#include "harness/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/host/stopping.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/gate/counting.hpp"
#include "harness/gate/gate_folder.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/gate/margins.hpp"
#include "harness/gate/pilots.hpp"
#include "harness/gate/screening.hpp"
#include "harness/gate/sides.hpp"
#include "harness/gate/trials.hpp"
#include "harness/gate/words.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

void add_benchmarks(GatePlan& plan, const Sides& sides, const GateRequest& request) {
  if (sides.programs().empty()) {
    throw UserError("the two folders have no Google Benchmark program in common" +
                    (sides.notes().empty() ? "" : "; " + joined(sides.notes(), "; ")));
  }
  for (const ProgramPair& pair : sides.programs()) {
    const CommonBenchmarks& common = sides.common(pair);
    plan.notes.insert(plan.notes.end(), common.notes.begin(), common.notes.end());
    plan.one_sided += common.one_sided;
    for (const BenchmarkNames& names : common.names) {
      ComparedBenchmark& made =
          plan.benchmarks.emplace_back(BenchmarkId{pair.name, names.name, names.base, names.head});
      if (sides.unchanged(pair)) {
        made.judged.not_timed = {Ruling::unchanged, kSameBytes};
      } else {
        made.timing.batches.iterations = 0;
      }
    }
  }
  if (!plan.benchmarks.empty()) return;
  if (plan.one_sided > 0) {
    throw CannotMeasure(fmt::format(
        "the two sides have no benchmark in common ({}); `PROGRAM --benchmark_list_tests` prints a "
        "side's names",
        joined(plan.notes, "; ").substr(0, 300)));
  }
  if (!request.filter.empty()) {
    throw UserError(
        "no common benchmark matches --filter " + request.filter +
        (request.head_filter.empty() ? "" : " and --head-filter " + request.head_filter));
  }
  throw UserError("neither side has a benchmark");
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
  set_margins(plan, request);
  return plan;
}

GatePlan resumed_plan(const GateRequest& request, const Sides& sides) {
  GatePlan plan = read_gate_plan(request.folder);
  require_same_machine(request.folder);
  if (plan.arguments != request.arguments) {
    throw UserError(fmt::format(
        "{} measured the programs {}", request.folder.string(),
        plan.arguments.empty()
            ? "without arguments; leave them out"
            : "with the arguments " + joined(plan.arguments, " ") + "; repeat these after --"));
  }
  if (plan.identities != sides.identities()) {
    throw UserError(
        fmt::format("{} compared other programs, or a program or library was rebuilt since; start "
                    "a new gate",
                    request.folder.string()));
  }
  return plan;
}

/// The counters that decide, of each benchmark that has them on both sides. Throws CannotMeasure
/// when none has one of them.
void require_counters(const GatePlan& plan, const GateRequest& request) {
  const bool any = std::ranges::any_of(
      plan.benchmarks, [](const ComparedBenchmark& one) { return one.stage() < Stage::no_pilot; });
  for (const WantedCounter& wanted : request.counters) {
    const bool found = std::ranges::any_of(plan.benchmarks, [&](const ComparedBenchmark& one) {
      return std::ranges::count(one.timing.counters, wanted.name, &WantedCounter::name) > 0;
    });
    if (found || !any) continue;
    throw CannotMeasure(
        fmt::format("no benchmark has a counter named {} on both sides", wanted.name));
  }
}

int say_stopped(const GateSession& session) {
  session.line.clear();
  const fs::path& folder = session.folder();
  say_wrapped(holds_gate(folder) ? fmt::format("stopped; {}\n", how_to_continue(folder))
                                 : "stopped before the first pair\n");
  return Exit::stopped;
}

void announce(const GatePlan& plan, const GateSession& session) {
  const size_t all = plan.changed();
  if (all == 0) {
    say_wrapped("nothing has changed, so there is nothing to measure; " +
                session.folder().string() + "\n");
    say("{}", ruling_head());
    return;
  }
  if (plan.one_sided > 1) {
    say_wrapped(
        fmt::format("{} benchmarks are on one side only and are not compared\n", plan.one_sided));
  }
  const std::string benchmarks = counted(all, "benchmark");
  if (const size_t left = plan.benchmarks.size() - plan.pilots(); left > 0) {
    say_wrapped(fmt::format(
        "the budget ended when {} of {} benchmarks had their pilot runs; continue with --resume\n",
        all - left, all));
  }
  if (plan.by_instructions()) {
    say_wrapped(fmt::format("{}, by instruction counts alone; {}\n", benchmarks,
                            session.folder().string()));
    return;
  }
  RoundCosts costs;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) costs.add(benchmark);
  const double round_s = costs.seconds();
  const auto& budget_s = session.request.budget_s;
  const auto about = [&](int pairs) { return clock_time(pairs * round_s); };
  const int screening = plan.screening.value_or(0);
  std::string pairs = "pairs of the slowest";
  if (!plan.screening) {
    pairs = fmt::format("{} pairs in about {}, at most {} in {}", kAnalysisPairs.front(),
                        about(kAnalysisPairs.front()), kMostPairs, about(kMostPairs));
  } else if (screening) {
    pairs = fmt::format("{} each in about {}, then new {}",
                        counted(static_cast<size_t>(screening), "pair"), about(screening), pairs);
  }
  say_wrapped(fmt::format("{}: {}{}; {}\n", benchmarks, pairs,
                          budget_s ? ", stopped after " + clock_time(*budget_s) : "",
                          session.folder().string()));
  say("{}", ruling_head());
  std::fflush(stdout);
}

void plan_screening(GatePlan& plan, const GateSession& session) {
  const bool begun = std::ranges::any_of(plan.benchmarks, [](const auto& benchmark) {
    return benchmark.judged.suspect || !benchmark.seen.rows.empty();
  });
  if (begun || plan.by_instructions() || plan.pilots() < plan.benchmarks.size()) return;
  plan.control = controls_tell(plan.benchmarks, session.budget.left_s());
  for (ComparedBenchmark& benchmark : plan.benchmarks) benchmark.timing.control = plan.control;
  plan.screening = screening_pairs(plan.benchmarks, session.budget.left_s());
  share_chances(plan.benchmarks, plan.screening);
  write_gate_plan(plan, session.folder());
}

void say_rulings(const ComparedBenchmark& benchmark, const GatePlan& plan, GateSession& session,
                 const Counting& counting) {
  session.line.clear();
  if (stop_requested()) return;
  GateFinding finding = benchmark.judged.finding;
  apply_evidence(finding, counting.evidence, plan.by_instructions());
  say_styled(ruling_line(finding, screen()) + "\n");
  for (const GateFinding& counter : benchmark.judged.of_counters) {
    say_styled(ruling_line(counter, screen()) + "\n");
  }
  std::fflush(stdout);
}

/// Prints its rulings, unless it waits for its counts.
void settle(const ComparedBenchmark& benchmark, const GatePlan& plan, GateSession& session,
            const Counting& counting) {
  if (!counting.wants_count(benchmark, false)) say_rulings(benchmark, plan, session, counting);
}

void finish(GatePlan& plan, const Sides& sides, GateSession& session, Counting& counting) {
  const bool by_instructions = plan.by_instructions();
  std::vector<const ComparedBenchmark*> left;
  for (ComparedBenchmark& benchmark : plan.benchmarks) {
    const bool settled = !benchmark.is_open() && !counting.wants_count(benchmark, by_instructions);
    if (!settled || by_instructions) left.push_back(&benchmark);
    if (!by_instructions) benchmark.judge_at_end();
  }
  if (!by_instructions) counting.evidence.unfit = why_unfit(session.fitness.disturbance());
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    if (stop_requested()) return;
    const bool counts = counting.wants_count(benchmark, by_instructions);
    if (counts) counting.count(benchmark, sides.pair_of(benchmark));
    const bool is_left = std::ranges::find(left, &benchmark) != left.end();
    if (is_left && (counts || !benchmark.is_open()))
      say_rulings(benchmark, plan, session, counting);
  }
}

/// Goes round the benchmarks, a pair of each, until all are decided, the budget is over or the user
/// stops it.
void measure_pairs(GatePlan& plan, const Sides& sides, GateSession& session,
                   const Counting& counting) {
  std::mt19937_64 random(plan.seed + static_cast<std::uint64_t>(session.place.session()));
  const auto left_s = [&] { return session.budget.left_s(); };
  while (!session.budget.over()) {
    if (advance_screening(plan.benchmarks, plan.screening, left_s())) {
      write_gate_plan(plan, session.folder());
    }
    auto turn = next_turn(plan.benchmarks, left_s(), random);
    if (turn.empty()) return;
    const bool in_time = next_analyses_s(plan.benchmarks) <= left_s();
    for (std::vector<ComparedBenchmark*>& suite : suites_of(turn)) {
      if (session.budget.over()) return;
      if (in_time && next_analyses_s(plan.benchmarks) > left_s())
        break;  // others may come first now
      session.line.show(fmt::format("{} of {} decided; measuring {}",
                                    plan.benchmarks.size() - plan.open(), plan.benchmarks.size(),
                                    suite.front()->id.name));
      const bool whole =
          measure_once(suite, sides.pair_of(*suite.front()), session, random, plan.seed);
      if (stop_requested()) return;
      for (const ComparedBenchmark* benchmark : suite) {
        if (!benchmark->is_open()) settle(*benchmark, plan, session, counting);
      }
      if (!whole) return;
    }
  }
}

/// What one decision needs: what there was before the pairs, and a first analysis of the cheapest.
double needed_s(const GatePlan& plan, double before_s) {
  double least_s = 0;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    if (benchmark.stage() >= Stage::no_pilot) continue;
    RoundCosts costs;
    const double one_s = costs.add(benchmark, kAnalysisPairs.front());
    least_s = least_s > 0 ? std::min(least_s, one_s) : one_s;
  }
  return least_s > 0 ? before_s + least_s : 0;
}

int publish(const GatePlan& plan, GateSession& session, const Evidence& evidence, double before_s) {
  session.line.clear();
  const GateRequest& request = session.request;
  GateReport report = report_of(plan, evidence, session.place.session());
  const std::string disturbed = disturbance_text(session.fitness.disturbance());
  if (!disturbed.empty()) {
    report.notes.push_back(disturbed + "; this widens the intervals but favours neither side");
  }
  for (const std::string& note : session.notes) {
    if (!contains(report.notes, note)) report.notes.push_back(note);
  }
  if (!plan.by_instructions()) report.needed_s = needed_s(plan, before_s);
  write_evidence(evidence, session.folder());
  session.place.end_session();
  if (plan.by_instructions()) report.open = 0;
  report.strict = request.strict;
  report.seconds = session.budget.spent_s();
  return publish_rulings(report, session.folder());
}

}  // namespace

int run_gate(const GateRequest& request) {
  const Budget budget(request.budget_s);
  require_usable_folder(request);
  Sides sides(request, budget);
  // Before there is a folder: this finds what is wrong with the sides.
  GatePlan plan = request.resume ? resumed_plan(request, sides) : new_plan(request, sides);
  GateSession session(request, budget);
  sides.link(session.folder() / "sides");
  sides.rename_where_linked(plan.benchmarks);
  session.place.watch(sides.files());
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {  // of a resumed one
    for (const WantedCounter& counter : benchmark.timing.counters)
      session.counters.push_back(counter.name);
  }
  const bool is_whole = request.resume && plan.pilots() == plan.benchmarks.size();
  measure_pilots(plan, sides, session);
  session.line.clear();
  if (stop_requested()) return say_stopped(session);
  require_counters(plan, request);
  if (!is_whole) write_gate_plan(plan, session.folder());
  read_rows_of(plan, session.folder());
  session.place.begin_session(
      {.run = plan.run, .command = request.command, .profile = "gate", .seed = plan.seed});
  plan_screening(plan, session);
  announce(plan, session);
  const double before_s = budget.spent_s();
  Counting counting(session);
  if (!plan.by_instructions()) {
    for (const ComparedBenchmark& benchmark : plan.benchmarks) {
      if (!benchmark.is_open()) settle(benchmark, plan, session, counting);
    }
    measure_pairs(plan, sides, session, counting);
  }
  if (!stop_requested()) finish(plan, sides, session, counting);
  return stop_requested() ? say_stopped(session)
                          : publish(plan, session, counting.evidence, before_s);
}

}  // namespace cliffbench
