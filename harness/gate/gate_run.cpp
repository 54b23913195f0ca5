#include "harness/gate/gate_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/gate/gate_folder.hpp"
#include "harness/gate/gate_session.hpp"
#include "harness/gate/layouts.hpp"
#include "harness/gate/sides.hpp"
#include "harness/host/process.hpp"
#include "harness/host/text.hpp"
#include "harness/judge/evidence.hpp"
#include "harness/print/colour.hpp"
#include "harness/program/calibration.hpp"
#include "harness/program/instructions.hpp"
#include "harness/record/record.hpp"

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
    if (request_.resume) plan_ = session_.resume_plan(fingerprints());
    const bool written = request_.resume && plan_.pilots() == plan_.contests.size();
    if (!(request_.resume ? calibrate_all() : make_plan())) return session_.stopped();
    contests_ = read_contests(plan_, session_.folder());
    for (size_t i = 0; i < contests_.size(); ++i) give_sides(plan_.contests[i], contests_[i]);
    session_.begin(plan_, written);
    const bool timed = !plan_.by_instructions;
    if (timed && !session_.measure(plan_, contests_)) return session_.stopped();
    GateReport report = report_of(plan_, contests_);
    Evidence signals;
    if (timed) signals.unfit = session_.why_unfit();
    count(report, signals);
    apply_evidence(report, signals, plan_.by_instructions);
    if (relink(report, signals)) {
      const double before_s = report.measured_s;
      report = report_of(plan_, contests_);
      report.measured_s = before_s;
      apply_evidence(report, signals, plan_.by_instructions);
    }
    if (stop_requested()) return session_.stopped();
    print_changed(report);
    write_record(session_.folder() / "signals.json", evidence_json(signals));
    return session_.publish(std::move(report));
  }

 private:
  [[nodiscard]] std::map<std::string, std::string> fingerprints() const {
    std::map<std::string, std::string> found;
    for (const ProgramPair& pair : programs_) {
      found["base " + pair.name] = file_fingerprint(pair.base);
      found["head " + pair.name] = file_fingerprint(pair.head);
    }
    return found;
  }

  /// False: the user stopped it.
  bool make_plan() {
    plan_ = session_.new_plan({request_.base.string(), request_.head.string()}, plan_.notes);
    plan_.fingerprints = fingerprints();
    plan_.by_instructions = request_.metric == "instructions";
    if (programs_.empty()) throw UserError("the two folders have no program in common");
    for (const ProgramPair& pair : programs_) {
      if (plan_.fingerprints["base " + pair.name] == plan_.fingerprints["head " + pair.name]) {
        plan_.notes.push_back(pair.name + " is the same file on both sides");
      }
      const CommonBenchmarks common = common_benchmarks(pair, filter_, plan_.notes);
      takes_counts_[pair.name] = common.takes_counts;
      for (const std::string& name : common.names) {
        plan_.contests.push_back(
            {.program = pair.name, .name = name, .variants = {"base", "head"}, .amount = {0, 0}});
      }
    }
    if (plan_.contests.empty()) {
      throw UserError("no benchmark that both sides have agrees with the filter");
    }
    return calibrate_all();
  }

  bool takes_counts(const ProgramPair& pair) {
    const auto known = takes_counts_.find(pair.name);
    if (known != takes_counts_.end()) return known->second;
    std::vector<std::string> noted_before;
    return takes_counts_[pair.name] = common_benchmarks(pair, filter_, noted_before).takes_counts;
  }

  /// Of all that have none yet, while there is time. False: the user stopped it.
  bool calibrate_all() {
    for (PlannedContest& contest : plan_.contests) {
      if (contest.has_pilot()) continue;
      if (session_.budget().over()) break;
      const ProgramPair& pair = pair_of(contest.program);
      session_.say_pilot(contest.name);
      const Pilot pilot = calibrate({.base = pair.base,
                                     .head = pair.head,
                                     .name = contest.name,
                                     .takes_counts = takes_counts(pair),
                                     .batch_s = request_.batch_s,
                                     .limits = limits(),
                                     .scratch = scratch_});
      session_.place().check(!pilot.trouble.empty());
      if (stop_requested()) return false;
      if (pilot.stopped) break;
      contest.amount = pilot.amount;
      contest.metric = request_.metric == "cpu"    ? Metric::cpu
                       : request_.metric == "wall" ? Metric::wall
                                                   : pilot.metric;
      contest.digests = pilot.digests && !request_.new_output;
      contest.round_s = pilot.round_s;
      contest.trouble = pilot.trouble;
    }
    if (plan_.pilots() < plan_.contests.size()) {
      session_.say_nothing();
      fmt::print("the time was used up by the pilots of {} of {} benchmarks; --resume goes on\n",
                 plan_.pilots(), plan_.contests.size());
    }
    return true;
  }

  [[nodiscard]] TrialLimits limits() const {
    return {.timed_s = request_.limit_s,
            .memory_bytes = session_.place().memory_limit_bytes(),
            .budget = session_.budget()};
  }

  [[nodiscard]] const ProgramPair& pair_of(const std::string& program) const {
    return *std::find_if(programs_.begin(), programs_.end(),
                         [&](const ProgramPair& pair) { return pair.name == program; });
  }

  void give_sides(const PlannedContest& planned, Contest& contest) {
    const ProgramPair& pair = pair_of(planned.program);
    contest.sides[0].observe = observe(pair.base, planned.amount);
    contest.sides[1].observe = observe(pair.head, planned.amount);
  }

  [[nodiscard]] Observe observe(const fs::path& program, const Amount& amount) const {
    return [this, program, amount](Row& row) {
      if (!run_trial(program, scratch_, limits(), row, amount)) return false;
      session_.place().check(row.status == Status::failed || row.status == Status::crash);
      if (row.status == Status::timeout) row.iterations = amount.iterations;
      return true;
    };
  }

  [[nodiscard]] bool wants_count(const GateFinding& finding, const Evidence& signals) const {
    if (plan_.by_instructions) return true;
    if (request_.instructions == "never" || finding.metric == Metric::wall) return false;
    const bool faulty =
        finding.ruling == Ruling::not_measured || finding.ruling == Ruling::wrong_output;
    if (faulty) return false;
    return request_.instructions == "always" || !signals.unfit.empty() ||
           finding.ruling == Ruling::regression ||
           (finding.ruling == Ruling::inconclusive && finding.pairs == kMostPairs);
  }

  void count(const GateReport& report, Evidence& signals) {
    InstructionCounter counter;
    bool asked = false;
    for (size_t i = 0; i < report.findings.size() && !stop_requested(); ++i) {
      const GateFinding& finding = report.findings[i];
      const PlannedContest& planned = plan_.contests[i];
      if (!planned.trouble.empty() || !wants_count(finding, signals)) continue;
      if (!asked) counter = find_instruction_counter();
      asked = true;
      const Evidence::Key key{finding.program, finding.name};
      if (session_.budget().over()) {
        signals.not_counted[key] = "the time was used up";
        continue;
      }
      try {
        if (planned.amount.min_time_s > 0) {
          throw CannotMeasure(
              "the program takes no count of iterations (its library is older than "
              "1.8)");
        }
        session_.say("counting instructions", finding.name);
        // Counting is about 50 times slower than running.
        const auto iterations = std::max<std::int64_t>(1, planned.amount.iterations / 10);
        const auto count_side = [&](const fs::path& program) {
          return count_instructions(counter, {.program = program,
                                              .name = finding.name,
                                              .iterations = iterations,
                                              .scratch = scratch_,
                                              .budget = session_.budget()});
        };
        const ProgramPair& pair = pair_of(finding.program);
        const double base = count_side(pair.base);  // before there is an entry: either may throw
        const double head = count_side(pair.head);
        signals.instructions[key] = {base, head};
      } catch (const CannotMeasure& error) {
        session_.place().check(true);
        signals.not_counted[key] = error.what();
      }
      session_.place().check(false);
    }
    session_.say_nothing();
  }

  /// Measures the suspects in other layouts, where the build can make them. Whether there were any.
  bool relink(GateReport& report, Evidence& signals) {
    bool any = false;
    for (size_t i = 0; i < report.findings.size() && !stop_requested(); ++i) {
      const GateFinding& finding = report.findings[i];
      if (finding.ruling != Ruling::layout_suspect) continue;
      const ProgramPair& pair = pair_of(finding.program);
      if (request_.relink.empty()) {
        report.notes.push_back(
            fmt::format("{}: to decide, link both sides in other layouts and give the program that "
                        "does it, called as PROGRAM SEED OUT: --relink scripts/relink, or of the "
                        "Python package --relink $(command -v cliffbench-relink)",
                        finding.name));
        continue;
      }
      session_.say("measuring other layouts of", finding.name);
      const LayoutRequest layouts{.relink = request_.relink,
                                  .base = fs::canonical(pair.base),
                                  .head = fs::canonical(pair.head),
                                  .folder = session_.folder() / "sides",
                                  .metric = finding.metric,
                                  .seed = plan_.seed,
                                  .budget = session_.budget(),
                                  .observe = [&](const fs::path& program, Row& row) {
                                    row.name = finding.name;
                                    return observe(program, plan_.contests[i].amount)(row);
                                  }};
      signals.layouts[{finding.program, finding.name}] = measure_layouts(layouts);
      any = true;
    }
    session_.say_nothing();
    return any;
  }

  /// What the loop could not know when it printed its rulings.
  void print_changed(const GateReport& report) const {
    const GateReport by_time = report_of(plan_, contests_);
    bool titled = false;
    for (size_t i = 0; i < report.findings.size(); ++i) {
      const GateFinding& finding = report.findings[i];
      const bool told = finding.ruling == by_time.findings[i].ruling && by_time.findings[i].decided;
      if (told && !finding.instructions) continue;
      if (!titled && !plan_.by_instructions) fmt::print("\nwith all that is known:\n");
      titled = true;
      fmt::print("{}\n", coloured(finding_line(finding)));
    }
  }

  const GateRequest& request_;
  NameFilter filter_;
  GateSession session_;
  fs::path scratch_;
  GatePlan plan_;
  std::vector<ProgramPair> programs_;
  std::map<std::string, bool> takes_counts_;  ///< by program
  std::vector<Contest> contests_;
};

}  // namespace

int run_gate(const GateRequest& request) { return Gate(request).run(); }

}  // namespace cliffbench
