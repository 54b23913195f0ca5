#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/second_look.hpp"
#include "harness/gate/sides.hpp"
#include "harness/program/calibration.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The benchmarks that two programs, or two folders of programs, have in common.
class Programs : public Subjects {
 public:
  Programs(const GateRequest& request, NameFilter filter, GateSession& session)
      : request_(request),
        session_(session),
        filter_(std::move(filter)),
        programs_(pair_programs(request.base, request.head, session.folder() / "sides", notes_)),
        second_look_(request, session) {
    std::vector<fs::path> files;  // the programs themselves, whatever names them
    for (const ProgramPair& pair : programs_) {
      files.insert(files.end(), {fs::canonical(pair.base), fs::canonical(pair.head)});
    }
    session.place().watch(files);
  }

  [[nodiscard]] std::map<std::string, std::string> identities() const override {
    std::map<std::string, std::string> hashes;
    for (const ProgramPair& pair : programs_) {
      hashes["base " + pair.name] = file_identity(pair.base);
      hashes["head " + pair.name] = file_identity(pair.head);
    }
    return hashes;
  }

  void describe(GatePlan& plan) override {
    plan.sides = {request_.base.string(), request_.head.string()};
    plan.notes = notes_;
    if (programs_.empty()) throw UserError("the two folders have no program in common");
    for (const ProgramPair& pair : programs_) {
      if (plan.identities["base " + pair.name] == plan.identities["head " + pair.name]) {
        plan.notes.push_back(pair.name + " is the same file on both sides");
      }
      for (const std::string& name : common(pair, plan.notes).names) {
        plan.benchmarks.push_back({.program = pair.name,
                                   .name = name,
                                   .pilot = {.batches = {.iterations = 0}},
                                   .sides = {{"base"}, {"head"}}});
      }
    }
    if (!plan.benchmarks.empty()) return;
    throw UserError(request_.filter.empty()
                        ? "the two sides have no benchmark in common; `PROGRAM "
                          "--benchmark_list_tests` prints a side's names"
                        : "no benchmark of both sides matches --filter " + request_.filter);
  }

  void calibrate(GatePlan& plan) override {
    constexpr std::ptrdiff_t kTogether = 50;  // between two groups the budget is looked at
    const auto end = plan.benchmarks.end();
    for (auto first = plan.benchmarks.begin(); first != end && !session_.budget().over();) {
      auto last = first;
      while (last != end && last - first < kTogether && last->program == first->program) ++last;
      calibrate_group(plan, {first, last});
      first = last;
    }
  }

  [[nodiscard]] Observe observe(const ComparedBenchmark& benchmark, size_t side) override {
    const ProgramPair& pair = pair_of(benchmark);
    return observe_program(side == 0 ? pair.base : pair.head, benchmark.pilot.batches);
  }

  void look_again(const GatePlan& plan, ComparedBenchmark& benchmark,
                  GateFinding& finding) override {
    second_look_.ask(plan, pair_of(benchmark), benchmark, finding, *this);
  }

  [[nodiscard]] bool has_filter() const override { return true; }

 private:
  /// Each program is asked once; what only one side has is added to `noted`.
  const CommonBenchmarks& common(const ProgramPair& pair, std::vector<std::string>& noted) {
    const auto known = common_.find(pair.name);
    if (known != common_.end()) return known->second;
    return common_[pair.name] = common_benchmarks(pair, request_.arguments, filter_, noted);
  }

  /// Benchmarks of one program.
  void calibrate_group(GatePlan& plan, std::span<ComparedBenchmark> group) {
    std::vector<std::string> names;
    for (const ComparedBenchmark& benchmark : group) {
      if (!benchmark.has_pilot()) names.push_back(benchmark.name);
    }
    if (names.empty()) return;
    const ProgramPair& pair = pair_of(group.front());
    std::vector<std::string> noted_before;
    const CommonBenchmarks& both = common(pair, noted_before);
    const auto pilots = cliffbench::calibrate(
        {.base = pair.base,
         .head = pair.head,
         .names = names,
         .takes_counts = both.takes_counts,
         .shares_process = !both.of_kit,
         .batch_s = request_.batch_s,
         .limits = limits(),
         .say = [this](const std::string& name) { session_.line().show("pilot of " + name); }});
    session_.place().check(false);
    for (ComparedBenchmark& benchmark : group) {
      const auto pilot = pilots.find(benchmark.name);
      if (pilot == pilots.end()) continue;
      session_.place().check(!pilot->second.trouble.empty());
      benchmark.pilot = pilot->second;
      if (plan.metric == "cpu") benchmark.pilot.metric = Metric::cpu;
      if (plan.metric == "wall") benchmark.pilot.metric = Metric::wall;
      if (request_.new_output) benchmark.pilot.digests = false;
    }
  }

  [[nodiscard]] TrialLimits limits() const {
    return {.scratch = session_.place().scratch(),
            .timed_s = request_.limit_s,
            .memory_bytes = session_.place().memory_limit_bytes(),
            .budget = session_.budget(),
            .arguments = request_.arguments,
            .environment = {}};
  }

  [[nodiscard]] const ProgramPair& pair_of(const ComparedBenchmark& benchmark) const {
    return *std::find_if(programs_.begin(), programs_.end(),
                         [&](const ProgramPair& pair) { return pair.name == benchmark.program; });
  }

  [[nodiscard]] Observe observe_program(const fs::path& program, const Batches& batches) const {
    return [this, program, batches](Row& row) {
      if (!run_trial(program, limits(), row, batches)) return false;
      if (row.status == Status::timeout) row.iterations = batches.iterations * batches.count;
      return true;
    };
  }

  const GateRequest& request_;
  GateSession& session_;
  NameFilter filter_;
  std::vector<std::string> notes_;  ///< of what only one side has
  std::vector<ProgramPair> programs_;
  std::map<std::string, CommonBenchmarks> common_;  ///< by program
  SecondLook second_look_;
};

}  // namespace

int run_gate(const GateRequest& request) {
  NameFilter filter(request.filter);  // a bad one is refused before there is a folder
  GateSession session(request);
  Programs programs(request, std::move(filter), session);
  return compare_sides(session, programs, request.arguments);
}

}  // namespace cliffbench
