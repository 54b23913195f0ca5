#include "harness/gate/gate_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/core/host/machine.hpp"
#include "harness/core/record/folder.hpp"
#include "harness/core/record/session.hpp"
#include "harness/core/text/terminal.hpp"
#include "harness/core/text/text.hpp"
#include "harness/gate/screening.hpp"
#include "harness/gate/words.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;

/// The machine of the folder's first session. Throws CannotMeasure when a row's session is not
/// there.
std::string machine_of(const fs::path& folder, const GatePlan& plan) {
  const auto sessions = read_sessions(folder);
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    for (const Row& row : benchmark.seen.rows) {
      const std::string key = fmt::format("{}.{}", row.run, row.session);
      if (sessions.contains(key)) continue;
      throw CannotMeasure(fmt::format("a row of {} belongs to session {}, but there is no {}",
                                      benchmark.id.name, key,
                                      (folder / "sessions" / (key + ".json")).string()));
    }
  }
  return sessions.empty() ? "unknown machine" : machine_text(sessions.begin()->second.machine);
}

/// A note of the rows that a benchmark's rounds should hold and do not. A round that the user
/// stopped has this too.
std::string missing_rows(const ComparedBenchmark& benchmark) {
  if (benchmark.seen.rows.empty()) return "";  // its ruling has the reason
  int rounds = 0;
  for (const Row& row : benchmark.seen.rows) rounds = std::max(rounds, row.round);
  size_t expected = 0;
  for (int round = 1; round <= rounds; ++round) {
    expected += static_cast<size_t>(benchmark.timing.trials(round));
  }
  if (benchmark.seen.rows.size() >= expected) return "";
  const size_t missing = expected - benchmark.seen.rows.size();
  return fmt::format("{}: {} of {} rows {} missing; {} left out", benchmark.id.name, missing,
                     expected, missing == 1 ? "is" : "are",
                     missing == 1 ? "its pair is" : "their pairs are");
}

/// A note on the benchmarks left after a screening; "" where there was none.
std::string screening_note(const GatePlan& plan) {
  if (!plan.screening) return "";
  size_t suspects = 0;
  size_t ok = 0;
  size_t left = 0;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    if (benchmark.judged.not_timed) continue;
    suspects += benchmark.judged.suspect;
    if (benchmark.has_new_pairs()) continue;
    ++(benchmark.is_open() ? left : ok);
  }
  const auto count = static_cast<size_t>(*plan.screening);
  std::string text = "time was short, so " + (count ? counted(count, "pair") + " each" : "pilots") +
                     " chose the slowest benchmarks: ";
  if (ok) text += fmt::format("{} ok, ", ok);
  return text + fmt::format("{} chosen, {} without new pairs", suspects, left);
}

/// Tells gates apart that began in one second with one seed: no two measure one row alike.
std::string mark_of(const GatePlan& plan) {
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    if (!benchmark.seen.rows.empty()) return plan.run + row_line(benchmark.seen.rows.front());
  }
  return plan.run;
}

GateReport report_of_folder(const GatePlan& plan, const fs::path& folder) {
  GateReport report = report_of(plan, read_evidence(plan, folder));
  const bool unmeasured = std::all_of(
      plan.benchmarks.begin(), plan.benchmarks.end(), [](const ComparedBenchmark& benchmark) {
        return benchmark.seen.rows.empty() && !benchmark.judged.not_timed;
      });
  if (unmeasured && !plan.by_instructions()) {
    report.notes.push_back((folder / "rows.jsonl").string() + " is missing or has no rows");
  }
  report.machine = machine_of(folder, plan);
  return report;
}

}  // namespace

bool holds_gate(const fs::path& folder) { return is_there(folder / "gate.json"); }

void read_rows_of(GatePlan& plan, const fs::path& folder) {
  std::map<std::pair<std::string, std::string>, ComparedBenchmark*> by_name;
  for (ComparedBenchmark& benchmark : plan.benchmarks) {
    benchmark.timing.control = plan.control;
    benchmark.timing.asked = plan.metric;
    by_name[{benchmark.id.program, benchmark.id.name}] = &benchmark;
  }
  share_chances(plan.benchmarks, plan.screening);
  std::vector<LeftOut> left_out;
  if (const fs::path file = folder / "rows.jsonl"; is_there(file)) {
    TrialsSeen seen(file);
    for_each_row(file, left_out, [&](Row row, const std::string&) {
      seen.take(row);
      const auto benchmark = by_name.find({row.program, row.name});
      const bool is_variant =
          row.variant == "base" || row.variant == "head" || row.variant == "control";
      if (benchmark == by_name.end() || row.run != plan.run || !is_variant) {
        throw CannotMeasure(fmt::format("{} holds a row of another gate (run {}, {}, {})",
                                        file.string(), row.run, row.name, row.variant));
      }
      benchmark->second->seen.rows.push_back(std::move(row));
    });
  }
  for (ComparedBenchmark& benchmark : plan.benchmarks) benchmark.judge();
  for (const LeftOut& one : left_out) say("{}; its pair is left out\n", one.text);
}

GateReport report_of(const GatePlan& plan, const Evidence& evidence, int session) {
  GateReport report{.base = plan.base,
                    .head = plan.head,
                    .machine = machine_text(describe_machine()),
                    .notes = plan.notes,
                    .rule = plan.rule(),
                    .arguments = plan.arguments,
                    .one_sided = plan.one_sided};
  if (const std::string note = screening_note(plan); !note.empty()) report.notes.push_back(note);
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    const GateJudgement& judged = benchmark.judged;
    report.open += benchmark.is_open();
    report.findings.push_back(judged.finding);
    report.findings.insert(report.findings.end(), judged.of_counters.begin(),
                           judged.of_counters.end());
    const std::string note = plan.by_instructions() ? "" : missing_rows(benchmark);
    if (!note.empty()) report.notes.push_back(note);
    for (const Row& row : benchmark.seen.rows) {
      if (session && row.session != session) continue;
      report.measured_s += row.process_s;
      if (row.variant == "control") report.control_s += row.process_s;
    }
  }
  apply_evidence(report, evidence, plan.by_instructions());
  return report;
}

int judge_gate_folders(const std::vector<fs::path>& folders, const fs::path& out, bool strict) {
  if (out != folders.front()) require_no_link(out);
  GateReport all;
  std::vector<std::string> unfit, machines;
  std::map<std::string, fs::path> gates;
  for (const fs::path& folder : folders) {
    GatePlan plan = read_gate_plan(folder);
    read_rows_of(plan, folder);
    if (const auto [same, added] = gates.try_emplace(mark_of(plan), folder); !added) {
      throw UserError(fmt::format("{} and {} hold the same gate; name it only once",
                                  same->second.string(), folder.string()));
    }
    for (ComparedBenchmark& benchmark : plan.benchmarks) benchmark.judge_at_end();
    GateReport report = report_of_folder(plan, folder);
    const std::string name = folders.size() > 1 ? fs::canonical(folder).filename().string() : "";
    const std::string label = name.empty() ? "" : name + ": ";
    for (GateFinding& finding : report.findings) {
      if (all.findings.empty()) say("{}", ruling_head());
      if (!name.empty()) finding.name += " on " + name;
      say_styled(ruling_line(finding, screen()) + "\n");
      all.findings.push_back(std::move(finding));
    }
    for (const std::string& note : report.notes) all.notes.push_back(label + note);
    if (!report.unfit.empty()) unfit.push_back(label + report.unfit);
    machines.push_back(report.machine);
    all.base = report.base;
    all.head = report.head;
    const std::size_t decisions = all.rule.decisions;
    all.rule = report.rule;
    if (&folder != &folders.front()) all.rule.decisions += decisions;
    all.arguments = report.arguments;
    all.one_sided += report.one_sided;
    all.measured_s += report.measured_s;
    all.control_s += report.control_s;
  }
  all.gates = folders.size();
  all.machine = joined(machines, "; ");
  all.unfit = joined(unfit, "; ");
  all.seconds = all.measured_s;
  all.strict = strict;
  make_folder(out);
  return publish_rulings(all, out);
}

}  // namespace cliffbench
