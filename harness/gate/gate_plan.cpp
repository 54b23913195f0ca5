#include "harness/gate/gate_plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/host/exact.hpp"
#include "harness/record/record.hpp"
#include "harness/text/text.hpp"

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

PlannedBenchmark parse_benchmark(const Json& json) {
  return {.program = json.at("program"),
          .name = json.at("name"),
          .variants = json.at("variants"),
          .batches = {whole_number<std::int64_t>(json.at("iterations")), json.at("min_time_s"),
                      whole_number<int>(json.at("batches"))},
          .metric = metric_of(json.at("metric")),
          .digests = json.at("digests"),
          .round_s = json.at("round_s"),
          .lead = json.at("lead"),
          .trouble = json.at("trouble"),
          .wrong = json.at("wrong")};
}

void check_plan(const GatePlan& plan) {
  require(is_file_name(plan.run), "a run name that cannot be a file name");
  require(plan.sides.size() >= 2, "fewer than two sides");
  require(plan.metric.empty() || word(metric_of(plan.metric)) == plan.metric, "an unknown metric");
  require(plan.margin >= 0 && plan.margin < plan.must_find, "invalid margins");
  std::set<std::pair<std::string, std::string>> names;
  for (const PlannedBenchmark& benchmark : plan.benchmarks) {
    const auto& variants = benchmark.variants;
    require(names.insert({benchmark.program, benchmark.name}).second,
            "two benchmarks named " + benchmark.name);
    require(variants.size() == plan.sides.size() && variants.front() == "base",
            "variants that do not match the sides");
    const std::set<std::string> different(variants.begin(), variants.end());
    require(different.size() == variants.size() && !different.contains("control"),
            "two variants with the same name");
    const Batches& batches = benchmark.batches;
    require(batches.iterations >= 0 && batches.min_time_s >= 0 && batches.count > 0 &&
                benchmark.round_s >= 0,
            "a count of batches below 1, or another number below 0");
  }
}

}  // namespace

size_t GatePlan::pilots() const {
  return static_cast<size_t>(
      std::count_if(benchmarks.begin(), benchmarks.end(),
                    [](const auto& benchmark) { return benchmark.has_pilot(); }));
}

PairRule GatePlan::rule() const {
  return {.margin = margin,
          .must_find = must_find,
          .decisions = benchmarks.size() * (sides.size() - 1)};
}

Json gate_plan_json(const GatePlan& plan) {
  Json benchmarks = Json::array();
  for (const PlannedBenchmark& benchmark : plan.benchmarks) {
    benchmarks.push_back({{"program", benchmark.program},
                          {"name", benchmark.name},
                          {"variants", benchmark.variants},
                          {"iterations", benchmark.batches.iterations},
                          {"min_time_s", benchmark.batches.min_time_s},
                          {"batches", benchmark.batches.count},
                          {"metric", word(benchmark.metric)},
                          {"digests", benchmark.digests},
                          {"round_s", benchmark.round_s},
                          {"lead", benchmark.lead},
                          {"trouble", benchmark.trouble},
                          {"wrong", benchmark.wrong}});
  }
  return {{"schema", kSchema},          {"run", plan.run},
          {"seed", plan.seed},          {"sides", plan.sides},
          {"notes", plan.notes},        {"fingerprints", plan.fingerprints},
          {"metric", plan.metric},      {"margin", plan.margin},
          {"benchmarks", benchmarks},   {"must_find", plan.must_find},
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
  for (const Json& benchmark : json.at("benchmarks"))
    plan.benchmarks.push_back(parse_benchmark(benchmark));
  require_exact(json, gate_plan_json(plan));
  check_plan(plan);
  return plan;
}

GatePlan read_gate_plan(const fs::path& folder) {
  const fs::path file = folder / "gate.json";
  return parse_file(file, "a gate's plan", read_sealed(file), parse_gate_plan);
}

void write_gate_plan(const GatePlan& plan, const fs::path& folder) {
  write_record(folder / "gate.json", gate_plan_json(plan));
}

}  // namespace cliffbench
