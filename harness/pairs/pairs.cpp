#include "harness/pairs/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "harness/host/shuffle.hpp"
#include "harness/host/stopping.hpp"

namespace cliffbench {

void ComparedBenchmark::settle_metric() {
  if (!metric_is_open || rows.size() <= sides.size()) return;
  metric_is_open = false;
  const auto first = rows.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(sides.size()) + 1;
  if (std::any_of(first, last, several_processors)) pilot.metric = Metric::wall;
}

std::vector<GateFinding> ComparedBenchmark::judge() const {
  std::vector<GateFinding> findings;
  for (size_t side = 1; side < sides.size(); ++side) {
    findings.push_back(judge_pairs(rows, sides[side].variant, pilot.metric, pilot.digests, rule));
    findings.back().program = program;
    findings.back().name = name;
    if (pilot.trouble.empty()) continue;
    findings.back().ruling = pilot.wrong ? Ruling::wrong_output : Ruling::not_measured;
    findings.back().reason = pilot.trouble;
    findings.back().decided = true;
  }
  return findings;
}

bool PairSchedule::Entry::decided() const {
  return std::all_of(findings.begin(), findings.end(), [](const auto& f) { return f.decided; });
}

int PairSchedule::Entry::pairs() const {
  int fewest = kMostPairs;
  for (const auto& finding : findings) {
    if (!finding.decided) fewest = std::min(fewest, finding.pairs);
  }
  return fewest;
}

double PairSchedule::Entry::round_s(double pace) const {
  return rounds ? seconds / rounds : benchmark->pilot.round_s * pace;
}

double PairSchedule::Entry::next_look_s(double pace) const {
  const auto* look = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), pairs());
  return look == kLookPairs.end() ? 0 : (*look - pairs()) * round_s(pace);
}

double PairSchedule::Entry::suspicion() const {
  constexpr int kTell = 3;  // pairs that say more than the pilots
  double worst = benchmark->pilot.lead;
  if (pairs() >= kTell) {
    worst = 0;
    for (const auto& finding : findings) {
      const double ratio = finding.ratio.median.hi;
      if (!finding.decided && positive(ratio)) worst = std::max(worst, -std::log(ratio));
    }
  }
  return worst > std::log1p(benchmark->rule.margin) ? worst : 0;
}

PairSchedule::PairSchedule(std::vector<ComparedBenchmark>& benchmarks, std::uint64_t seed,
                           const Budget& budget, Settle settle, Show show)
    : budget_(budget), settle_(std::move(settle)), show_(std::move(show)), random_(seed) {
  for (ComparedBenchmark& benchmark : benchmarks) {
    entries_.push_back({&benchmark});
    entries_.back().judge();
    settle_if_decided(entries_.back());
  }
}

std::optional<Trial> PairSchedule::next() {
  if (order_.empty() && !begin_round()) return std::nullopt;
  const int index = order_.back();
  order_.pop_back();
  const ComparedBenchmark& benchmark = *entry_->benchmark;
  const Side& side = benchmark.sides[static_cast<size_t>(std::max(index, 0))];
  Trial trial{.row = {}, .observe = side.observe};
  trial.row.program = benchmark.program;
  trial.row.name = benchmark.name;
  trial.row.variant = index < 0 ? "control" : side.variant;
  trial.row.round = round_;
  trial.row.position = benchmark.rows.empty() ? 0 : benchmark.rows.back().position + 1;
  return trial;
}

void PairSchedule::measured(const Row& row) {
  entry_->benchmark->rows.push_back(row);
  if (order_.empty()) end_round(true);
}

bool PairSchedule::begin_round() {
  if (budget_.over()) return false;
  // Slower than was thought: not all are in time, so others may come first.
  const bool late = all_in_time_ && outlook().next_s > budget_.left_s();
  if (turn_.empty() || late) {
    turn_ = due(budget_.left_s());
    shuffle(turn_, random_);
    std::reverse(turn_.begin(), turn_.end());
    all_in_time_ = outlook().next_s <= budget_.left_s();
  }
  if (turn_.empty()) return false;
  entry_ = turn_.back();
  turn_.pop_back();
  if (show_) show_(outlook());
  round_ = 1;
  for (const Row& row : entry_->benchmark->rows) round_ = std::max(round_, row.round + 1);
  order_.resize(entry_->benchmark->sides.size());
  std::iota(order_.begin(), order_.end(), 0);
  order_.push_back(-1);
  shuffle(order_, random_);
  std::reverse(order_.begin(), order_.end());
  round_start_ = Clock::now();
  return true;
}

void PairSchedule::end_round(bool whole) {
  order_.clear();
  if (whole) {
    ++entry_->rounds;
    entry_->seconds += std::chrono::duration<double>(Clock::now() - round_start_).count();
  }
  entry_->benchmark->settle_metric();
  entry_->judge();
  if (!stop_requested()) settle_if_decided(*entry_);
}

void PairSchedule::settle_if_decided(Entry& entry) {
  if (entry.decided()) settle_(*entry.benchmark, entry.findings);
}

double PairSchedule::pace() const {
  double measured_s = 0;
  double expected_s = 0;
  for (const Entry& entry : entries_) {
    measured_s += entry.seconds;
    expected_s += entry.rounds * entry.benchmark->pilot.round_s;
  }
  return measured_s > 0 && expected_s > 0 ? measured_s / expected_s : 1;
}

Outlook PairSchedule::outlook() const {
  Outlook outlook;
  const double now = pace();
  for (const Entry& entry : entries_) {
    if (entry.decided()) continue;
    ++outlook.open;
    outlook.next_s += entry.next_look_s(now);
    outlook.most_s += (kMostPairs - entry.pairs()) * entry.round_s(now);
  }
  return outlook;
}

/// Those of the next turn: all that are open or, where the time left does not reach their looks,
/// as many as it does: what is begun first, and what looks slowest.
std::vector<PairSchedule::Entry*> PairSchedule::due(double left_s) {
  std::vector<Entry*> open;
  for (Entry& entry : entries_) {
    if (!entry.decided()) open.push_back(&entry);
  }
  if (outlook().next_s <= left_s) return open;
  const double now = pace();
  using Rank = std::tuple<bool, double, double, Entry*>;
  std::vector<Rank> ranked;
  for (Entry* entry : open) {
    ranked.emplace_back(entry->benchmark->rows.empty(), -entry->suspicion(),
                        entry->next_look_s(now), entry);
  }
  std::sort(ranked.begin(), ranked.end());
  open.clear();
  for (const auto& [not_begun, suspicion, cost_s, entry] : ranked) {
    left_s -= cost_s;
    if (left_s < 0 && !open.empty()) break;
    open.push_back(entry);
  }
  return open;
}

}  // namespace cliffbench
