#pragma once

/// What else is asked of a benchmark that needs no more pairs: instruction counts, other layouts.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/sides.hpp"
#include "harness/judge/gate.hpp"
#include "harness/program/instructions.hpp"

namespace cliffbench {

class SecondLook {
 public:
  /// Gives what measures one trial of a program.
  using Measure =
      std::function<Observe(const std::filesystem::path& program, const Batches& batches)>;

  /// All of them must outlive it.
  SecondLook(const GateRequest& request, GateSession& session, const GatePlan& plan,
             Measure measure)
      : request_(request), session_(session), plan_(plan), measure_(std::move(measure)) {}

  /// Adds to `evidence` what the benchmark's times leave open, and applies all of it to `finding`.
  void ask(const PlannedBenchmark& planned, const ProgramPair& pair, ComparedBenchmark& benchmark,
           GateFinding& finding);

  Evidence evidence;
  std::vector<std::string> notes;  ///< of this session alone

 private:
  [[nodiscard]] bool wants_count(const GateFinding& finding) const;
  void count(const PlannedBenchmark& benchmark, const ProgramPair& pair,
             const GateFinding& finding);
  bool relink(const PlannedBenchmark& planned, const ProgramPair& pair,
              ComparedBenchmark& benchmark);
  void measure_layouts(const PlannedBenchmark& planned, const ProgramPair& pair,
                       ComparedBenchmark& benchmark);

  const GateRequest& request_;
  GateSession& session_;
  const GatePlan& plan_;
  Measure measure_;
  std::optional<InstructionCounter> counter_;
};

}  // namespace cliffbench
