#pragma once

/// The one way of `gate` and `compare`: a plan, pilots, pairs until each benchmark is decided, a
/// second look at what stays open, the rulings.

#include <map>
#include <string>
#include <vector>

#include "harness/engine/fitness.hpp"
#include "harness/engine/progress_line.hpp"
#include "harness/engine/workplace.hpp"
#include "harness/gate/gate_plan.hpp"
#include "harness/gate/request.hpp"

namespace cliffbench {

/// The folder, the budget and the terminal of one call.
class GateSession {
 public:
  /// Makes the folder, in which nobody else measures until the end; throws UserError when it holds
  /// another gate (or, to resume, none), CannotMeasure when another runner is at work there.
  explicit GateSession(const GateOptions& options);

  [[nodiscard]] const GateOptions& options() const { return options_; }
  [[nodiscard]] Workplace& place() { return place_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return options_.folder; }
  [[nodiscard]] const Budget& budget() const { return budget_; }
  [[nodiscard]] const ProgressLine& line() const { return line_; }
  [[nodiscard]] Disturbance disturbance() const { return fitness_.disturbance(); }

 private:
  const GateOptions& options_;
  Budget budget_;
  Fitness fitness_;
  Workplace place_;
  ProgressLine line_;
};

/// What is compared: programs or commands.
class Subjects {
 public:
  virtual ~Subjects() = default;

  /// What tells the sides' builds apart, by the sides' names in the plan.
  [[nodiscard]] virtual std::map<std::string, std::string> identities() const = 0;
  /// Of a new plan: its sides, benchmarks and notes. Throws UserError when there are none.
  virtual void describe(GatePlan& plan) = 0;
  /// Gives a pilot to each benchmark that has none, while there is time.
  virtual void calibrate(GatePlan& plan) = 0;
  /// What measures one trial of a side; it must not outlive the plan.
  [[nodiscard]] virtual Observe observe(const ComparedBenchmark& benchmark, size_t side) = 0;
  /// At a benchmark that needs no more pairs: adds to the evidence, and applies it to the finding.
  virtual void look_again(const GatePlan&, ComparedBenchmark&, GateFinding&) {}
  /// Whether one benchmark can be measured alone.
  [[nodiscard]] virtual bool has_filter() const = 0;

  Evidence evidence;
  std::vector<std::string> notes;  ///< of this call alone
};

/// Measures. Returns the exit code (judge/gate.hpp), or 130 when the user stopped it.
int compare_sides(GateSession& session, Subjects& subjects,
                  const std::vector<std::string>& arguments = {});

}  // namespace cliffbench
