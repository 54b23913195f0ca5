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

/// ln(a / b) of two values that may be bounds.
Range log_ratio(const Range& a, const Range& b) {
  return {std::log(a.lo / b.hi), std::log(a.hi / b.lo)};
}

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

Interval values_of(std::span<const Row> rows, const std::string& variant,
                   const ComparedValue& value) {
  std::vector<Range> values;
  for (const Row& row : rows) {
    if (row.variant != variant) continue;
    if (const auto found = value.of(row)) values.push_back(*found);
  }
  return median_interval(values);
}

/// Whether there is a reason not to compare at all, the first of which it then gives: a trial that
/// failed or has no value, or two outputs.
bool has_fault(std::span<const Row> rows, const ComparedValue& value, bool digests,
               GateFinding& finding) {
  const auto fault = [&](Ruling ruling, const std::string& reason) {
    finding.ruling = ruling;
    finding.reason = reason;
    return finding.decided = true;
  };
  const auto side = [](const Row& row) { return row.variant == "head" ? "head" : "base"; };
  const Row* first = nullptr;
  for (const Row& row : rows) {
    if (row.status != Status::ok && row.status != Status::timeout) {
      const bool wrong = row.status == Status::wrong;
      return fault(wrong ? Ruling::wrong_output : Ruling::not_measured,
                   row.variant + ": " + row.reason);
    }
    if (!value.of(row)) return fault(Ruling::not_measured, value.why_none(row));
    if (!digests || row.status != Status::ok) continue;
    if (!first) first = &row;
    if (row.digest == first->digest) continue;
    return fault(Ruling::wrong_output,
                 fmt::format("the {}'s output has the hash '{}', the {}'s '{}'", side(*first),
                             first->digest, side(row), row.digest));
  }
  return false;
}

/// The rule's own decision, or why there is none.
void rule_by_pairs(GateFinding& finding, std::span<const Range> log_ratios) {
  if (const auto ruling = decide_pairs(log_ratios, finding.rule)) {
    finding.decided = true;
    finding.ruling = *ruling;
    finding.reason = meaning(*ruling, finding.rule);
  } else if (finding.rule.analysis == Analysis::screening) {
    finding.reason = fmt::format("{} of the screening do not decide; no new pairs were measured",
                                 counted(static_cast<size_t>(finding.pairs), "pair"));
  } else {
    const auto next = std::upper_bound(kAnalysisPairs.begin(), kAnalysisPairs.end(), finding.pairs);
    finding.reason =
        fmt::format("only {} pairs were measured; the {} interim analysis needs {}", finding.pairs,
                    next == kAnalysisPairs.begin() ? "first" : "next", *next);
  }
}

}  // namespace

std::optional<double> Instructions::change() const {
  const auto before = positive(base);
  const auto after = positive(head);
  return before && after ? known(*after / *before - 1) : std::nullopt;
}

std::vector<Range> paired_log_ratios(std::span<const Row> rows, const std::string& base,
                                     const std::string& variant, const ComparedValue& value) {
  const auto before = by_round(rows, base);
  std::vector<Range> pairs;
  for (const auto& [key, row] : by_round(rows, variant)) {
    const auto partner = before.find(key);
    if (partner == before.end()) continue;
    const auto of_base = value.of(*partner->second);
    const auto of_variant = value.of(*row);
    if (of_base && of_variant) pairs.push_back(log_ratio(*of_variant, *of_base));
  }
  return pairs;
}

namespace {

GateFinding judge_value(std::span<const Row> rows, const ComparedValue& value, bool digests,
                        const PairRule& rule) {
  GateFinding finding{.rule = rule, .metric = value.metric};
  if (rows.empty()) {
    finding.reason = "the time budget ran out before its first pair";
    return finding;
  }
  finding.program = rows.front().program;
  finding.name = rows.front().name;
  const auto pairs_of = [&](const std::string& variant, const ComparedValue& by) {
    return paired_log_ratios(rows, "base", variant, by);
  };
  const auto by_clock = [&](Metric clock) {
    ComparedValue time = value;
    time.metric = clock;
    return ratio_of(pairs_of("head", time));
  };
  const std::vector<Range> log_ratios = pairs_of("head", value);
  finding.pairs = static_cast<int>(log_ratios.size());
  finding.ratio = ratio_of(log_ratios);
  const std::vector<Range> control = pairs_of("control", value);
  finding.control = ratio_of(control);
  finding.control_moved = differs_from_itself(control, rule);
  if (!value.counter) {
    finding.wall = by_clock(Metric::wall);
    finding.cpu = by_clock(Metric::cpu);
    finding.base_s = values_of(rows, "base", value);
    finding.head_s = values_of(rows, "head", value);
    std::set<std::int64_t> counts;
    for (const Row& row : rows) {
      if (row.variant != "control" && row.status == Status::ok) counts.insert(row.iterations);
    }
    finding.counts_differ = counts.size() > 1;
  }
  if (!has_fault(rows, value, digests, finding)) rule_by_pairs(finding, log_ratios);
  return finding;
}

}  // namespace

GateFinding judge_pairs(std::span<const Row> rows, const ComparedValue& value, bool digests,
                        const PairRule& rule) {
  const bool has_mean =
      std::ranges::any_of(rows, [](const Row& row) { return row.mean_wall_s.has_value(); });
  if (value.counter || !has_mean) return judge_value(rows, value, digests, rule);
  ComparedValue of_batches = value;
  of_batches.of_mean = true;
  const GateFinding fastest = judge_value(rows, value, digests, of_fastest(rule));
  const GateFinding mean = judge_value(rows, of_batches, digests, of_mean(rule));
  const bool by_mean = is_worse(mean.ruling, fastest.ruling);
  GateFinding finding = by_mean ? mean : fastest;
  const GateFinding& other = by_mean ? fastest : mean;
  if (by_mean) {
    finding.reason = fmt::format("mean of the batches: {} (fastest batch: {})", mean.reason,
                                 word(fastest.ruling));
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

bool nothing_is_decided(std::span<const GateFinding> findings) {
  const auto is_timed = [](const GateFinding& finding) {
    return finding.ruling != Ruling::skipped && finding.ruling != Ruling::unchanged;
  };
  const auto is_analysed = [](const GateFinding& finding) {
    const bool has_ruling = finding.decided && finding.ruling != Ruling::not_measured;
    return has_ruling || finding.pairs >= kAnalysisPairs.front();
  };
  if (std::ranges::none_of(findings, is_timed)) {
    return std::ranges::none_of(findings,
                                [](const auto& one) { return one.ruling == Ruling::unchanged; });
  }
  return std::ranges::none_of(findings, [&](const GateFinding& finding) {
    return is_timed(finding) && is_analysed(finding);
  });
}

int gate_exit_code(std::span<const GateFinding> findings, bool strict) {
  std::set<Ruling> rulings;
  bool moved = false;
  for (const GateFinding& finding : findings) {
    rulings.insert(finding.ruling);
    moved |= finding.control_moved;
  }
  const auto any = [&](auto... rulings_of) { return (rulings.contains(rulings_of) || ...); };
  if (nothing_is_decided(findings) && !any(Ruling::regression)) return Exit::cannot_measure;
  if (moved) return Exit::control_moved;
  if (any(Ruling::regression)) return Exit::regression;
  if (any(Ruling::not_measured, Ruling::wrong_output)) return Exit::cannot_measure;
  return strict && any(Ruling::inconclusive) ? Exit::inconclusive : Exit::fine;
}

}  // namespace cliffbench
