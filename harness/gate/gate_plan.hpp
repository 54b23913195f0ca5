#pragma once

/// The plan of a gate: what is measured, and by which rule it is judged; and the evidence beside
/// its times. Both are files in its folder.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/pairs.hpp"

namespace cliffbench {

struct GatePlan {
  std::string run;
  std::uint64_t seed = 0;
  std::string base, head;  ///< as the user gave them
  std::vector<std::string> notes;
  std::size_t one_sided = 0;                      ///< benchmarks that only one side has
  std::map<std::string, std::string> identities;  ///< hashes of the programs (sides.hpp)
  std::optional<Metric> metric;                   ///< as asked for; nothing: by the program's kind
  double margin = 0, must_find = 0;               ///< of those that have none of their own
  std::vector<std::string> arguments;             ///< of the measured programs
  bool control = true;                            ///< rounds have one (after a screening)
  std::optional<int> screening;                   ///< pairs (screening.hpp); nothing: none
  std::vector<ComparedBenchmark> benchmarks;      ///< in the file, without their rows

  [[nodiscard]] size_t pilots() const;   ///< benchmarks that have one
  [[nodiscard]] size_t changed() const;  ///< benchmarks that are to be measured
  [[nodiscard]] size_t open() const;     ///< benchmarks that are not decided
  [[nodiscard]] PairRule rule() const;   ///< all its decisions share the suite's chance
  [[nodiscard]] bool by_instructions() const { return metric == Metric::instructions; }
};

/// gate.json. Throws CannotMeasure when the folder holds no plan of a gate, or a damaged one.
[[nodiscard]] GatePlan read_gate_plan(const std::filesystem::path& folder);
void write_gate_plan(const GatePlan& plan, const std::filesystem::path& folder);

/// evidence.json; none when there is no such file. Throws CannotMeasure for one that is damaged, or
/// that this gate cannot have.
[[nodiscard]] Evidence read_evidence(const GatePlan& plan, const std::filesystem::path& folder);
void write_evidence(const Evidence& evidence, const std::filesystem::path& folder);

}  // namespace cliffbench
