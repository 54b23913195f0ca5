#include "harness/gate/ruling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/core/host/exit_code.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

const std::optional<double>& clock_of(const Row& row, Metric metric) {
  return metric == Metric::wall ? row.wall_s : row.cpu_s;
}

/// A row's time by one clock: [limit, inf] when it was stopped. Nothing when it has no time above
/// 0, as only such a time has a logarithm.
std::optional<Range> time_of(const Row& row, Metric metric) {
  const bool stopped = row.status == Status::timeout;
  if (!stopped && row.status != Status::ok) return std::nullopt;
  const auto count = static_cast<double>(std::max<std::int64_t>(row.iterations, 1));
  const auto time = positive(stopped ? row.limit_s / count : clock_of(row, metric).value_or(0));
  return time ? std::optional(Range{*time, stopped ? INFINITY : *time}) : std::nullopt;
}

/// ln(a / b) of two times that may be bounds.
Range log_ratio(const Range& a, const Range& b) {
  return {std::log(a.lo / b.hi), std::log(a.hi / b.lo)};
}

/// By session and round.
std::map<std::pair<int, int>, const Row*> by_round(std::span<const Row> rows,
                                                   const std::string& variant) {
  std::map<std::pair<int, int>, const Row*> of_variant;
  for (const Row& row : rows) {
    if (row.variant == variant) of_variant[{row.session, row.round}] = &row;
  }
  return of_variant;
}

/// base / variant, from the logarithms of variant / base.
Interval ratio_of(std::vector<Range> logs) {
  for (Range& log : logs) log = {-log.hi, -log.lo};
  return ratio_interval(logs);
}

Interval times_of(std::span<const Row> rows, const std::string& variant, Metric metric) {
  std::vector<Range> times;
  for (const Row& row : rows) {
    if (row.variant != variant) continue;
    if (const auto time = time_of(row, metric)) times.push_back(*time);
  }
  return median_interval(times);
}

std::string no_time(const Row& row, Metric metric) {
  const std::string clock = metric == Metric::wall ? "wall" : "CPU";
  const auto& time = clock_of(row, metric);
  if (!time) return fmt::format("{}: the {} time of a trial is missing", row.variant, clock);
  return fmt::format(
      "{}: a {} time of {} s cannot be compared; give it more work, or choose another --metric",
      row.variant, clock, *time);
}

/// Whether there is a reason not to compare at all, the first of which it then gives: a trial that
/// failed or has no time, or two outputs.
bool has_fault(std::span<const Row> rows, bool digests, GateFinding& finding) {
  const auto fault = [&](Ruling ruling, const std::string& reason) {
    finding.ruling = ruling;
    finding.reason = reason;
    return finding.decided = true;
  };
  const Row* first = nullptr;
  for (const Row& row : rows) {
    if (row.status != Status::ok && row.status != Status::timeout) {
      const bool wrong = row.status == Status::wrong;
      return fault(wrong ? Ruling::wrong_output : Ruling::not_measured,
                   row.variant + ": " + row.reason);
    }
    if (!time_of(row, finding.metric)) {
      return fault(Ruling::not_measured, no_time(row, finding.metric));
    }
    if (!digests || row.status != Status::ok) continue;
    if (!first) first = &row;
    if (row.digest == first->digest) continue;
    return fault(Ruling::wrong_output,
                 fmt::format("{} gave the digest '{}' and {} '{}'", first->variant, first->digest,
                             row.variant, row.digest));
  }
  return false;
}

/// The rule's own decision, or why there is none.
void rule_by_pairs(GateFinding& finding, std::span<const Range> log_ratios) {
  if (const auto ruling = decide_pairs(log_ratios, finding.rule)) {
    finding.decided = true;
    finding.ruling = *ruling;
    finding.reason = meaning(*ruling, finding.rule);
  } else if (finding.rule.screening) {
    finding.reason = fmt::format("{} of the screening leave it open, and no new ones were measured",
                                 counted(static_cast<size_t>(finding.pairs), "pair"));
  } else {
    const auto next = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), finding.pairs);
    finding.reason = fmt::format("only {} pairs were measured; the {} look is at {}", finding.pairs,
                                 next == kLookPairs.begin() ? "first" : "next", *next);
  }
}

}  // namespace

std::optional<double> Instructions::change() const {
  const auto before = positive(base);
  const auto after = positive(head);
  return before && after ? known(*after / *before - 1) : std::nullopt;
}

std::vector<Range> paired_log_ratios(std::span<const Row> rows, const std::string& base,
                                     const std::string& variant, Metric metric) {
  const auto before = by_round(rows, base);
  std::vector<Range> pairs;
  for (const auto& [key, row] : by_round(rows, variant)) {
    const auto partner = before.find(key);
    if (partner == before.end()) continue;
    const auto base_s = time_of(*partner->second, metric);
    const auto variant_s = time_of(*row, metric);
    if (base_s && variant_s) pairs.push_back(log_ratio(*variant_s, *base_s));
  }
  return pairs;
}

namespace {

/// By the times wall_s and cpu_s alone.
GateFinding judge_one_time(std::span<const Row> rows, Metric metric, bool digests,
                           const PairRule& rule) {
  GateFinding finding{.rule = rule, .metric = metric};
  if (rows.empty()) {
    finding.reason = "the time budget ran out before its first pair";
    return finding;
  }
  finding.program = rows.front().program;
  finding.name = rows.front().name;
  const auto pairs_of = [&](const std::string& variant, Metric by) {
    return paired_log_ratios(rows, "base", variant, by);
  };
  const std::vector<Range> log_ratios = pairs_of("head", metric);
  finding.pairs = static_cast<int>(log_ratios.size());
  finding.ratio = ratio_of(log_ratios);
  finding.wall = ratio_of(pairs_of("head", Metric::wall));
  finding.cpu = ratio_of(pairs_of("head", Metric::cpu));
  const std::vector<Range> control = pairs_of("control", metric);
  finding.control = ratio_of(control);
  finding.control_moved = differs_from_itself(control, rule);
  finding.base_s = times_of(rows, "base", metric);
  finding.head_s = times_of(rows, "head", metric);
  std::set<std::int64_t> counts;
  for (const Row& row : rows) {
    if (row.variant != "control" && row.status == Status::ok) counts.insert(row.iterations);
  }
  finding.counts_differ = counts.size() > 1;
  if (!has_fault(rows, digests, finding)) rule_by_pairs(finding, log_ratios);
  return finding;
}

/// The rows with the mean of their batches in place of the fastest; none where no row has it.
std::vector<Row> with_means(std::span<const Row> rows) {
  if (std::ranges::none_of(rows, [](const Row& row) { return row.mean_wall_s.has_value(); })) {
    return {};
  }
  std::vector<Row> means(rows.begin(), rows.end());
  for (Row& row : means) {
    if (row.mean_wall_s) row.wall_s = row.mean_wall_s;
    if (row.mean_cpu_s) row.cpu_s = row.mean_cpu_s;
  }
  return means;
}

}  // namespace

GateFinding judge_pairs(std::span<const Row> rows, Metric metric, bool digests,
                        const PairRule& rule) {
  const std::vector<Row> means = with_means(rows);
  if (means.empty()) return judge_one_time(rows, metric, digests, rule);
  const GateFinding fastest = judge_one_time(rows, metric, digests, of_fastest(rule));
  const GateFinding mean = judge_one_time(means, metric, digests, of_mean(rule));
  const bool by_mean = is_worse(mean.ruling, fastest.ruling);
  GateFinding finding = by_mean ? mean : fastest;
  const GateFinding& other = by_mean ? fastest : mean;
  if (by_mean) {
    finding.reason = fmt::format("the mean of its batches (the fastest: {}): {}",
                                 word(fastest.ruling), mean.reason);
  }
  if (other.control_moved && !finding.control_moved) {
    finding.control_moved = true;
    finding.control = other.control;
  }
  finding.by_mean = by_mean;
  finding.mean_ratio = mean.ratio;
  finding.rule = rule;
  return finding;
}

int gate_exit_code(std::span<const GateFinding> findings, bool strict) {
  std::set<Ruling> rulings;
  bool measured = false;
  bool moved = false;
  for (const GateFinding& finding : findings) {
    rulings.insert(finding.ruling);
    measured |= finding.pairs > 0 || finding.metric == Metric::instructions;
    moved |= finding.control_moved;
  }
  const auto any = [&](auto... rulings_of) { return (rulings.contains(rulings_of) || ...); };
  const bool nothing = !measured && !any(Ruling::skipped, Ruling::unchanged);
  if (nothing && !any(Ruling::regression)) return Exit::cannot_measure;
  if (moved) return Exit::control_moved;
  if (any(Ruling::regression)) return Exit::regression;
  if (any(Ruling::not_measured, Ruling::wrong_output)) return Exit::cannot_measure;
  return strict && any(Ruling::inconclusive) ? Exit::inconclusive : Exit::fine;
}

}  // namespace cliffbench
