#pragma once

/// Where time is short for a suite: a few pairs of each benchmark (the screening), then new pairs
/// of those that look slowest (the suspects). The screening says ok or nothing and its pairs do not
/// count again, so only the suspects share the chance of a false alarm. README.md
/// simulates it. Pure.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/pairs.hpp"

namespace cliffbench {

/// Seconds that rounds of several benchmarks take. Where starting is what costs, a start is shared.
class RoundCosts {
 public:
  /// `pace`: how long rounds took so far, over what the pilots made expect.
  explicit RoundCosts(double pace = 1) : pace_(pace) {}
  /// Takes in so many rounds of one more benchmark. Returns what they add.
  double add(const ComparedBenchmark& benchmark, int rounds = 1);
  /// A round of this one, without a start that it shares.
  [[nodiscard]] double own_s(const ComparedBenchmark& benchmark) const;
  /// A round's starts, where benchmarks of the program share them.
  [[nodiscard]] double starts_s(const ComparedBenchmark& benchmark) const;
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double pace_;
  double seconds_ = 0;
  std::map<std::string, std::size_t> sharing_;  ///< benchmarks, by program
};

/// Pairs of each benchmark's screening, at most kScreenPairs; 0 where the pilots must do; nothing
/// where each benchmark is judged by all its pairs, as there are few of them or time for many
/// pairs.
[[nodiscard]] std::optional<int> screening_pairs(const std::vector<ComparedBenchmark>& benchmarks,
                                                 double left_s);

/// Whether there is time for the first analysis of any of them. If not, no control can move.
[[nodiscard]] bool controls_tell(const std::vector<ComparedBenchmark>& benchmarks, double left_s);

/// Gives each benchmark its part of the chances of a false alarm and of a miss.
void share_chances(std::vector<ComparedBenchmark>& benchmarks, std::optional<int> screening);

/// Before each turn: ends a screening for the rest of which there is no time, and once all have had
/// it, chooses the suspects: those that look slower than the margin, the slowest first, as many as
/// there is time for; at least one. Whether anything changed.
[[nodiscard]] bool advance_screening(std::vector<ComparedBenchmark>& benchmarks,
                                     std::optional<int>& screening, double left_s);

}  // namespace cliffbench
