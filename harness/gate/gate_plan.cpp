#include "harness/gate/gate_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/host/exact.hpp"
#include "harness/host/text.hpp"
#include "harness/record/record.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Metric metric_of(const std::string& text) {
  for (const Metric metric : {Metric::cpu, Metric::wall, Metric::instructions}) {
    if (word(metric) == text) return metric;
  }
  throw CannotMeasure("'" + text + "' is not a metric");
}

PlannedContest parse_contest(const Json& json) {
  return {.program = json.at("program"),
          .name = json.at("name"),
          .variants = json.at("variants"),
          .amount = {whole_number<std::int64_t>(json.at("iterations")), json.at("min_time_s"),
                     whole_number<int>(json.at("batches"))},
          .metric = metric_of(json.at("metric")),
          .digests = json.at("digests"),
          .round_s = json.at("round_s"),
          .lead = json.at("lead"),
          .trouble = json.at("trouble"),
          .wrong = json.at("wrong")};
}

void require(bool right, const std::string& sentence) {
  if (!right) throw std::runtime_error(sentence);
}

void check_plan(const GatePlan& plan) {
  require(is_file_name(plan.run), "a run name that cannot be a file name");
  require(plan.sides.size() >= 2, "fewer than two sides");
  require(plan.metric.empty() || word(metric_of(plan.metric)) == plan.metric, "an unknown metric");
  require(plan.margin >= 0 && plan.margin < plan.must_find, "invalid margins");
  std::set<std::pair<std::string, std::string>> names;
  for (const PlannedContest& contest : plan.contests) {
    const auto& variants = contest.variants;
    require(names.insert({contest.program, contest.name}).second,
            "two contests named " + contest.name);
    require(variants.size() == plan.sides.size() && variants.front() == "base",
            "variants that do not match the sides");
    const std::set<std::string> different(variants.begin(), variants.end());
    require(different.size() == variants.size() && !different.contains("control"),
            "two variants with the same name");
    const Amount& amount = contest.amount;
    require(amount.iterations >= 0 && amount.min_time_s >= 0 && amount.batches > 0 &&
                contest.round_s >= 0,
            "an amount or a time below 0");
  }
}

}  // namespace

size_t GatePlan::pilots() const {
  return static_cast<size_t>(std::count_if(
      contests.begin(), contests.end(), [](const auto& contest) { return contest.has_pilot(); }));
}

PairRule GatePlan::rule() const {
  return {
      .margin = margin, .must_find = must_find, .decisions = contests.size() * (sides.size() - 1)};
}

Json gate_plan_json(const GatePlan& plan) {
  Json contests = Json::array();
  for (const PlannedContest& contest : plan.contests) {
    contests.push_back({{"program", contest.program},
                        {"name", contest.name},
                        {"variants", contest.variants},
                        {"iterations", contest.amount.iterations},
                        {"min_time_s", contest.amount.min_time_s},
                        {"batches", contest.amount.batches},
                        {"metric", word(contest.metric)},
                        {"digests", contest.digests},
                        {"round_s", contest.round_s},
                        {"lead", contest.lead},
                        {"trouble", contest.trouble},
                        {"wrong", contest.wrong}});
  }
  return {{"schema", kSchema},          {"run", plan.run},
          {"seed", plan.seed},          {"sides", plan.sides},
          {"notes", plan.notes},        {"fingerprints", plan.fingerprints},
          {"metric", plan.metric},      {"margin", plan.margin},
          {"contests", contests},       {"must_find", plan.must_find},
          {"arguments", plan.arguments}};
}

GatePlan parse_gate_plan(const Json& json) {
  GatePlan plan{.run = json.at("run"),
                .seed = whole_number<std::uint64_t>(json.at("seed")),
                .sides = json.at("sides"),
                .notes = json.at("notes"),
                .fingerprints = json.at("fingerprints"),
                .metric = json.at("metric"),
                .margin = json.at("margin"),
                .must_find = json.at("must_find"),
                .arguments = json.at("arguments")};
  for (const Json& contest : json.at("contests")) plan.contests.push_back(parse_contest(contest));
  require_exact(json, gate_plan_json(plan));
  check_plan(plan);
  return plan;
}

GatePlan read_gate_plan(const fs::path& folder) {
  const fs::path file = folder / "gate.json";
  const Json json = read_sealed(file);
  try {
    return parse_gate_plan(json);
  } catch (const std::exception& error) {
    throw CannotMeasure(fmt::format("{} is not a gate's plan that this program can read: {}",
                                    file.string(), what_is_wrong(error)));
  }
}

void write_gate_plan(const GatePlan& plan, const fs::path& folder) {
  write_record(folder / "gate.json", gate_plan_json(plan));
}

}  // namespace cliffbench
