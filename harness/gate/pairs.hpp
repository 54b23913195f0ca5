#pragma once

/// One benchmark of a gate, a pair of it, and which benchmarks have their pair next.

#include <chrono>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness/core/record/row.hpp"
#include "harness/gate/calibration.hpp"
#include "harness/gate/counters.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {

/// A benchmark that both programs have, what was measured of it, and what that says.
struct ComparedBenchmark {
  std::string program, name;
  std::string base_name, head_name;  ///< in the two programs
  Pilot pilot;                       ///< its trouble: why it cannot be measured at all
  bool metric_is_open = false;  ///< wall time decides if a side waits in its first three rounds
  PairRule rule = {};
  std::vector<Row> rows = {};                 ///< measured so far; of a resumed gate at the start
  GateFinding finding = {};                   ///< of the rows, by times alone
  std::vector<WantedCounter> counters = {};   ///< that both sides have
  std::vector<GateFinding> of_counters = {};  ///< a finding for each of them
  bool alone = false;                         ///< a process that it shared gave no result of it
  int screening = 0;      ///< so many first rounds only choose the suspects (screening.hpp)
  bool suspect = false;   ///< it looked slow in them
  bool control = true;    ///< there is time for so many rounds that a control can tell something
  double rounds_s = 0;    ///< how long the rounds of this session took,
  double expected_s = 0;  ///< and what the pilots made expect

  [[nodiscard]] bool has_pilot() const { return pilot.batches.iterations > 0; }
  [[nodiscard]] bool unchanged() const { return pilot.ruling == Ruling::unchanged; }
  [[nodiscard]] bool decided() const;
  [[nodiscard]] bool shares_process() const { return pilot.together && !alone; }
  [[nodiscard]] int last_round() const { return rows.empty() ? 0 : rows.back().round; }
  [[nodiscard]] bool is_screened() const { return last_round() >= screening; }
  [[nodiscard]] bool has_new_pairs() const { return last_round() > screening; }
  [[nodiscard]] int trials(int round) const {
    return control && round > screening ? kRoundTrials : kRoundTrials - 1;
  }
  void judge();         ///< renews the findings
  void judge_at_end();  ///< the same where no more pairs come: decides from what there is
};

/// One round of a benchmark, or of several of one program that share their processes: base, head
/// and, where it can tell something, the base once more (the control), in random order. Who
/// measures it goes over `variants()` and ends it; what was measured of one that is cut short
/// counts all the same.
class Round {
 public:
  Round(std::span<ComparedBenchmark* const> suite, std::mt19937_64& random);

  [[nodiscard]] const std::vector<std::string>& variants() const { return variants_; }
  /// A row for each benchmark, without a result.
  [[nodiscard]] std::vector<Row> slots(const std::string& variant) const;
  /// Takes the rows that have a result; a benchmark without one is alone from now on.
  void keep(std::vector<Row> rows);
  /// Judges. `whole`: all variants were measured.
  void end(bool whole);

 private:
  std::span<ComparedBenchmark* const> suite_;
  std::vector<std::string> variants_ = {"base", "head"};
  std::vector<int> rounds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The trial `slot` with what was measured in a process that it shared.
[[nodiscard]] Row with_result(const Row& slot, const Row& result);

/// Groups of benchmarks that have their next pairs in common processes: those of a program whose
/// start is what costs, at most 50; any other is alone.
[[nodiscard]] std::vector<std::vector<ComparedBenchmark*>> suites_of(
    const std::vector<ComparedBenchmark*>& turn);

/// Seconds until each benchmark that is not decided has had its next look.
[[nodiscard]] double next_looks_s(const std::vector<ComparedBenchmark>& benchmarks);

/// The benchmarks that have a pair next, in random order: all that are not decided or, where the
/// time left does not reach their next looks, as many as it does. Begun ones come first, then those
/// that look slowest, then the cheapest.
[[nodiscard]] std::vector<ComparedBenchmark*> next_turn(std::vector<ComparedBenchmark>& benchmarks,
                                                        double left_s, std::mt19937_64& random);

}  // namespace cliffbench
