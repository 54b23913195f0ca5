#include "harness/gate/gate_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "harness/host/exit_code.hpp"
#include "harness/host/process.hpp"
#include "harness/print/rulings.hpp"
#include "harness/text/say.hpp"
#include "harness/text/text.hpp"
#include "harness/text/width.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

namespace {

const FolderKind kGate = {"gate", "gate.json", {"scratch", "sides"}};

/// Nobody asked for this folder: it must not get into anybody's commit.
void keep_out_of_git(const fs::path& folder) {
  make_folder(folder);
  if (!is_there(folder / ".gitignore")) write_file(folder / ".gitignore", "*\n");
}

const fs::path& usable_folder(const GateOptions& options) {
  (void)has_begun(options.folder, kGate, options.resume);
  if (options.own_folder) keep_out_of_git(options.folder.parent_path());
  return options.folder;
}

}  // namespace

GateSession::GateSession(const GateOptions& options)
    : options_(options),
      budget_(options.budget_s),
      place_(usable_folder(options), kGate, options.memory_limit_bytes),
      terminal_(isatty(STDOUT_FILENO) == 1) {
  if (place_.cut_a_line()) say("the last row is unfinished; its pair is left out\n");
  place_.clear_scratch();
}

GatePlan GateSession::new_plan(std::vector<std::string> sides,
                               std::vector<std::string> notes) const {
  GatePlan plan;
  plan.seed = options_.seed ? options_.seed : std::random_device()();
  plan.run = utc_now("%Y%m%d-%H%M%S-") + fmt::format("{:04x}", plan.seed & 0xffff);
  plan.sides = std::move(sides);
  plan.notes = std::move(notes);
  plan.metric = options_.metric;
  plan.margin = options_.margin;
  plan.must_find = options_.must_find;
  return plan;
}

GatePlan GateSession::resume_plan(const std::map<std::string, std::string>& fingerprints,
                                  const std::vector<std::string>& arguments) const {
  GatePlan plan = read_gate_plan(folder());
  require_same_machine(folder());
  if (plan.arguments != arguments) {
    throw UserError(fmt::format(
        "{} called the programs {}; repeat the same arguments after --", folder().string(),
        plan.arguments.empty() ? "without arguments" : "with " + joined(plan.arguments, " ")));
  }
  if (plan.fingerprints != fingerprints) {
    throw UserError(
        fmt::format("{} compared other programs (these were rebuilt since, or are different ones); "
                    "start a new gate instead",
                    folder().string()));
  }
  return plan;
}

void GateSession::begin(const GatePlan& plan, bool written) {
  clear_line();
  if (!written) write_gate_plan(plan, folder());
  Plan record;
  record.run = plan.run;
  record.seed = plan.seed;
  record.profile = "gate";
  place_.begin_session(record, options_.command);
  double round_s = 0;
  for (const PlannedBenchmark& benchmark : plan.benchmarks) round_s += benchmark.round_s;
  const size_t count = plan.benchmarks.size();
  const std::string benchmarks = counted(count, "benchmark");
  if (plan.by_instructions()) {
    say_folded(fmt::format("{}, by instruction counts alone; {}\n", benchmarks, folder().string()));
    return;
  }
  say_folded(fmt::format(
      "{}: {} pairs in about {}, at most {} in {}{}; {}\n", benchmarks, kLookPairs.front(),
      clock_time(kLookPairs.front() * round_s), kMostPairs, clock_time(kMostPairs * round_s),
      options_.budget_s ? ", stopped after " + clock_time(*options_.budget_s) : "",
      folder().string()));
  std::fflush(stdout);
}

std::optional<Outlook> GateSession::measure(const GatePlan& plan,
                                            std::vector<ComparedBenchmark>& benchmarks,
                                            const PairSchedule::Settle& settle) {
  PairSchedule schedule(
      benchmarks, plan.seed + static_cast<std::uint64_t>(place_.session()), budget_,
      [&](size_t benchmark, std::vector<GateFinding>& findings) {
        clear_line();
        settle(benchmark, findings);
      },
      [&](const Outlook& seen) {
        if (!terminal_) return;
        show_line(fmt::format("{} of {} decided; next decisions in about {}, all in at most {}",
                              benchmarks.size() - seen.open, benchmarks.size(),
                              clock_time(seen.next_s), clock_time(seen.most_s)));
      });
  const bool ended = cliffbench::measure(schedule, place_);
  clear_line();
  return ended ? std::optional(schedule.outlook()) : std::nullopt;
}

void GateSession::show(const std::string& what, const std::string& name) const {
  show_line(one_line(what + " " + name));
}

void GateSession::show_line(const std::string& line) const {
  if (!terminal_) return;
  const std::size_t width = screen_width();
  fmt::print("\r\x1b[K{}", width ? cut_middle(line, width - 1) : line);
  std::fflush(stdout);
}

void GateSession::clear_line() const {
  if (terminal_) fmt::print("\r\x1b[K");
}

std::string GateSession::why_unfit() const {
  return options_.trust_times ? "" : cliffbench::why_unfit(fitness_.seen());
}

int GateSession::publish(GateReport report) {
  const std::string disturbed = disturbance_text(fitness_.seen());
  if (!disturbed.empty()) {
    report.notes.push_back(disturbed + "; this widens the intervals but favours neither side");
  }
  place_.end_session();
  report.strict = options_.strict;
  report.seconds = budget_.spent_s();
  return publish_rulings(report, folder());
}

int GateSession::stopped() const {
  clear_line();
  const bool begun = is_there(folder() / "gate.json");
  say_folded(fmt::format(
      "stopped{}\n", begun ? "; to continue, repeat the command with --resume " + folder().string()
                           : " before the first pair"));
  return Exit::stopped;
}

}  // namespace cliffbench
