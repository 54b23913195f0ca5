#include "harness/gate_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <regex>
#include <set>

#include "harness/fitness.hpp"
#include "harness/gate_folder.hpp"
#include "harness/gate_session.hpp"
#include "harness/instructions.hpp"
#include "harness/layouts.hpp"
#include "harness/orphans.hpp"
#include "harness/pilot.hpp"
#include "harness/plan.hpp"
#include "harness/process.hpp"
#include "harness/signals.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// One program, before and after, under paths of equal length: the length of argv[0] moves the
/// stack, and with it the time.
struct ProgramPair {
  std::string name;
  fs::path base, head;
};

/// Names that both sides have; what only one has is noted.
std::vector<std::string> in_both(const std::vector<std::string>& base,
                                 const std::vector<std::string>& head, const std::string& what,
                                 std::vector<std::string>& notes) {
  const auto only = [&](const auto& here, const auto& there, const char* side) {
    std::vector<std::string> names;
    for (const auto& name : here) {
      if (std::find(there.begin(), there.end(), name) == there.end()) names.push_back(name);
    }
    if (names.empty()) return;
    const size_t count = names.size();
    constexpr size_t kShown = 5;
    if (count > kShown) names.resize(kShown);
    notes.push_back(fmt::format("only the {} has {}{}: {}{}", side, what, count == 1 ? "" : "s",
                                joined(names), count > kShown ? "..." : ""));
  };
  only(base, head, "base");
  only(head, base, "head");
  std::vector<std::string> both;
  for (const auto& name : head) {
    if (std::find(base.begin(), base.end(), name) != base.end()) both.push_back(name);
  }
  return both;
}

/// The folder of case programs of a build folder.
fs::path programs_of(const fs::path& folder) {
  for (const char* below : {"cases", "build/cases"}) {
    if (fs::is_directory(folder / below)) return folder / below;
  }
  return folder;
}

std::vector<std::string> keys(const std::map<std::string, fs::path>& programs) {
  std::vector<std::string> names;
  for (const auto& [name, path] : programs) names.push_back(name);
  return names;
}

/// `sides`/base and `sides`/head, links to the two folders (or, where the file names differ, to the
/// two files under one name).
std::vector<ProgramPair> pair_programs(const GateRequest& request, const fs::path& sides,
                                       std::vector<std::string>& notes) {
  for (const fs::path& side : {request.base, request.head}) {
    if (!fs::exists(side)) throw UserError("there is no " + side.string());
    if (!fs::is_directory(side) && access(side.c_str(), X_OK) != 0) {
      throw UserError(side.string() + " is not executable; give a program or a build folder");
    }
  }
  if (fs::is_directory(request.base) != fs::is_directory(request.head)) {
    throw UserError("--base and --head must both be programs or both be build folders");
  }
  std::error_code ignored;
  fs::remove_all(sides, ignored);
  make_folder(sides);
  const fs::path base = fs::canonical(request.base);
  const fs::path head = fs::canonical(request.head);
  if (fs::is_directory(base)) {
    const auto before = find_programs(programs_of(base));
    const auto after = find_programs(programs_of(head));
    fs::create_symlink(programs_of(base), sides / "base");
    fs::create_symlink(programs_of(head), sides / "head");
    std::vector<ProgramPair> pairs;
    for (const auto& name : in_both(keys(before), keys(after), "program", notes)) {
      pairs.push_back({name, sides / "base" / name, sides / "head" / name});
    }
    return pairs;
  }
  const std::string name = request.head.filename().string();
  if (base.filename() == head.filename()) {
    fs::create_symlink(base.parent_path(), sides / "base");
    fs::create_symlink(head.parent_path(), sides / "head");
    return {{name, sides / "base" / base.filename(), sides / "head" / head.filename()}};
  }
  for (const char* side : {"base", "head"}) make_folder(sides / side);
  fs::create_symlink(base, sides / "base" / "program");
  fs::create_symlink(head, sides / "head" / "program");
  return {{name, sides / "base" / "program", sides / "head" / "program"}};
}

/// Of a program of our kit: the cells of its profile `gate`, else of `verify`. Nothing for any
/// other program, and for one that declares neither.
std::set<std::string> chosen_by_profile(const fs::path& program,
                                        const std::vector<std::string>& names) {
  const bool ours =
      !names.empty() && std::all_of(names.begin(), names.end(), [](const std::string& name) {
        return name.find("/variant:") != std::string::npos;
      });
  std::set<std::string> chosen;
  if (!ours) return chosen;
  for (const auto& [key, description] : describe_program(program)) {
    for (const char* profile : {"gate", "verify"}) {
      const auto cells = choose_cells(key, description, {.profile = profile});
      for (const Cell& cell : cells) chosen.insert(cell.name);
      if (!cells.empty()) break;
    }
  }
  return chosen;
}

std::vector<std::string> choose_names(const GateRequest& request, const fs::path& program,
                                      std::vector<std::string> names) {
  if (request.filter.empty()) {
    const auto chosen = chosen_by_profile(program, names);
    if (!chosen.empty()) {
      std::erase_if(names, [&](const std::string& name) { return !chosen.contains(name); });
    }
    return names;
  }
  try {
    const std::regex filter(request.filter);
    std::erase_if(names, [&](const std::string& n) { return !std::regex_search(n, filter); });
  } catch (const std::regex_error&) {
    throw UserError("--filter '" + request.filter + "' is no regular expression (ECMAScript)");
  }
  return names;
}

/// The gate while it measures.
class Gate {
 public:
  explicit Gate(const GateRequest& request)
      : request_(request), session_(request), scratch_(session_.scratch()) {}

  int run() {
    adopt_orphans();
    programs_ = pair_programs(request_, session_.folder() / "sides", plan_.notes);
    if (request_.resume) {
      plan_ = session_.resume_plan(fingerprints());
    } else if (!make_plan()) {
      return session_.stopped();
    }
    contests_ = read_contests(plan_, session_.folder());
    for (size_t i = 0; i < contests_.size(); ++i) give_sides(plan_.contests[i], contests_[i]);
    session_.begin(plan_);
    const bool timed = !plan_.by_instructions;
    if (timed && !session_.measure(plan_, contests_)) return session_.stopped();
    GateReport report = report_of(plan_, contests_);
    Signals signals;
    if (!request_.trust_times) signals.unfit = timed ? session_.why_unfit() : "";
    count(report, signals);
    apply_signals(report, signals, plan_.by_instructions);
    if (relink(report, signals)) {
      const double before_s = report.measured_s;
      report = report_of(plan_, contests_);
      report.measured_s = before_s;
      apply_signals(report, signals, plan_.by_instructions);
    }
    if (stop_requested()) return session_.stopped();
    print_changed(report);
    write_file(session_.folder() / "signals.json", signals_json(signals).dump(1) + "\n");
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

  /// Lists, chooses and flies the pilots. False: the user stopped it.
  bool make_plan() {
    plan_ = session_.new_plan({request_.base.string(), request_.head.string()}, plan_.notes);
    plan_.fingerprints = fingerprints();
    plan_.by_instructions = request_.metric == "instructions";
    if (programs_.empty()) throw UserError("the two folders have no program in common");
    for (const ProgramPair& pair : programs_) {
      if (plan_.fingerprints["base " + pair.name] == plan_.fingerprints["head " + pair.name]) {
        plan_.notes.push_back(pair.name + " is the same file on both sides");
      }
      if (!plan_program(pair)) return false;
    }
    if (plan_.contests.empty()) {
      throw UserError("no benchmark that both sides have agrees with the filter");
    }
    return true;
  }

  bool plan_program(const ProgramPair& pair) {
    const Benchmarks base = list_benchmarks(pair.base);
    const Benchmarks head = list_benchmarks(pair.head);
    auto names = in_both(base.names, head.names, "benchmark", plan_.notes);
    for (const Benchmarks* side : {&base, &head}) {
      for (const auto& name : side->duplicates) {
        if (std::erase(names, name) == 0) continue;
        plan_.notes.push_back(name + " is the name of several benchmarks: it is left out");
      }
    }
    const bool counts = base.takes_counts && head.takes_counts;
    for (const std::string& name : choose_names(request_, pair.head, names)) {
      session_.say_pilot(name);
      const Pilot pilot = fly_pilot({.base = pair.base,
                                     .head = pair.head,
                                     .name = name,
                                     .takes_counts = counts,
                                     .batch_s = request_.batch_s,
                                     .limits = {request_.limit_s, 0},
                                     .scratch = scratch_});
      if (pilot.stopped) return false;
      plan_.contests.push_back({.program = pair.name,
                                .name = name,
                                .variants = {"base", "head"},
                                .amount = pilot.amount,
                                .metric = request_.metric == "cpu"    ? Metric::cpu
                                          : request_.metric == "wall" ? Metric::wall
                                                                      : pilot.metric,
                                .digests = pilot.digests && !request_.new_output,
                                .round_s = pilot.round_s,
                                .trouble = pilot.trouble});
    }
    return true;
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
      const bool whole = run_trial(program, scratch_, {request_.limit_s, 0}, row, amount);
      end_orphans();
      if (!whole) return false;
      if (row.status == Status::timeout) row.iterations = amount.iterations;
      return true;
    };
  }

  [[nodiscard]] bool wants_count(const GateFinding& finding, const Signals& signals) const {
    if (plan_.by_instructions) return true;
    if (request_.instructions == "never" || finding.metric == Metric::wall) return false;
    const bool faulty =
        finding.ruling == Ruling::not_measured || finding.ruling == Ruling::wrong_output;
    if (faulty) return false;
    return request_.instructions == "always" || !signals.unfit.empty() ||
           finding.ruling == Ruling::regression ||
           (finding.ruling == Ruling::inconclusive && finding.pairs == kMostPairs);
  }

  void count(const GateReport& report, Signals& signals) {
    InstructionCounter counter;
    bool asked = false;
    for (size_t i = 0; i < report.findings.size() && !stop_requested(); ++i) {
      const GateFinding& finding = report.findings[i];
      const PlannedContest& planned = plan_.contests[i];
      if (!planned.trouble.empty() || !wants_count(finding, signals)) continue;
      if (!asked) counter = find_instruction_counter();
      asked = true;
      const Signals::Key key{finding.program, finding.name};
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
          return count_instructions(counter, {program, finding.name, iterations, scratch_});
        };
        const ProgramPair& pair = pair_of(finding.program);
        signals.instructions[key] = {count_side(pair.base), count_side(pair.head)};
      } catch (const CannotMeasure& error) {
        signals.not_counted[key] = error.what();
      }
    }
    session_.say_nothing();
  }

  /// Measures the suspects in other layouts, where the build can make them. Whether there were any.
  bool relink(GateReport& report, Signals& signals) {
    bool any = false;
    for (size_t i = 0; i < report.findings.size() && !stop_requested(); ++i) {
      const GateFinding& finding = report.findings[i];
      if (finding.ruling != Ruling::layout_suspect) continue;
      const ProgramPair& pair = pair_of(finding.program);
      if (request_.relink.empty()) {
        report.notes.push_back(
            fmt::format("{}: to decide, link both sides in other layouts and give the program that "
                        "does it, called as PROGRAM SEED OUT: --relink scripts/relink",
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
      fmt::print("{}\n", finding_line(finding));
    }
  }

  const GateRequest& request_;
  GateSession session_;
  fs::path scratch_;
  GatePlan plan_;
  std::vector<ProgramPair> programs_;
  std::vector<Contest> contests_;
};

}  // namespace

int run_gate(const GateRequest& request) { return Gate(request).run(); }

}  // namespace cliffbench
