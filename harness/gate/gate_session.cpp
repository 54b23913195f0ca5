#include "harness/gate/gate_session.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "harness/gate/gate_folder.hpp"
#include "harness/host/exit_code.hpp"
#include "harness/host/stopping.hpp"
#include "harness/print/rulings.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

const FolderKind kGate = {"gate", "gate.json", {"scratch", "sides"}};

/// The folder, which must hold a gate or none. One that nobody asked for must not get into
/// anybody's commit.
const fs::path& usable_folder(const GateOptions& options) {
  (void)has_begun(options.folder, kGate, options.resume);
  const fs::path all = options.folder.parent_path();
  if (options.own_folder) make_folder(all);
  if (options.own_folder && !is_there(all / ".gitignore")) write_file(all / ".gitignore", "*\n");
  return options.folder;
}

GatePlan new_plan(const GateOptions& options, Subjects& subjects,
                  const std::vector<std::string>& arguments) {
  GatePlan plan;
  plan.seed = options.seed ? options.seed : std::random_device()();
  plan.run = utc_now("%Y%m%d-%H%M%S-") + fmt::format("{:04x}", plan.seed & 0xffff);
  plan.metric = options.metric;
  plan.margin = options.margin;
  plan.must_find = options.must_find;
  plan.arguments = arguments;
  plan.identities = subjects.identities();
  subjects.describe(plan);
  return plan;
}

/// The folder's plan, if it compared the same.
GatePlan resumed_plan(const fs::path& folder, const Subjects& subjects,
                      const std::vector<std::string>& arguments) {
  GatePlan plan = read_gate_plan(folder);
  require_same_machine(folder);
  if (plan.arguments != arguments) {
    throw UserError(fmt::format(
        "{} called the programs {}; repeat the same arguments after --", folder.string(),
        plan.arguments.empty() ? "without arguments" : "with " + joined(plan.arguments, " ")));
  }
  if (plan.identities != subjects.identities()) {
    throw UserError(
        fmt::format("{} compared other programs (these were rebuilt since, or are different ones); "
                    "start a new gate instead",
                    folder.string()));
  }
  return plan;
}

int say_stopped(const GateSession& session) {
  session.line().clear();
  const std::string& folder = session.folder().string();
  say_folded(is_there(session.folder() / kGate.plan)
                 ? "stopped; to continue, repeat the command with --resume " + folder + "\n"
                 : "stopped before the first pair\n");
  return Exit::stopped;
}

/// How much there is to do, and how long that takes.
void announce(const GatePlan& plan, const GateSession& session) {
  const size_t all = plan.benchmarks.size();
  const std::string benchmarks = counted(all, "benchmark");
  if (plan.pilots() < all) {
    say_folded(fmt::format(
        "the budget ended after the pilots of {} of {} benchmarks; continue with --resume\n",
        plan.pilots(), all));
  }
  if (plan.by_instructions()) {
    say_folded(fmt::format("{}, by instruction counts alone; {}\n", benchmarks,
                           session.folder().string()));
    return;
  }
  double round_s = 0;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) round_s += benchmark.pilot.round_s;
  const auto& budget_s = session.options().budget_s;
  say_folded(fmt::format(
      "{}: {} pairs in about {}, at most {} in {}{}; {}\n", benchmarks, kLookPairs.front(),
      clock_time(kLookPairs.front() * round_s), kMostPairs, clock_time(kMostPairs * round_s),
      budget_s ? ", stopped after " + clock_time(*budget_s) : "", session.folder().string()));
  std::fflush(stdout);
}

/// A benchmark that needs no more pairs: asks what else can be asked, and prints what it is.
void settle(GateSession& session, const GatePlan& plan, Subjects& subjects,
            ComparedBenchmark& benchmark, std::vector<GateFinding> findings) {
  for (GateFinding& finding : findings) {
    subjects.look_again(plan, benchmark, finding);
    session.line().clear();
    if (stop_requested()) return;
    say_coloured(finding_text(finding, screen_width()) + "\n");
  }
  std::fflush(stdout);
}

/// Until all is decided or the budget is over: what is left open.
Outlook measure_pairs(GateSession& session, GatePlan& plan, Subjects& subjects) {
  const auto settle_one = [&](ComparedBenchmark& benchmark, const auto& findings) {
    settle(session, plan, subjects, benchmark, findings);
  };
  if (plan.by_instructions()) {
    for (ComparedBenchmark& benchmark : plan.benchmarks) {
      if (!stop_requested()) settle_one(benchmark, benchmark.judge());
    }
    return {};
  }
  const auto show = [&](const Outlook& outlook) {
    const size_t all = plan.benchmarks.size();
    session.line().show(fmt::format(
        "{} of {} decided; next decisions in about {}, all in at most {}", all - outlook.open, all,
        clock_time(outlook.next_s), clock_time(outlook.most_s)));
  };
  const auto seed = plan.seed + static_cast<std::uint64_t>(session.place().session());
  PairSchedule schedule(plan.benchmarks, seed, session.budget(), settle_one, show);
  measure(schedule, session.place());
  session.line().clear();
  return schedule.outlook();
}

int publish(GateSession& session, const GatePlan& plan, Subjects& subjects, const Outlook& left) {
  const Disturbance disturbance = session.disturbance();
  if (!plan.by_instructions() && !session.options().trust_times) {
    subjects.evidence.unfit = why_unfit(disturbance);
  }
  GateReport report = report_of(plan, subjects.evidence, session.place().session());
  report.notes.insert(report.notes.end(), subjects.notes.begin(), subjects.notes.end());
  if (const std::string disturbed = disturbance_text(disturbance); !disturbed.empty()) {
    report.notes.push_back(disturbed + "; this widens the intervals but favours neither side");
  }
  write_evidence(subjects.evidence, session.folder());
  session.place().end_session();
  report.open = left.open;
  report.open_s = left.next_s;
  report.has_filter = subjects.has_filter();
  report.strict = session.options().strict;
  report.seconds = session.budget().spent_s();
  return publish_rulings(report, session.folder());
}

}  // namespace

GateSession::GateSession(const GateOptions& options)
    : options_(options),
      budget_(options.budget_s),
      place_(usable_folder(options), kGate, options.memory_limit_bytes) {
  if (place_.cut_a_line()) say("the last row is unfinished; its pair is left out\n");
  place_.clear_scratch();
}

int compare_sides(GateSession& session, Subjects& subjects,
                  const std::vector<std::string>& arguments) {
  const GateOptions& options = session.options();
  GatePlan plan = options.resume ? resumed_plan(session.folder(), subjects, arguments)
                                 : new_plan(options, subjects, arguments);
  const bool whole = options.resume && plan.pilots() == plan.benchmarks.size();
  subjects.calibrate(plan);
  session.line().clear();
  if (stop_requested()) return say_stopped(session);
  if (!whole) write_gate_plan(plan, session.folder());
  read_rows_of(plan, session.folder());
  session.place().begin_session({.run = plan.run, .seed = plan.seed, .profile = "gate"},
                                options.command);
  announce(plan, session);
  for (ComparedBenchmark& benchmark : plan.benchmarks) {
    for (size_t side = 0; side < benchmark.sides.size(); ++side) {
      benchmark.sides[side].observe = subjects.observe(benchmark, side);
    }
  }
  const Outlook left = measure_pairs(session, plan, subjects);
  return stop_requested() ? say_stopped(session) : publish(session, plan, subjects, left);
}

}  // namespace cliffbench
