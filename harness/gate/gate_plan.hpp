#pragma once

/// The plan of a gate or comparison: what is measured, and by which rule it is judged.

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/judge/gate.hpp"
#include "harness/program/program.hpp"

namespace cliffbench {

/// One benchmark of the plan; `variants` are base and heads.
struct PlannedBenchmark {
  std::string program, name;
  std::vector<std::string> variants;
  Batches batches;  ///< of no iterations before its pilot
  Metric metric = Metric::cpu;
  bool digests = false;
  double round_s = 0;
  double lead = 0;      ///< of the pilots: where to look first
  std::string trouble;  ///< why it cannot be measured; "" when it can
  bool wrong = false;   ///< a side's output is wrong: the trouble says how

  [[nodiscard]] bool has_pilot() const { return batches.iterations > 0; }
};

struct GatePlan {
  std::string run;
  std::uint64_t seed = 0;
  std::vector<std::string> sides;  ///< as the user gave them, the base first
  std::vector<std::string> notes;
  std::map<std::string, std::string> fingerprints;  ///< of each program file, by its path
  std::string metric;                               ///< as asked for; "" is by the program's kind
  double margin = 0, must_find = 0;                 ///< pair_rule.hpp
  std::vector<std::string> arguments;               ///< of the measured programs
  std::vector<PlannedBenchmark> benchmarks;

  [[nodiscard]] size_t pilots() const;  ///< benchmarks that have one
  [[nodiscard]] PairRule rule() const;  ///< all its decisions share the suite's chance
  [[nodiscard]] bool by_instructions() const { return metric == "instructions"; }
};
[[nodiscard]] nlohmann::json gate_plan_json(const GatePlan& plan);
/// Throws a std::exception when it is not what gate_plan_json writes.
[[nodiscard]] GatePlan parse_gate_plan(const nlohmann::json& json);
/// Throws CannotMeasure when the folder holds no plan of a gate, or a damaged one.
[[nodiscard]] GatePlan read_gate_plan(const std::filesystem::path& folder);
void write_gate_plan(const GatePlan& plan, const std::filesystem::path& folder);

}  // namespace cliffbench
