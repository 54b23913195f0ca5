#pragma once

/// When pairs of one benchmark decide, and how rarely they do so wrongly. Pure. Method: a signed
/// rank test (Wilcoxon's, but ranks count only up to a fifth of the pairs; README.md compares) of
/// paired log ratios against a margin, in four analyses. Both sides of a pair are run in random
/// order, so under "head = margin x base" a pair's log ratio is as likely to lie above the margin
/// as below it by the same distance, whatever else the machine does: the error rates below need
/// nothing more, neither a quiet machine nor any distribution of times.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "harness/core/stats/stats.hpp"

namespace cliffbench {

enum class Ruling {
  ok,
  regression,
  improved,
  inconclusive,
  skipped,
  unchanged,
  wrong_output,
  not_measured
};

/// The chance that a whole suite has a false alarm, and the same for a control that moves for
/// nothing; and the chance that one benchmark's slowdown of `must_find` passes.
inline constexpr double kSuiteAlarm = 0.01;
inline constexpr double kMiss = 0.05;

/// Pairs of a screening (gate/screening.hpp). That all five of a benchmark that is slower by
/// `must_find` say otherwise has this chance; its later pairs, which are new ones, have the rest of
/// kMiss.
inline constexpr int kScreenPairs = 5;
inline constexpr double kScreenMiss = 1.0 / 32;

/// How the pairs are analysed.
enum class Analysis {
  interim,    ///< after each number of kAnalysisPairs
  screening,  ///< all five are clear and it is ok, or nothing is decided
  /// No more pairs come. An analysis of all takes the place, and the chances, of the
  /// interim ones that will not be: when the budget ends does not depend on what the pairs say.
  last
};

/// The margins of a gate, the same for each of its benchmarks.
struct PairRule {
  double margin = 0.02;        ///< slower by less is layout and noise
  double must_find = 0.05;     ///< slower by this must not be missed
  std::size_t decisions = 1;   ///< of the whole suite: they share its chance of a false alarm,
  double alarm = kSuiteAlarm;  ///< or this part of it
  double miss = kMiss;
  Analysis analysis = Analysis::interim;
};

inline constexpr std::array kAnalysisPairs = {12, 24, 40, 60};
inline constexpr int kMostPairs = kAnalysisPairs.back();

/// `pairs` signed values weigh min(rank, pairs / 5, rounded up), 1 for the smallest. The largest
/// sum of the weights on the wrong side so that this sum or less has at most the chance `error`
/// when signs are tosses of a coin; -1 where even none has more.
[[nodiscard]] int signed_weight_limit(int pairs, double error);

/// Whether the log ratios lie above `at` by this test. Of a range its least value
/// counts; what is not known, and what is equal, counts as below, ties against us.
[[nodiscard]] bool lie_above(std::span<const Range> log_ratios, double at, double error);
[[nodiscard]] bool lie_below(std::span<const Range> log_ratios, double at, double error);

/// The rules of a process's two times, its fastest batch and the mean of all (README.md compares).
/// A false alarm by either has the chance that `rule` gives it. The mean is less steady: it has a
/// small part of that, and rules out only twice `must_find`.
[[nodiscard]] PairRule of_fastest(PairRule rule);
[[nodiscard]] PairRule of_mean(PairRule rule);
inline constexpr double kMeanAlarm = 0.1;
inline constexpr double kMeanFind = 2;
/// Whether one ruling on a benchmark counts before another: faults, regression, inconclusive,
/// improved, ok.
[[nodiscard]] bool is_worse(Ruling one, Ruling other);

/// Decides from ln(t_head / t_base) of each pair, in the order of measuring: the first analysis
/// that decides counts; nothing while more pairs are needed; inconclusive after the last. A stopped
/// trial makes a pair a range.
[[nodiscard]] std::optional<Ruling> decide_pairs(std::span<const Range> log_ratios,
                                                 const PairRule& rule);

/// The pairs of a program with itself lie beyond the margin, to either side.
[[nodiscard]] bool differs_from_itself(std::span<const Range> log_ratios, const PairRule& rule);

/// The meaning of a ruling by pairs, with its margins: "slower by more than 2 %".
[[nodiscard]] std::string meaning(Ruling ruling, const PairRule& rule);

}  // namespace cliffbench
