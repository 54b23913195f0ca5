#include "harness/gate/gate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/gate/evidence_file.hpp"
#include "harness/gate/gate_folder.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/gate/second_look.hpp"
#include "harness/gate/sides.hpp"
#include "harness/host/stopping.hpp"
#include "harness/program/calibration.hpp"
#include "harness/record/record.hpp"
#include "harness/text/terminal.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// What must stay as it is while the gate measures: the programs themselves, whatever names them.
std::vector<fs::path> files_of(const std::vector<ProgramPair>& programs) {
  std::vector<fs::path> files;
  for (const ProgramPair& pair : programs) {
    files.insert(files.end(), {fs::canonical(pair.base), fs::canonical(pair.head)});
  }
  return files;
}

/// The gate while it measures.
class Gate {
 public:
  explicit Gate(const GateRequest& request)
      : request_(request),
        filter_(request.filter),
        session_(request),
        scratch_(session_.place().scratch()),
        programs_(
            pair_programs(request.base, request.head, session_.folder() / "sides", plan_.notes)) {
    session_.place().watch(files_of(programs_));
  }

  int run() {
    if (request_.resume) plan_ = session_.resume_plan(fingerprints(), request_.arguments);
    const bool written = request_.resume && plan_.pilots() == plan_.benchmarks.size();
    if (!request_.resume) make_plan();
    if (!calibrate_all()) return session_.stopped();
    benchmarks_ = read_benchmarks(plan_, session_.folder());
    for (size_t i = 0; i < benchmarks_.size(); ++i) give_sides(plan_.benchmarks[i], benchmarks_[i]);
    session_.begin(plan_, written);
    const auto left = measure();
    if (!left || stop_requested()) return session_.stopped();
    if (!plan_.by_instructions()) look_.evidence.unfit = session_.why_unfit();
    GateReport report = report_of(plan_, benchmarks_, session_.number());
    report.notes.insert(report.notes.end(), look_.notes.begin(), look_.notes.end());
    report.open = left->open;
    report.open_s = left->next_s;
    apply_evidence(report, look_.evidence, plan_.by_instructions());
    write_record(session_.folder() / "evidence.json", evidence_json(look_.evidence));
    return session_.publish(std::move(report));
  }

 private:
  [[nodiscard]] std::map<std::string, std::string> fingerprints() const {
    std::map<std::string, std::string> found;
    for (const ProgramPair& pair : programs_) {
      found["base " + pair.name] = file_identity(pair.base);
      found["head " + pair.name] = file_identity(pair.head);
    }
    return found;
  }

  void make_plan() {
    plan_ = session_.new_plan({request_.base.string(), request_.head.string()}, plan_.notes);
    plan_.fingerprints = fingerprints();
    plan_.arguments = request_.arguments;
    if (programs_.empty()) throw UserError("the two folders have no program in common");
    for (const ProgramPair& pair : programs_) {
      if (plan_.fingerprints["base " + pair.name] == plan_.fingerprints["head " + pair.name]) {
        plan_.notes.push_back(pair.name + " is the same file on both sides");
      }
      for (const std::string& name : common(pair, plan_.notes).names) {
        plan_.benchmarks.push_back(
            {.program = pair.name, .name = name, .variants = {"base", "head"}, .batches = {0, 0}});
      }
    }
    if (plan_.benchmarks.empty()) {
      throw UserError(request_.filter.empty()
                          ? "the two sides have no benchmark in common; `PROGRAM "
                            "--benchmark_list_tests` prints a side's names"
                          : "no benchmark of both sides matches --filter " + request_.filter);
    }
  }

  const CommonBenchmarks& common(const ProgramPair& pair, std::vector<std::string>& notes) {
    const auto known = common_.find(pair.name);
    if (known != common_.end()) return known->second;
    return common_[pair.name] = common_benchmarks(pair, plan_.arguments, filter_, notes);
  }

  /// Of all that have none yet, while there is time. False: the user stopped it.
  bool calibrate_all() {
    constexpr size_t kTogether = 50;  // names in a filter, which some libraries match by recursion
    std::vector<PlannedBenchmark*> group;
    for (PlannedBenchmark& benchmark : plan_.benchmarks) {
      if (benchmark.has_pilot() || session_.budget().over()) continue;
      if (!group.empty() &&
          (group.size() == kTogether || group.front()->program != benchmark.program)) {
        calibrate_group(group);
        group.clear();
      }
      group.push_back(&benchmark);
    }
    if (!group.empty() && !session_.budget().over()) calibrate_group(group);
    session_.clear_line();
    if (stop_requested()) return false;
    if (plan_.pilots() < plan_.benchmarks.size()) {
      say_folded(fmt::format(
          "the budget ended after the pilots of {} of {} benchmarks; continue with --resume\n",
          plan_.pilots(), plan_.benchmarks.size()));
    }
    return true;
  }

  void calibrate_group(const std::vector<PlannedBenchmark*>& group) {
    const ProgramPair& pair = pair_of(group.front()->program);
    std::vector<std::string> noted_before;
    const CommonBenchmarks& both = common(pair, noted_before);
    PilotRequest request{.base = pair.base,
                         .head = pair.head,
                         .takes_counts = both.takes_counts,
                         .shares_process = !both.of_kit,
                         .batch_s = request_.batch_s,
                         .limits = limits(),
                         .say = [this](const std::string& name) { session_.show_pilot(name); }};
    for (const PlannedBenchmark* benchmark : group) request.names.push_back(benchmark->name);
    const auto pilots = calibrate(request);
    session_.place().check(false);
    for (PlannedBenchmark* benchmark : group) {
      const auto found = pilots.find(benchmark->name);
      if (found == pilots.end()) continue;
      const Pilot& pilot = found->second;
      session_.place().check(!pilot.trouble.empty());
      benchmark->batches = pilot.batches;
      benchmark->metric = plan_.metric == "cpu"    ? Metric::cpu
                          : plan_.metric == "wall" ? Metric::wall
                                                   : pilot.metric;
      benchmark->digests = pilot.digests && !request_.new_output;
      benchmark->round_s = pilot.round_s;
      benchmark->lead = pilot.lead;
      benchmark->trouble = pilot.trouble;
      benchmark->wrong = pilot.wrong;
    }
  }

  [[nodiscard]] TrialLimits limits() const {
    return {.scratch = scratch_,
            .timed_s = request_.limit_s,
            .memory_bytes = session_.place().memory_limit_bytes(),
            .budget = session_.budget(),
            .arguments = plan_.arguments,
            .environment = {}};
  }

  [[nodiscard]] const ProgramPair& pair_of(const std::string& program) const {
    return *std::find_if(programs_.begin(), programs_.end(),
                         [&](const ProgramPair& pair) { return pair.name == program; });
  }

  void give_sides(const PlannedBenchmark& planned, ComparedBenchmark& benchmark) {
    const ProgramPair& pair = pair_of(planned.program);
    benchmark.sides[0].observe = observe(pair.base, planned.batches);
    benchmark.sides[1].observe = observe(pair.head, planned.batches);
  }

  [[nodiscard]] Observe observe(const fs::path& program, const Batches& batches) const {
    return [this, program, batches](Row& row) {
      if (!run_trial(program, limits(), row, batches)) return false;
      if (row.status == Status::timeout) row.iterations = batches.iterations * batches.count;
      return true;
    };
  }

  /// What is left open; nothing when the user stopped it.
  std::optional<Outlook> measure() {
    const auto settle = [this](size_t i, std::vector<GateFinding>& findings) {
      settle_one(i, findings.front());
    };
    if (!plan_.by_instructions()) return session_.measure(plan_, benchmarks_, settle);
    for (size_t i = 0; i < benchmarks_.size(); ++i) {
      if (stop_requested()) return std::nullopt;
      settle_one(i, benchmarks_[i].judge().front());
    }
    return Outlook();
  }

  /// A benchmark that needs no more pairs: asks what else can be asked, and prints what it is.
  void settle_one(size_t i, GateFinding finding) {
    const PlannedBenchmark& planned = plan_.benchmarks[i];
    look_.ask(planned, pair_of(planned.program), benchmarks_[i], finding);
    session_.clear_line();
    if (stop_requested()) return;
    say_coloured(finding_text(finding, screen_width()) + "\n");
    std::fflush(stdout);
  }

  const GateRequest& request_;
  NameFilter filter_;
  GateSession session_;
  fs::path scratch_;
  GatePlan plan_;
  std::vector<ProgramPair> programs_;
  std::map<std::string, CommonBenchmarks> common_;  ///< by program
  std::vector<ComparedBenchmark> benchmarks_;
  SecondLook look_{request_, session_, plan_,
                   [this](const fs::path& program, const Batches& batches) {
                     return observe(program, batches);
                   }};
};

}  // namespace

int run_gate(const GateRequest& request) { return Gate(request).run(); }

}  // namespace cliffbench
