#include "harness/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/host/exit_code.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {

const std::optional<double>& clock_of(const Row& row, Metric metric) {
  return metric == Metric::wall ? row.wall_s : row.cpu_s;
}

/// Of one row by one clock: [limit, inf] when it was stopped. Nothing when it has no time above 0,
/// of which there is a logarithm.
std::optional<Range> time_of(const Row& row, Metric metric) {
  if (row.status == Status::timeout) {
    const auto count = static_cast<double>(std::max<std::int64_t>(row.iterations, 1));
    const auto limit = positive(row.limit_s / count);
    return limit ? std::optional(Range{*limit, INFINITY}) : std::nullopt;
  }
  const auto& clock = clock_of(row, metric);
  const auto time = row.status == Status::ok && clock ? positive(*clock) : std::nullopt;
  return time ? std::optional(Range{*time, *time}) : std::nullopt;
}

/// ln(a / b) of two times that may be bounds.
Range log_ratio(const Range& a, const Range& b) {
  const double lo = std::isinf(b.hi) ? -INFINITY : std::log(a.lo / b.hi);
  const double hi = std::isinf(a.hi) ? INFINITY : std::log(a.hi / b.lo);
  return {lo, hi};
}

using SessionRound = std::pair<int, int>;  // session, round

std::map<SessionRound, const Row*> by_round(std::span<const Row> rows, const std::string& variant) {
  std::map<SessionRound, const Row*> found;
  for (const Row& row : rows) {
    if (row.variant == variant) found[{row.session, row.round}] = &row;
  }
  return found;
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

/// The first reason not to compare at all: a trial that failed or has no time, or two outputs.
std::optional<std::pair<Ruling, std::string>> fault_of(std::span<const Row> rows,
                                                       const std::string& head, Metric metric,
                                                       bool digests) {
  const Row* first = nullptr;
  for (const Row& row : rows) {
    if (row.variant != "base" && row.variant != head && row.variant != "control") continue;
    if (row.status != Status::ok && row.status != Status::timeout) {
      const bool wrong = row.status == Status::wrong;
      return {{wrong ? Ruling::wrong_output : Ruling::not_measured,
               fmt::format("{}: {}", row.variant, row.reason)}};
    }
    if (!time_of(row, metric)) return {{Ruling::not_measured, no_time(row, metric)}};
    if (!digests || row.status != Status::ok) continue;
    if (!first) first = &row;
    if (row.digest == first->digest) continue;
    return {
        {Ruling::wrong_output, fmt::format("{} gave the digest '{}' and {} '{}'", first->variant,
                                           first->digest, row.variant, row.digest)}};
  }
  return std::nullopt;
}

}  // namespace

std::string word(Ruling ruling) {
  constexpr std::array kWords = {"ok",           "regression",     "improved",
                                 "inconclusive", "layout_suspect", "wrong_output",
                                 "not_measured"};
  return kWords.at(static_cast<std::size_t>(ruling));
}

std::string word(Metric metric) {
  return metric == Metric::cpu ? "cpu" : metric == Metric::wall ? "wall" : "instructions";
}

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

GateFinding judge_pairs(std::span<const Row> rows, const std::string& head, Metric metric,
                        bool digests, const PairRule& rule) {
  GateFinding finding;
  finding.rule = rule;
  finding.head = head;
  finding.metric = metric;
  if (!rows.empty()) {
    finding.program = rows.front().program;
    finding.name = rows.front().name;
  }
  const auto pairs_of = [&](const std::string& variant, Metric by) {
    return paired_log_ratios(rows, "base", variant, by);
  };
  const std::vector<Range> logs = pairs_of(head, metric);
  finding.pairs = static_cast<int>(logs.size());
  finding.ratio = ratio_of(logs);
  finding.wall = ratio_of(pairs_of(head, Metric::wall));
  finding.cpu = ratio_of(pairs_of(head, Metric::cpu));
  const std::vector<Range> control = pairs_of("control", metric);
  finding.control = ratio_of(control);
  finding.control_moved = differs_from_itself(control, rule);
  finding.base_s = times_of(rows, "base", metric);
  finding.head_s = times_of(rows, head, metric);
  std::set<std::int64_t> counts;
  for (const Row& row : rows) {
    const bool side = row.variant == "base" || row.variant == head;
    if (side && row.status == Status::ok) counts.insert(row.iterations);
  }
  finding.counts_differ = counts.size() > 1;
  if (const auto fault = fault_of(rows, head, metric, digests)) {
    finding.decided = true;
    std::tie(finding.ruling, finding.reason) = *fault;
    return finding;
  }
  if (const auto ruling = decide_pairs(logs, rule)) {
    finding.decided = true;
    finding.ruling = *ruling;
    finding.reason = meaning(*ruling, rule);
  } else if (rows.empty()) {
    finding.reason = "the time budget ran out before its first pair";
  } else {
    const auto next = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), finding.pairs);
    finding.reason = fmt::format("only {} pairs were measured; the {} look is at {}", finding.pairs,
                                 next == kLookPairs.begin() ? "first" : "next", *next);
  }
  return finding;
}

int exit_code(std::span<const GateFinding> findings, bool strict) {
  const auto any = [&](auto&& holds) {
    return std::any_of(findings.begin(), findings.end(), holds);
  };
  const auto ruled = [&](Ruling ruling) {
    return any([&](const GateFinding& finding) { return finding.ruling == ruling; });
  };
  const bool ran = any([](const GateFinding& finding) {
    return finding.pairs > 0 || finding.metric == Metric::instructions;
  });
  if (!ran || ruled(Ruling::not_measured) || ruled(Ruling::wrong_output))
    return Exit::cannot_measure;
  if (any([](const GateFinding& finding) { return finding.control_moved; }))
    return Exit::control_moved;
  if (ruled(Ruling::regression)) return Exit::regression;
  if (strict && (ruled(Ruling::inconclusive) || ruled(Ruling::layout_suspect)))
    return Exit::inconclusive;
  return 0;
}

}  // namespace cliffbench
