#include "harness/gate/gate_plan.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "harness/core/host/exact.hpp"
#include "harness/core/record/fields.hpp"
#include "harness/core/record/params.hpp"
#include "harness/core/record/record.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

namespace fs = std::filesystem;

/// What is written and read by a table of fields.
template <typename It>
concept Tabled = std::same_as<It, WantedCounter> || std::same_as<It, NotTimed> ||
                 std::same_as<It, ComparedBenchmark> || std::same_as<It, Counted> ||
                 std::same_as<It, Evidence> || std::same_as<It, GatePlan>;
template <Tabled It>
const std::vector<Field<It>>& fields_of();

// The JSON library finds these by name.
template <Tabled It>
void from_json(const OrderedJson& json, It& it) {
  read_exactly(fields_of<It>(), json, it);
}
template <Tabled It>
void to_json(OrderedJson& json, const It& it) {
  write_fields(fields_of<It>(), it, json);
}
void from_json(const OrderedJson& json, Instructions& counts) {
  require(json.size() == 2, "not two");
  read_value(counts.base, json.at(0));
  read_value(counts.head, json.at(1));
}
void to_json(OrderedJson& json, const Instructions& counts) {
  json = OrderedJson::array({counts.base, counts.head});
}

namespace {

struct TwoSides {
  static auto of(auto& plan) { return std::tie(plan.base, plan.head); }
};
struct TwoNames {
  static auto of(auto& it) { return std::tie(it.id.base_name, it.id.head_name); }
};

/// Two values, one of each side.
template <typename Record, typename Two>
Field<Record> both(std::string_view name, std::string_view meaning) {
  return {name,
          "array",
          "",
          meaning,
          [](const Record& record, OrderedJson& json) {
            const auto [base, head] = Two::of(record);
            json = OrderedJson::array({base, head});
          },
          [](Record& record, const OrderedJson& json) {
            require(json.size() == 2, "not two");
            auto [base, head] = Two::of(record);
            read_value(base, json.at(0));
            read_value(head, json.at(1));
          },
          true};
}

}  // namespace

template <>
const std::vector<Field<WantedCounter>>& fields_of() {
  using Counter = WantedCounter;
  static const std::vector<Field<Counter>> fields = {
      needed<&Counter::name>("name", "string", "as both programs report it"),
      needed<&Counter::larger_is_better>("larger_is_better", "boolean", "more of it is better")};
  return fields;
}

template <>
const std::vector<Field<NotTimed>>& fields_of() {
  static const std::vector<Field<NotTimed>> fields = {
      needed<&NotTimed::ruling>("ruling", "string", "as in rulings.jsonl"),
      needed<&NotTimed::reason>("reason", "string", "a sentence")};
  return fields;
}

template <>
const std::vector<Field<ComparedBenchmark>>& fields_of() {
  using It = ComparedBenchmark;
  static const std::vector<Field<It>> fields = {
      needed<&It::id, &BenchmarkId::program>("program", "string", "the program of both sides"),
      needed<&It::id, &BenchmarkId::name>("name", "string", "as the gate calls it"),
      both<It, TwoNames>("names", "[base, head]: in the two programs"),
      needed<&It::timing, &Timing::counters>("counters", "array", "that decide beside the time"),
      needed<&It::judged, &GateJudgement::rule, &PairRule::margin>("margin", "number",
                                                                   "0.02 is 2 %"),
      needed<&It::judged, &GateJudgement::rule, &PairRule::must_find>("must_find", "number",
                                                                      "more than the margin"),
      needed<&It::judged, &GateJudgement::suspect>("suspect", "boolean", "the screening chose it"),
      needed<&It::timing, &Timing::start_s>("start_s", "number", "of a process"),
      needed<&It::timing, &Timing::shares_process>("shares_process", "boolean",
                                                   "with other benchmarks"),
      needed<&It::timing, &Timing::batches, &Batches::iterations>("iterations", "integer",
                                                                  "of a batch; 0 before the pilot"),
      needed<&It::timing, &Timing::batches, &Batches::min_time_s>("min_time_s", "number",
                                                                  "of a batch, instead of a count"),
      needed<&It::timing, &Timing::batches, &Batches::count>("batches", "integer", "of a process"),
      needed<&It::timing, &Timing::metric>("metric", "string", "cpu, wall or instructions"),
      needed<&It::timing, &Timing::digests>("digests", "boolean", "the labels are digests"),
      needed<&It::timing, &Timing::round_s>("round_s", "number", "expected of a round"),
      needed<&It::seen, &Observed::slower>("slower", "number", "ln(t_head / t_base), roughly"),
      needed<&It::judged, &GateJudgement::not_timed>("not_timed", "object or null",
                                                     "its ruling, if it is not timed")};
  return fields;
}

template <>
const std::vector<Field<Counted>>& fields_of() {
  static const std::vector<Field<Counted>> fields = {
      needed<&Counted::program>("program", "string", "as in gate.json"),
      needed<&Counted::name>("name", "string", "as in gate.json"),
      field<&Counted::instructions>("instructions", "array or null", "",
                                    "[base, head]: of an iteration"),
      field<&Counted::not_counted>("not_counted", "string or null", "", "why there are none")};
  return fields;
}

template <>
const std::vector<Field<Evidence>>& fields_of() {
  static const std::vector<Field<Evidence>> fields = {
      needed<&Evidence::unfit>("unfit", "string", "why times decide nothing; empty if they do"),
      needed<&Evidence::counted>("evidence", "array", "the counts of each benchmark")};
  return fields;
}

template <>
const std::vector<Field<GatePlan>>& fields_of() {
  using It = GatePlan;
  static const std::vector<Field<It>> fields = {
      needed<&It::run>("run", "string", "names the gate"),
      needed<&It::seed>("seed", "integer", "of the random order"),
      both<It, TwoSides>("sides", "[base, head] as the user gave them"),
      needed<&It::notes>("notes", "array", "a sentence each"),
      needed<&It::one_sided>("one_sided", "integer", "benchmarks that only one side has"),
      needed<&It::identities>("fingerprints", "object", "hashes of the programs"),
      needed<&It::metric>("metric", "string or null", "null: by the kind of each program"),
      needed<&It::margin>("margin", "number", "0.02 is 2 %"),
      needed<&It::benchmarks>("benchmarks", "array", "what is compared"),
      needed<&It::must_find>("must_find", "number", "more than the margin"),
      needed<&It::arguments>("arguments", "array", "of the measured programs"),
      needed<&It::control>("control", "boolean", "rounds have a control"),
      needed<&It::screening>("screening", "integer or null", "pairs; null: all pairs count")};
  return fields;
}

namespace {

void check_plan(const GatePlan& plan) {
  require(is_file_name(plan.run), "has a run name that cannot be a file name");
  const auto require_margins = [](const auto& of) {
    require(of.margin >= 0 && of.margin < of.must_find, "has invalid margins");
  };
  require_margins(plan);
  const int pairs = plan.screening.value_or(0);
  require(pairs >= 0 && pairs <= kScreenPairs, "has a screening of too many pairs");
  std::set<std::pair<std::string, std::string>> names;
  for (const ComparedBenchmark& benchmark : plan.benchmarks) {
    require(names.insert({benchmark.id.program, benchmark.id.name}).second,
            "has two benchmarks named " + benchmark.id.name);
    require_margins(benchmark.judged.rule);
    require(plan.screening || !benchmark.judged.suspect, "has a suspect without a screening");
    const Batches& batches = benchmark.timing.batches;
    require(batches.iterations >= 0 && batches.min_time_s >= 0 && batches.count > 0 &&
                benchmark.timing.round_s >= 0,
            "has a count of batches below 1, or another number below 0");
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

namespace {

/// Reads a file of these fields. Throws CannotMeasure when it has others, or `check` throws.
template <Tabled It>
It read_whole(const fs::path& file, auto check) {
  OrderedJson json = read_record(file);
  It it;
  try {
    require(json.contains("schema"), "has no field 'schema'");
    json.erase("schema");
    json.get_to(it);
    check(it);
  } catch (const std::exception& error) {
    throw CannotMeasure(file.string() + " " + error.what());
  }
  return it;
}

void write_whole(const fs::path& file, const Tabled auto& it) {
  OrderedJson json{{"schema", kSchema}};
  to_json(json, it);
  write_record(file, json);
}

}  // namespace

GatePlan read_gate_plan(const fs::path& folder) {
  return read_whole<GatePlan>(folder / "gate.json", check_plan);
}

void write_gate_plan(const GatePlan& plan, const fs::path& folder) {
  write_whole(folder / "gate.json", plan);
}

Evidence read_evidence(const GatePlan& plan, const fs::path& folder) {
  const fs::path file = folder / "evidence.json";
  if (!is_there(file)) return {};
  std::set<std::pair<std::string, std::string>> known;
  for (const ComparedBenchmark& one : plan.benchmarks) known.insert({one.id.program, one.id.name});
  return read_whole<Evidence>(file, [&](const Evidence& evidence) {
    for (const Counted& one : evidence.counted) {
      require(known.contains({one.program, one.name}),
              "has counts of " + one.name + ", which this gate does not compare");
    }
  });
}

void write_evidence(const Evidence& evidence, const fs::path& folder) {
  write_whole(folder / "evidence.json", evidence);
}

}  // namespace cliffbench
