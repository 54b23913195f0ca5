#pragma once

/// What `gate` and `compare` share around the loop: folder, session, progress, fitness, the end.

#include "harness/engine/fitness.hpp"
#include "harness/engine/workplace.hpp"
#include "harness/gate/gate_folder.hpp"
#include "harness/gate/gate_run.hpp"

namespace cliffbench {

class GateSession {
 public:
  /// Makes the folder, in which nobody else measures until the end; throws UserError when it holds
  /// another gate (or, to resume, none), CannotMeasure when another runner is at work there.
  explicit GateSession(const GateOptions& options);

  [[nodiscard]] Workplace& place() { return place_; }
  [[nodiscard]] const Workplace& place() const { return place_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return options_.folder; }
  [[nodiscard]] int number() const { return place_.session(); }

  [[nodiscard]] GatePlan new_plan(std::vector<std::string> sides,
                                  std::vector<std::string> notes) const;
  /// The folder's plan, if it compared the same programs.
  [[nodiscard]] GatePlan resume_plan(const std::map<std::string, std::string>& fingerprints,
                                     const std::vector<std::string>& arguments = {}) const;

  /// Writes the plan, if it is not in the folder already, and opens the session.
  void begin(const GatePlan& plan, bool written);
  /// Until all is decided or the budget is over: what is left open; nothing when the user stopped
  /// it.
  std::optional<Outlook> measure(const GatePlan& plan, std::vector<ComparedBenchmark>& benchmarks,
                                 const PairSchedule::Settle& settle);

  /// One line that is overwritten by the next; nothing where nobody looks.
  void show(const std::string& what, const std::string& name) const;
  void show_pilot(const std::string& name) const { show("pilot of", name); }
  void clear_line() const;

  [[nodiscard]] const Budget& budget() const { return budget_; }
  /// Why times decide nothing here, or "".
  [[nodiscard]] std::string why_unfit() const;
  int publish(GateReport report);  ///< ends the session; the exit code
  [[nodiscard]] int stopped() const;

 private:
  void show_line(const std::string& line) const;

  const GateOptions& options_;
  Budget budget_;
  Fitness fitness_;
  Workplace place_;
  bool terminal_ = false;
};

}  // namespace cliffbench
