#pragma once

/// Instruction counts of a benchmark that needs no more pairs, where its times leave something
/// open.

#include <optional>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/sides.hpp"
#include "harness/program/instructions.hpp"

namespace cliffbench {

class SecondLook {
 public:
  /// The session must outlive it.
  explicit SecondLook(GateSession& session) : session_(session) {}

  /// The finding with all that is known of the benchmark; counts where that is wanted.
  [[nodiscard]] GateFinding rule(const ComparedBenchmark& benchmark, const ProgramPair& pair,
                                 bool by_instructions);

  Evidence evidence;

 private:
  [[nodiscard]] bool wants_count(const GateFinding& finding, bool by_instructions) const;
  void count(const ComparedBenchmark& benchmark, const ProgramPair& pair);

  GateSession& session_;
  std::optional<InstructionCounter> counter_;
};

}  // namespace cliffbench
