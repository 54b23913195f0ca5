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
  const auto& [id, timing, seen, judged] = benchmark;
  const NotTimed not_timed = judged.not_timed.value_or(NotTimed());
  Json counters = Json::array();
  for (const WantedCounter& counter : timing.counters) {
    counters.push_back({{"name", counter.name}, {"larger_is_better", counter.larger_is_better}});
  }
  return {{"program", id.program},
          {"name", id.name},
          {"names", Json::array({id.base_name, id.head_name})},
          {"counters", counters},
          {"margin", judged.rule.margin},
          {"must_find", judged.rule.must_find},
          {"suspect", judged.suspect},
          {"start_s", timing.start_s},
          {"together", timing.shares_process},
          {"iterations", timing.batches.iterations},
          {"min_time_s", timing.batches.min_time_s},
          {"batches", timing.batches.count},
          {"metric", timing.metric},
          {"digests", timing.digests},
          {"round_s", timing.round_s},
          {"lead", seen.slower},
          {"trouble", not_timed.reason},
          {"ruling", not_timed.ruling}};
}

ComparedBenchmark parse_benchmark(const Json& json) {
  std::vector<WantedCounter> counters;
  for (const Json& counter : json.at("counters")) {
    counters.push_back({counter.at("name"), counter.at("larger_is_better")});
  }
  ComparedBenchmark made{
      .id = {.program = json.at("program"),
             .name = json.at("name"),
             .base_name = json.at("names").at(0),
             .head_name = json.at("names").at(1)},
      .timing = {.batches = {whole_number<std::int64_t>(json.at("iterations")),
                             json.at("min_time_s"), whole_number<int>(json.at("batches"))},
                 .metric = json.at("metric"),
                 .digests = json.at("digests"),
                 .start_s = json.at("start_s"),
                 .shares_process = json.at("together"),
                 .round_s = json.at("round_s"),
                 .counters = std::move(counters)},
      .seen = {.slower = json.at("lead")},
      .judged = {.rule = {.margin = json.at("margin"), .must_find = json.at("must_find")},
                 .suspect = json.at("suspect")}};
  if (json.at("trouble") != "") made.judged.not_timed = {json.at("ruling"), json.at("trouble")};
  return made;
}

void check_plan(const GatePlan& plan) {
  require(is_file_name(plan.run), "a run name that cannot be a file name");
  const auto require_margins = [](const auto& of) {
    require(of.margin >= 0 && of.margin < of.must_find, "invalid margins");
  };
  require_margins(plan);
  const int pairs = plan.screening.value_or(0);
  require(pairs >= 0 && pairs <= kScreenPairs, "a screening of too many pairs");
  std::set<std::pair<std::string, std::string>> names;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    require(names.insert({benchmark.id.program, benchmark.id.name}).second,
            "two benchmarks named " + benchmark.id.name);
    require_margins(benchmark.judged.rule);
    require(plan.screening || !benchmark.judged.suspect, "a suspect without a screening");
    const Batches& batches = benchmark.timing.batches;
    require(batches.iterations >= 0 && batches.min_time_s >= 0 && batches.count > 0 &&
                benchmark.timing.round_s >= 0,
            "a count of batches below 1, or another number below 0");
  }
}

size_t count_of(const GatePlan& plan, auto is) {
  return static_cast<size_t>(std::ranges::count_if(plan.benchmarks, is));
}

}  // namespace

size_t GatePlan::pilots() const {
  return count_of(*this, [](auto& one) { return one.stage() != Stage::no_pilot; });
}
size_t GatePlan::changed() const {
  return benchmarks.size() - count_of(*this, [](auto& one) { return one.unchanged(); });
}
size_t GatePlan::open() const {
  return count_of(*this, [](auto& one) { return one.is_open(); });
}

PairRule GatePlan::rule() const {
  size_t decisions = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (benchmark.unchanged()) continue;
    decisions += 1 + benchmark.timing.counters.size();
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
          {"metric", plan.metric ? word(*plan.metric) : ""},
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
                .margin = json.at("margin"),
                .must_find = json.at("must_find"),
                .arguments = json.at("arguments"),
                .control = json.at("control")};
  if (const Json& metric = json.at("metric"); metric != "") plan.metric = metric;
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
          [&](auto& one) { return one.id.program == key.first && one.id.name == key.second; });
      require(known, "this gate has no benchmark " + key.second);
    }
    return evidence;
  });
}

void write_evidence(const Evidence& evidence, const fs::path& folder) {
  write_record(folder / "evidence.json", evidence_json(evidence));
}

}  // namespace cliffbench
