#pragma once

/// The judge of the gate: pairs of one benchmark, before and after a change -> one ruling. Pure.
/// Method: a group-sequential sign test with margins, alpha and beta spent evenly over four looks;
/// the interval of the median of paired log ratios. Guaranteed for independent pairs, per
/// benchmark: a true +2 % is called a regression at most 0.35 % of the time, a true +5 % passes at
/// most 3.0 %.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/stats.hpp"
#include "harness/record/row.hpp"

namespace cliffbench {

enum class Ruling {
  ok,
  regression,
  improved,
  inconclusive,
  layout_suspect,
  wrong_output,
  not_measured
};
[[nodiscard]] std::string word(Ruling ruling);

/// Slower by less is layout and noise; slower by `kMustFind` must not be missed.
inline constexpr double kMargin = 0.02;
inline constexpr double kMustFind = 0.05;

/// One look at the first `pairs` pairs: regression when at least `slower` of them are slower by
/// more than the margin; ok when at least `below` are slower by less than what must be found.
struct Look {
  int pairs;
  int slower;
  int below;
};
inline constexpr std::array kLookPairs = {12, 24, 40, 60};
inline constexpr int kMostPairs = kLookPairs.back();
inline constexpr int kControlPairs = kLookPairs.front();
/// The thresholds of the look at n pairs, from the binomial distribution with alpha = 1 % and beta
/// = 5 %, a quarter of each per look.
[[nodiscard]] Look look_at(int pairs);

/// Decides from ln(t_head / t_base) of each pair, in the order of measuring: the first look that
/// decides counts; nothing while more pairs are needed; inconclusive after the last look. A stopped
/// trial makes a pair a range.
[[nodiscard]] std::optional<Ruling> decide_pairs(std::span<const Range> log_ratios);

/// What decides a benchmark.
enum class Metric { cpu, wall, instructions };
[[nodiscard]] std::string word(Metric metric);

/// Instructions of one iteration, before and after.
struct Instructions {
  double base = 0;
  double head = 0;
  /// Relative; nothing when one of them can be no count (0, NaN).
  [[nodiscard]] std::optional<double> change() const;
};

/// What is said of one benchmark (one head) of a gate.
struct GateFinding {
  std::string program, name;
  std::string head;  ///< the variant that is compared with `base`
  Ruling ruling = Ruling::inconclusive;
  std::string reason;  ///< one sentence; "" when the ruling says all
  Metric metric = Metric::cpu;
  bool decided = false;  ///< no more pairs are wanted
  int pairs = 0;
  Interval ratio;              ///< t_base / t_head by `metric`, > 1 means the head is faster
  Interval wall, cpu;          ///< the same by either clock
  Interval control;            ///< t_base / t_base, the same program twice
  Interval base_s, head_s;     ///< times by `metric`, per iteration
  bool counts_differ = false;  ///< the two sides ran different counts of iterations
  std::optional<Instructions> instructions;
};

/// Judges the rows of one benchmark: variants "base", `head` and "control", paired by round within
/// one session. A trial without a time above 0 is not measured. `digests`: the rows carry digests
/// that both sides must share.
[[nodiscard]] GateFinding judge_pairs(std::span<const Row> rows, const std::string& head,
                                      Metric metric, bool digests);

/// The base against itself: the whole interval of its ratio lies outside the margin. Says nothing
/// about a ruling by instructions.
[[nodiscard]] bool control_moved(const GateFinding& finding);

/// 13 could not measure or wrong output, 14 a control moved, 10 regression, 12 something is left
/// inconclusive and `strict`, 0 fine; worst first.
[[nodiscard]] int exit_code(std::span<const GateFinding> findings, bool strict);

}  // namespace cliffbench
