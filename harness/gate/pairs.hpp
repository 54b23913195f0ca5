#pragma once

/// One benchmark of a gate, a pair of it, and which benchmarks have their pair next.

#include <chrono>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "harness/core/record/row.hpp"
#include "harness/gate/calibration.hpp"
#include "harness/gate/counters.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {

/// Where a benchmark stands; the first are measured first.
enum class Stage {
  screening,  ///< its first rounds only choose the suspects (screening.hpp)
  suspect,    ///< it looked slow in them
  open,
  no_pilot,  ///< the budget ended before
  decided,
  not_timed
};

/// What was seen of a benchmark.
struct Observed {
  std::vector<Row> rows = {};  ///< measured so far; of a resumed gate at the start
  double slower = 0;      ///< ln(t_head / t_base), roughly: by its pilots, then by its screening
  double rounds_s = 0;    ///< how long the rounds of this session took,
  double expected_s = 0;  ///< and what the pilots made expect
};

/// What that means.
struct GateJudgement {
  PairRule rule = {};
  bool suspect = false;                       ///< the screening chose it
  std::optional<NotTimed> not_timed = {};     ///< in place of all below
  GateFinding finding = {};                   ///< of the rows, by times alone
  std::vector<GateFinding> of_counters = {};  ///< one for each counter
};

/// One benchmark of a gate: what is timed, how, what was seen of it and what that means.
struct ComparedBenchmark {
  BenchmarkId id;
  Timing timing = {};
  Observed seen = {};
  GateJudgement judged = {};

  [[nodiscard]] Stage stage() const;
  [[nodiscard]] bool is_open() const { return stage() < Stage::decided; }
  [[nodiscard]] bool unchanged() const {
    return judged.not_timed && judged.not_timed->ruling == Ruling::unchanged;
  }
  [[nodiscard]] int last_round() const { return seen.rows.empty() ? 0 : seen.rows.back().round; }
  [[nodiscard]] bool has_new_pairs() const { return last_round() > timing.screening; }
  [[nodiscard]] int next_trials() const { return timing.trials(last_round() + 1); }
  /// The clock that decides: wall time, too, if a side waits in each of the first three rounds.
  [[nodiscard]] Metric metric() const;
  void judge(Analysis analysis = Analysis::interim);  ///< renews the findings
  void judge_at_end();  ///< no more pairs come: decides from what there is
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

/// Seconds until each benchmark that is not decided has had its next analysis.
[[nodiscard]] double next_analyses_s(const std::vector<ComparedBenchmark>& benchmarks);

/// The benchmarks that have a pair next, in random order: all that are not decided or, where the
/// time left does not reach their next analyses, as many as it does. Begun ones come first, then
/// those that look slowest, then the cheapest.
[[nodiscard]] std::vector<ComparedBenchmark*> next_turn(std::vector<ComparedBenchmark>& benchmarks,
                                                        double left_s, std::mt19937_64& random);

}  // namespace cliffbench
