#pragma once

/// The judge of the gate: rows of one benchmark, before and after a change -> one ruling, by the
/// rule of its pairs (pair_rule.hpp) and by what else is known of it; beside it the interval of the
/// median of paired ratios. Pure.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/host/exact.hpp"
#include "harness/core/record/row.hpp"
#include "harness/core/stats/stats.hpp"
#include "harness/gate/compared_value.hpp"
#include "harness/gate/pair_rule.hpp"

namespace cliffbench {

template <>
inline constexpr auto kWords<Ruling> =
    std::to_array<Word<Ruling>>({{Ruling::ok, "ok"},
                                 {Ruling::regression, "regression"},
                                 {Ruling::improved, "improved"},
                                 {Ruling::inconclusive, "inconclusive"},
                                 {Ruling::skipped, "skipped"},
                                 {Ruling::unchanged, "unchanged"},
                                 {Ruling::wrong_output, "wrong_output"},
                                 {Ruling::not_measured, "not_measured"}});
[[nodiscard]] inline std::string word(Ruling ruling) { return word_of(ruling); }

/// A benchmark that both programs have.
struct BenchmarkId {
  std::string program, name;
  std::string base_name = "", head_name = "";  ///< in the two programs
};

/// Instructions of one iteration, before and after.
struct Instructions {
  double base = 0;
  double head = 0;
  /// Relative; nothing when one of them is impossible (0, NaN).
  [[nodiscard]] std::optional<double> change() const;
};

/// The ruling on one benchmark of a gate, and the numbers behind it.
struct GateFinding {
  std::string program, name;
  std::string base_name, head_name;  ///< in the two programs, where they differ from `name`
  std::string label;                 ///< the benchmark's own, of a program that is not our kit's
  std::string counter;               ///< what decides in place of `metric`; "" when that does
  bool larger_is_better = false;     ///< the counter's; its ratios are then head / base
  Ruling ruling = Ruling::inconclusive;
  std::string reason;  ///< what the ruling means, with its margins, or why there is none
  PairRule rule;
  Metric metric = Metric::cpu;
  bool by_mean = false;  ///< the mean of the batches decides, in place of the fastest
  bool decided = false;  ///< no more pairs are wanted
  int pairs = 0;
  Interval ratio;              ///< t_base / t_head by `metric`, > 1 means the head is faster
  Interval mean_ratio;         ///< the same by the mean of the batches, of which there are several
  Interval wall, cpu;          ///< the same by either clock
  Interval control;            ///< t_base / t_base, the same program twice
  bool control_moved = false;  ///< beyond the margin; says nothing about a ruling by instructions
  Interval base_s, head_s;     ///< times by `metric`, per iteration
  bool counts_differ = false;  ///< the two sides ran different counts of iterations
  std::optional<Instructions> instructions;
};

/// Judges the rows of one benchmark: variants "base", "head" and "control", paired by round within
/// one session. A trial without a value is not measured. `digests`: the rows carry digests that
/// both sides must share. Rows of several batches have two times, the fastest and the mean, each
/// with a rule of its own; the worse of the two rulings counts.
[[nodiscard]] GateFinding judge_pairs(std::span<const Row> rows, const ComparedValue& value,
                                      bool digests, const PairRule& rule = {});

/// ln(variant / base) of the rounds in which both variants have a value, in order.
[[nodiscard]] std::vector<Range> paired_log_ratios(std::span<const Row> rows,
                                                   const std::string& base,
                                                   const std::string& variant,
                                                   const ComparedValue& value);

/// No benchmark that was to be compared has had as many pairs as the first analysis needs.
[[nodiscard]] bool nothing_is_decided(std::span<const GateFinding> findings);

/// 13 nothing is decided, 14 a control moved, 10 regression, 13 something could not be measured or
/// has a wrong output, 12 something is left inconclusive and `strict`, 0 fine; the first that is
/// so. 0 means that at least one benchmark was compared or is unchanged.
[[nodiscard]] int gate_exit_code(std::span<const GateFinding> findings, bool strict);

/// A whole gate: what was compared, on what machine, and what was found.
struct GateReport {
  std::string base, head;          ///< as the user gave them
  std::string machine;             ///< "Intel(R) Xeon(R) ..., 2 cores"
  std::string unfit;               ///< why times decide nothing here; "" when they do
  std::vector<std::string> notes;  ///< what else should be known, a sentence each
  std::vector<GateFinding> findings;
  PairRule rule;                       ///< of each finding
  std::vector<std::string> arguments;  ///< of the measured programs
  bool strict = false;
  double seconds = 0;         ///< from the first pilot to the last pair
  double measured_s = 0;      ///< of it, the life of the measured processes
  double control_s = 0;       ///< of that, the control's
  std::size_t open = 0;       ///< findings that the budget left without a decision
  std::size_t gates = 1;      ///< several that are judged together, each with its own chances
  std::size_t one_sided = 0;  ///< benchmarks that only one side has
  double needed_s = 0;        ///< a budget for one decision; 0 where that is not known

  [[nodiscard]] int exit() const { return gate_exit_code(findings, strict); }
};

/// The instructions of a benchmark, or why they were not counted.
struct Counted {
  std::string program, name;
  std::optional<Instructions> instructions = {};
  std::optional<std::string> not_counted = {};
};

/// The second signals beside time.
struct Evidence {
  std::string unfit;  ///< fitness.hpp
  std::vector<Counted> counted = {};
};

/// Whether instruction counts can explain the ruling (a regression) or change it (what is slower by
/// its whole interval, though too few pairs are clear).
[[nodiscard]] bool counts_tell(const GateFinding& finding);

/// The second signal: the number of instructions stands beside a change of time and explains it;
/// more than the margin makes what is slower by its whole interval a regression.
/// Impossible counts (0, NaN) change nothing.
void add_instructions(GateFinding& finding, const Instructions& counted);

/// Rules by instructions alone; inconclusive when the counts are impossible.
void rule_by_instructions(GateFinding& finding, const Instructions& counted);

/// Rules a finding of times again with what else is known. `by_instructions`: they alone decide.
void apply_evidence(GateFinding& finding, const Evidence& evidence, bool by_instructions);
void apply_evidence(GateReport& report, const Evidence& evidence, bool by_instructions);

}  // namespace cliffbench
