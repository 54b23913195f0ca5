#pragma once

/// Instruction counts, after the times and only where they can change or explain a ruling: counting
/// takes far longer than measuring.

#include <optional>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/instructions.hpp"
#include "harness/gate/sides.hpp"

namespace cliffbench {

class Counting {
 public:
  /// The session must outlive it.
  explicit Counting(GateSession& session) : session_(session) {}

  [[nodiscard]] bool wants_count(const ComparedBenchmark& benchmark, bool by_instructions) const;
  void count(const ComparedBenchmark& benchmark, const ProgramPair& pair);

  Evidence evidence;

 private:
  GateSession& session_;
  std::optional<InstructionCounter> counter_;
};

}  // namespace cliffbench
