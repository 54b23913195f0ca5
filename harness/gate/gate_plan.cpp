#include "harness/gate/gate_plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/core/host/exact.hpp"
#include "harness/core/record/params.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json benchmark_json(const ComparedBenchmark& benchmark) {
  const Pilot& pilot = benchmark.pilot;
  Json counters = Json::array();
  for (const WantedCounter& counter : benchmark.counters) {
    counters.push_back({{"name", counter.name}, {"larger_is_better", counter.larger_is_better}});
  }
  return {{"program", benchmark.program},
          {"name", benchmark.name},
          {"names", Json::array({benchmark.base_name, benchmark.head_name})},
          {"counters", counters},
          {"margin", benchmark.rule.margin},
          {"must_find", benchmark.rule.must_find},
          {"suspect", benchmark.suspect},
          {"start_s", pilot.start_s},
          {"together", pilot.together},
          {"iterations", pilot.batches.iterations},
          {"min_time_s", pilot.batches.min_time_s},
          {"batches", pilot.batches.count},
          {"metric", pilot.metric},
          {"digests", pilot.digests},
          {"round_s", pilot.round_s},
          {"lead", pilot.lead},
          {"trouble", pilot.trouble},
          {"ruling", pilot.ruling}};
}

ComparedBenchmark parse_benchmark(const Json& json) {
  std::vector<WantedCounter> counters;
  for (const Json& counter : json.at("counters")) {
    counters.push_back({counter.at("name"), counter.at("larger_is_better")});
  }
  return {.program = json.at("program"),
          .name = json.at("name"),
          .base_name = json.at("names").at(0),
          .head_name = json.at("names").at(1),
          .pilot = {.batches = {whole_number<std::int64_t>(json.at("iterations")),
                                json.at("min_time_s"), whole_number<int>(json.at("batches"))},
                    .metric = json.at("metric"),
                    .digests = json.at("digests"),
                    .start_s = json.at("start_s"),
                    .together = json.at("together"),
                    .round_s = json.at("round_s"),
                    .lead = json.at("lead"),
                    .trouble = json.at("trouble"),
                    .ruling = json.at("ruling")},
          .rule = {.margin = json.at("margin"), .must_find = json.at("must_find")},
          .counters = std::move(counters),
          .suspect = json.at("suspect")};
}

void check_plan(const GatePlan& plan) {
  require(is_file_name(plan.run), "a run name that cannot be a file name");
  if (!plan.metric.empty()) (void)Json(plan.metric).get<Metric>();
  const auto require_margins = [](const auto& of) {
    require(of.margin >= 0 && of.margin < of.must_find, "invalid margins");
  };
  require_margins(plan);
  const int pairs = plan.screening.value_or(0);
  require(pairs >= 0 && pairs <= kScreenPairs, "a screening of too many pairs");
  std::set<std::pair<std::string, std::string>> names;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    require(names.insert({benchmark.program, benchmark.name}).second,
            "two benchmarks named " + benchmark.name);
    require_margins(benchmark.rule);
    require(plan.screening || !benchmark.suspect, "a suspect without a screening");
    const Batches& batches = benchmark.pilot.batches;
    require(batches.iterations >= 0 && batches.min_time_s >= 0 && batches.count > 0 &&
                benchmark.pilot.round_s >= 0,
            "a count of batches below 1, or another number below 0");
  }
}

size_t count_of(const GatePlan& plan, bool (ComparedBenchmark::*is)() const) {
  return static_cast<size_t>(
      std::ranges::count_if(plan.benchmarks, [&](const auto& one) { return (one.*is)(); }));
}

}  // namespace

size_t GatePlan::pilots() const { return count_of(*this, &ComparedBenchmark::has_pilot); }
size_t GatePlan::changed() const {
  return benchmarks.size() - count_of(*this, &ComparedBenchmark::unchanged);
}
size_t GatePlan::open() const {
  return benchmarks.size() - count_of(*this, &ComparedBenchmark::decided);
}

PairRule GatePlan::rule() const {
  size_t decisions = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (benchmark.unchanged()) continue;
    decisions += 1 + benchmark.counters.size();
  }
  return {.margin = margin, .must_find = must_find, .decisions = decisions};
}

Json gate_plan_json(const GatePlan& plan) {
  Json benchmarks = Json::array();
  for (const auto& benchmark : plan.benchmarks) benchmarks.push_back(benchmark_json(benchmark));
  return {{"schema", kSchema},
          {"run", plan.run},
          {"seed", plan.seed},
          {"sides", Json::array({plan.base, plan.head})},
          {"notes", plan.notes},
          {"one_sided", plan.one_sided},
          {"fingerprints", plan.identities},
          {"metric", plan.metric},
          {"margin", plan.margin},
          {"benchmarks", benchmarks},
          {"must_find", plan.must_find},
          {"arguments", plan.arguments},
          {"control", plan.control},
          {"screening", plan.screening ? Json(*plan.screening) : Json()}};
}

GatePlan parse_gate_plan(const Json& json) {
  require(json.at("sides").size() == 2, "a number of sides other than two");
  GatePlan plan{.run = json.at("run"),
                .seed = whole_number<std::uint64_t>(json.at("seed")),
                .base = json.at("sides").at(0),
                .head = json.at("sides").at(1),
                .notes = json.at("notes"),
                .one_sided = whole_number<std::size_t>(json.at("one_sided")),
                .identities = json.at("fingerprints"),
                .metric = json.at("metric"),
                .margin = json.at("margin"),
                .must_find = json.at("must_find"),
                .arguments = json.at("arguments"),
                .control = json.at("control")};
  if (const Json& pairs = json.at("screening"); !pairs.is_null()) {
    plan.screening = whole_number<int>(pairs);
  }
  for (const Json& benchmark : json.at("benchmarks")) {
    plan.benchmarks.push_back(parse_benchmark(benchmark));
  }
  require_exact(json, gate_plan_json(plan));
  check_plan(plan);
  return plan;
}

GatePlan read_gate_plan(const fs::path& folder) {
  const fs::path file = folder / "gate.json";
  return parse_file(file, "a gate's plan", read_record(file), parse_gate_plan);
}

void write_gate_plan(const GatePlan& plan, const fs::path& folder) {
  write_record(folder / "gate.json", gate_plan_json(plan));
}

Json evidence_json(const Evidence& evidence) {
  Json lines = Json::array();
  const auto line = [&](const auto& benchmark, const char* what, const Json& value) {
    lines.push_back({{"program", benchmark.first}, {"name", benchmark.second}, {what, value}});
  };
  for (const auto& [benchmark, counted] : evidence.instructions) {
    line(benchmark, "instructions", {counted.base, counted.head});
  }
  for (const auto& [benchmark, why] : evidence.not_counted) line(benchmark, "not_counted", why);
  return {{"schema", kSchema}, {"unfit", evidence.unfit}, {"evidence", lines}};
}

Evidence parse_evidence(const Json& json) {
  Evidence evidence;
  evidence.unfit = json.at("unfit");
  for (const Json& line : json.at("evidence")) {
    const BenchmarkKey benchmark{line.at("program"), line.at("name")};
    if (line.contains("instructions")) {
      const Json& counted = line["instructions"];
      evidence.instructions[benchmark] = {counted.at(0), counted.at(1)};
    }
    if (line.contains("not_counted")) evidence.not_counted[benchmark] = line["not_counted"];
  }
  return evidence;
}

Evidence read_evidence(const GatePlan& plan, const fs::path& folder) {
  const fs::path file = folder / "evidence.json";
  if (!is_there(file)) return {};
  return parse_file(file, "a gate's evidence", read_record(file), [&](const Json& json) {
    const Evidence evidence = parse_evidence(json);
    require_exact(json, evidence_json(evidence));
    for (const Json& line : json.at("evidence")) {
      const BenchmarkKey key{line.at("program"), line.at("name")};
      const bool known = std::any_of(
          plan.benchmarks.begin(), plan.benchmarks.end(),
          [&](auto& one) { return one.program == key.first && one.name == key.second; });
      require(known, "this gate has no benchmark " + key.second);
    }
    return evidence;
  });
}

void write_evidence(const Evidence& evidence, const fs::path& folder) {
  write_record(folder / "evidence.json", evidence_json(evidence));
}

}  // namespace cliffbench
