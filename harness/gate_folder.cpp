#include "harness/gate_folder.hpp"

#include <fmt/format.h>

#include "harness/machine.hpp"
#include "harness/signals.hpp"
#include "harness/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string machine_text(const Machine& machine) {
  return fmt::format("{}, {} cores{}", machine.cpu, machine.cores,
                     machine.virtualised ? ", virtualised" : "");
}

Metric metric_of(const std::string& text) {
  for (const Metric metric : {Metric::cpu, Metric::wall, Metric::instructions}) {
    if (word(metric) == text) return metric;
  }
  throw CannotMeasure("'" + text + "' is no metric");
}

PlannedContest parse_contest(const Json& json) {
  return {.program = json.at("program"),
          .name = json.at("name"),
          .variants = json.at("variants"),
          .amount = {json.at("iterations"), json.at("min_time_s")},
          .metric = metric_of(json.at("metric")),
          .digests = json.at("digests"),
          .round_s = json.at("round_s"),
          .trouble = json.at("trouble")};
}

/// Of the folder's first session.
std::string machine_of(const fs::path& folder) {
  for (const auto& [key, session] : read_sessions(folder)) {
    Machine machine;
    machine.cpu = session.value("/machine/cpu"_json_pointer, "unknown");
    machine.cores = session.value("/machine/cores"_json_pointer, 0);
    machine.virtualised = session.value("/machine/virtualised"_json_pointer, false);
    return machine_text(machine);
  }
  return "unknown machine";
}

}  // namespace

Json gate_plan_json(const GatePlan& plan) {
  Json contests = Json::array();
  for (const PlannedContest& contest : plan.contests) {
    contests.push_back({{"program", contest.program},
                        {"name", contest.name},
                        {"variants", contest.variants},
                        {"iterations", contest.amount.iterations},
                        {"min_time_s", contest.amount.min_time_s},
                        {"metric", word(contest.metric)},
                        {"digests", contest.digests},
                        {"round_s", contest.round_s},
                        {"trouble", contest.trouble}});
  }
  return {{"schema", kSchema},    {"run", plan.run},
          {"seed", plan.seed},    {"sides", plan.sides},
          {"notes", plan.notes},  {"fingerprints", plan.fingerprints},
          {"contests", contests}, {"by_instructions", plan.by_instructions}};
}

GatePlan read_gate_plan(const fs::path& folder) {
  const fs::path file = folder / "gate.json";
  const Json json = read_json(file);
  try {
    GatePlan plan{.run = json.at("run"),
                  .seed = json.at("seed"),
                  .sides = json.at("sides"),
                  .notes = json.at("notes"),
                  .fingerprints = json.at("fingerprints"),
                  .by_instructions = json.at("by_instructions")};
    for (const Json& contest : json.at("contests")) plan.contests.push_back(parse_contest(contest));
    return plan;
  } catch (const Json::exception& error) {
    throw CannotMeasure(fmt::format("{} is no plan of a gate that this program reads: {}",
                                    file.string(), error.what()));
  }
}

void write_gate_plan(const GatePlan& plan, const fs::path& folder) {
  write_file(folder / "gate.json",
             gate_plan_json(plan).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::vector<Contest> read_contests(const GatePlan& plan, const fs::path& folder) {
  std::vector<Row> rows;
  if (fs::exists(folder / "rows.jsonl")) {
    std::vector<LeftOut> left_out;
    rows = read_rows(folder / "rows.jsonl", left_out);
    for (const LeftOut& one : left_out) fmt::print("{}; its pair is left out\n", one.text);
  }
  std::vector<Contest> contests;
  std::map<std::pair<std::string, std::string>, size_t> place;
  for (const PlannedContest& planned : plan.contests) {
    Contest contest{.program = planned.program,
                    .name = planned.name,
                    .metric = planned.metric,
                    .digests = planned.digests,
                    .round_s = planned.round_s,
                    .trouble = planned.trouble};
    for (const std::string& variant : planned.variants) contest.sides.push_back({variant, nullptr});
    place[{planned.program, planned.name}] = contests.size();
    contests.push_back(std::move(contest));
  }
  for (Row& row : rows) {
    const auto found = place.find({row.program, row.name});
    if (found == place.end() || row.run != plan.run) {
      throw CannotMeasure(fmt::format("{} holds a row of another gate (run {}, {})",
                                      (folder / "rows.jsonl").string(), row.run, row.name));
    }
    contests[found->second].rows.push_back(std::move(row));
  }
  return contests;
}

GateReport report_of(const GatePlan& plan, const std::vector<Contest>& contests) {
  GateReport report{.base = plan.sides.front(),
                    .head = plan.sides.size() == 2
                                ? plan.sides.back()
                                : fmt::format("{} others", plan.sides.size() - 1),
                    .machine = machine_text(describe_machine()),
                    .notes = plan.notes};
  for (const Contest& contest : contests) {
    for (GateFinding& finding : contest.judge()) report.findings.push_back(std::move(finding));
    for (const Row& row : contest.rows) {
      report.measured_s += row.process_s;
      if (row.variant == "control") report.control_s += row.process_s;
    }
  }
  return report;
}

int judge_gate_folders(const std::vector<fs::path>& folders, const fs::path& out, bool strict) {
  GateReport all;
  std::vector<std::string> unfit;
  for (const fs::path& folder : folders) {
    const GatePlan plan = read_gate_plan(folder);
    GateReport report = report_of(plan, read_contests(plan, folder));
    if (fs::exists(folder / "signals.json")) {
      apply_signals(report, parse_signals(read_json(folder / "signals.json")),
                    plan.by_instructions);
    }
    const std::string machine = machine_of(folder);
    const std::string label = folders.size() > 1 ? fs::canonical(folder).filename().string() : "";
    for (GateFinding& finding : report.findings) {
      if (!label.empty()) finding.name += " on " + label;
      fmt::print("{}\n", finding_line(finding));
      all.findings.push_back(std::move(finding));
    }
    for (const std::string& note : report.notes) {
      all.notes.push_back(label.empty() ? note : label + ": " + note);
    }
    if (!report.unfit.empty())
      unfit.push_back(label.empty() ? report.unfit : label + ": " + report.unfit);
    all.base = report.base;
    all.head = report.head;
    all.machine += (all.machine.empty() ? "" : "; ") + machine;
    all.measured_s += report.measured_s;
    all.control_s += report.control_s;
  }
  all.unfit = joined(unfit, "; ");
  all.seconds = all.measured_s;
  all.strict = strict;
  make_folder(out);
  return publish_rulings(all, out);
}

}  // namespace cliffbench
