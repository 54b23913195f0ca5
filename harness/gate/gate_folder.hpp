#pragma once

/// The folder of one gate or comparison: its plan, rows and sessions, so that it can be resumed and
/// judged again.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/gate/pairs.hpp"
#include "harness/judge/evidence.hpp"
#include "harness/print/rulings.hpp"
#include "harness/program/program.hpp"
#include "harness/record/folder.hpp"
#include "harness/record/session.hpp"

namespace cliffbench {

/// One benchmark of the plan; `variants` are base and heads.
struct PlannedContest {
  std::string program, name;
  std::vector<std::string> variants;
  Amount amount;  ///< of no iterations while no pilot has been flown
  Metric metric = Metric::cpu;
  bool digests = false;
  double round_s = 0;
  double lead = 0;      ///< of the pilots: where to look first
  std::string trouble;  ///< why it cannot be measured; "" when it can

  [[nodiscard]] bool has_pilot() const { return amount.iterations > 0; }
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
  std::vector<PlannedContest> contests;

  [[nodiscard]] size_t pilots() const;  ///< contests that have one
  [[nodiscard]] PairRule rule() const;  ///< all its decisions share the suite's chance
  [[nodiscard]] bool by_instructions() const { return metric == "instructions"; }
};
[[nodiscard]] nlohmann::json gate_plan_json(const GatePlan& plan);
/// Throws a std::exception when it is not what gate_plan_json writes.
[[nodiscard]] GatePlan parse_gate_plan(const nlohmann::json& json);
/// Throws CannotMeasure when the folder holds no plan of a gate, or a damaged one.
[[nodiscard]] GatePlan read_gate_plan(const std::filesystem::path& folder);
void write_gate_plan(const GatePlan& plan, const std::filesystem::path& folder);

/// Of the same folder; what this gate cannot have is refused.
[[nodiscard]] Evidence read_signals(const GatePlan& plan, const std::filesystem::path& folder);

/// The contests of a plan with the rows that the folder holds; the sides observe nothing yet.
[[nodiscard]] std::vector<Contest> read_contests(const GatePlan& plan,
                                                 const std::filesystem::path& folder);

/// The report of what has been measured: findings (by time alone), notes, machine and costs.
[[nodiscard]] GateReport report_of(const GatePlan& plan, const std::vector<Contest>& contests);

/// Rules again from the rows of one folder or several (of several machines), without measuring, and
/// writes the rulings into `out`. Returns the exit code.
int judge_gate_folders(const std::vector<std::filesystem::path>& folders,
                       const std::filesystem::path& out, bool strict);

}  // namespace cliffbench
