#pragma once

/// Instruction counts of a benchmark whose times leave something open.

#include <filesystem>
#include <optional>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/sides.hpp"
#include "harness/program/instructions.hpp"

namespace cliffbench {

class SecondLook {
 public:
  /// Both must outlive it.
  SecondLook(const GateRequest& request, GateSession& session)
      : request_(request), session_(session) {}

  /// Adds to the subjects' evidence what the benchmark's times leave open, and applies all of it to
  /// `finding`.
  void ask(const GatePlan& plan, const ProgramPair& pair, ComparedBenchmark& benchmark,
           GateFinding& finding, Subjects& subjects);

 private:
  [[nodiscard]] bool wants_count(const GatePlan& plan, const GateFinding& finding) const;
  void count(const ComparedBenchmark& benchmark, const ProgramPair& pair, Evidence& evidence);

  const GateRequest& request_;
  GateSession& session_;
  std::optional<InstructionCounter> counter_;
};

}  // namespace cliffbench
