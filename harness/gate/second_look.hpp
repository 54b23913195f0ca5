#pragma once

/// What else is asked of a benchmark that needs no more pairs: instruction counts, other layouts.

#include <filesystem>
#include <functional>
#include <optional>

#include "harness/gate/gate_session.hpp"
#include "harness/gate/sides.hpp"
#include "harness/program/instructions.hpp"

namespace cliffbench {

class SecondLook {
 public:
  /// Gives what measures one trial of a program.
  using Measure = std::function<Observe(const std::filesystem::path& program)>;

  /// Both must outlive it.
  SecondLook(const GateRequest& request, GateSession& session)
      : request_(request), session_(session) {}

  /// Adds to the subjects' evidence what the benchmark's times leave open, and applies all of it to
  /// `finding`.
  void ask(const GatePlan& plan, const ProgramPair& pair, ComparedBenchmark& benchmark,
           GateFinding& finding, Subjects& subjects, const Measure& measure);

 private:
  [[nodiscard]] bool wants_count(const GatePlan& plan, const GateFinding& finding) const;
  void count(const ComparedBenchmark& benchmark, const ProgramPair& pair, Evidence& evidence);
  void measure_layouts(const GatePlan& plan, const ProgramPair& pair, ComparedBenchmark& benchmark,
                       const Measure& measure);

  const GateRequest& request_;
  GateSession& session_;
  std::optional<InstructionCounter> counter_;
};

}  // namespace cliffbench
