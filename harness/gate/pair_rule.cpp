#include "harness/gate/pair_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace cliffbench {
namespace {

constexpr double kAnalyses = kAnalysisPairs.size();

/// Each analysis of each decision takes an equal part of the suite's chance (Bonferroni).
double alarm_of(const PairRule& rule) {
  return rule.alarm / kAnalyses / static_cast<double>(std::max<std::size_t>(rule.decisions, 1));
}

/// The weight of the pair of a rank (1: the nearest). A disturbed process puts its pair far away
/// for no reason of the programs: from the nearest fifth on, all weigh alike.
int weight(int rank, int pairs) { return std::min(rank, (pairs + 4) / 5); }

/// Chances of every sum of weights of the wrong side.
std::vector<double> weight_sums(int pairs) {
  std::vector<double> chance = {1};
  for (int rank = 1; rank <= pairs; ++rank) {
    const auto more = static_cast<size_t>(weight(rank, pairs));
    chance.resize(chance.size() + more);
    for (size_t sum = chance.size(); sum-- > 0;) {
      chance[sum] = (chance[sum] + (sum >= more ? chance[sum - more] : 0)) / 2;
    }
  }
  return chance;
}

}  // namespace

int signed_weight_limit(int pairs, double error) {
  static std::map<std::pair<int, double>, int> known_limits;
  const auto [entry, is_new] = known_limits.try_emplace({pairs, error}, -1);
  int& limit = entry->second;
  if (!is_new) return limit;
  double sum = 0;
  for (const double chance : weight_sums(pairs)) {
    sum += chance;
    if (sum > error) break;
    ++limit;
  }
  return limit;
}

bool lie_above(std::span<const Range> log_ratios, double at, double error) {
  // Among equal distances those against us come last, where they weigh most.
  std::vector<std::pair<double, bool>> pairs;  // distance from `at`, against us
  for (const Range& d : log_ratios) {
    const double above = d.known() ? d.lo - at : -INFINITY;
    pairs.emplace_back(std::fabs(above), !(above > 0));
  }
  std::sort(pairs.begin(), pairs.end());
  const int count = static_cast<int>(pairs.size());
  int weight_against = 0;
  int rank = 0;
  for (const auto& [distance, against] : pairs) {
    ++rank;
    if (against) weight_against += weight(rank, count);
  }
  return weight_against <= signed_weight_limit(count, error);
}

bool lie_below(std::span<const Range> log_ratios, double at, double error) {
  std::vector<Range> mirrored;
  for (const Range& d : log_ratios) mirrored.push_back({-d.hi, -d.lo});
  return lie_above(mirrored, -at, error);
}

PairRule of_fastest(PairRule rule) {
  rule.alarm *= 1 - kMeanAlarm;
  return rule;
}

PairRule of_mean(PairRule rule) {
  rule.alarm *= kMeanAlarm;
  rule.must_find *= kMeanFind;
  return rule;
}

bool is_worse(Ruling one, Ruling other) {
  constexpr std::array kWorstFirst = {Ruling::wrong_output, Ruling::not_measured,
                                      Ruling::regression,   Ruling::inconclusive,
                                      Ruling::improved,     Ruling::ok};
  return std::ranges::find(kWorstFirst, one) < std::ranges::find(kWorstFirst, other);
}

std::optional<Ruling> decide_pairs(std::span<const Range> log_ratios, const PairRule& rule) {
  const double margin = std::log1p(rule.margin);
  if (rule.analysis == Analysis::screening) {
    const bool clear = std::ssize(log_ratios) == kScreenPairs &&
                       lie_below(log_ratios, std::log1p(rule.must_find), kScreenMiss);
    return clear ? std::optional(Ruling::ok) : std::nullopt;
  }
  // `parts`: of the chances.
  const auto analyse = [&](std::span<const Range> pairs, double parts) -> std::optional<Ruling> {
    // Both a regression and ok can hold at once: then it is a regression.
    if (lie_above(pairs, margin, parts * alarm_of(rule))) return Ruling::regression;
    if (lie_below(pairs, -margin, parts * alarm_of(rule))) return Ruling::improved;
    if (lie_below(pairs, std::log1p(rule.must_find), parts * rule.miss / kAnalyses))
      return Ruling::ok;
    return std::nullopt;
  };
  double analyses_left = kAnalyses;
  for (const int pairs : kAnalysisPairs) {
    if (static_cast<size_t>(pairs) > log_ratios.size()) {
      return rule.analysis == Analysis::last ? analyse(log_ratios, analyses_left) : std::nullopt;
    }
    const auto ruling = analyse(log_ratios.first(static_cast<size_t>(pairs)), 1);
    if (ruling) return ruling;
    --analyses_left;
  }
  return Ruling::inconclusive;
}

bool differs_from_itself(std::span<const Range> log_ratios, const PairRule& rule) {
  const double margin = std::log1p(rule.margin);
  const double error = alarm_of(rule) / 2;  // to either side
  return lie_above(log_ratios, margin, error) || lie_below(log_ratios, -margin, error);
}

std::string meaning(Ruling ruling, const PairRule& rule) {
  const double margin = rule.margin * 100;
  const double must_find = rule.must_find * 100;
  switch (ruling) {
    case Ruling::ok:
      return fmt::format("a slowdown of {:.3g} % is ruled out", must_find);
    case Ruling::regression:
      return fmt::format("slower by more than {:.3g} %", margin);
    case Ruling::improved:
      return fmt::format("faster by more than {:.3g} %", margin);
    case Ruling::inconclusive:
      return fmt::format(
          "{} pairs do not distinguish a slowdown below {:.3g} % from one above {:.3g} %",
          kMostPairs, margin, must_find);
    default:
      return "";
  }
}

}  // namespace cliffbench
