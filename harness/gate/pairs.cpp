#include "harness/gate/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/core/host/shuffle.hpp"
#include "harness/gate/growth.hpp"
#include "harness/gate/screening.hpp"

namespace cliffbench {
namespace {

/// How long rounds of this session took, over what the pilots made expect.
double pace_of(const std::vector<ComparedBenchmark>& benchmarks) {
  double measured_s = 0;
  double expected_s = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    measured_s += benchmark.seen.rounds_s;
    expected_s += benchmark.seen.expected_s;
  }
  return measured_s > 0 && expected_s > 0 ? measured_s / expected_s : 1;
}

/// Until its screening is over, or until its next analysis.
int pairs_to_go(const ComparedBenchmark& benchmark) {
  if (benchmark.stage() == Stage::screening) {
    return benchmark.timing.screening - benchmark.last_round();
  }
  const int pairs = benchmark.has_new_pairs() ? benchmark.judged.finding.pairs : 0;
  const auto* next = std::upper_bound(kAnalysisPairs.begin(), kAnalysisPairs.end(), pairs);
  return next == kAnalysisPairs.end() ? 0 : *next - pairs;
}

/// How much slower the head looks, beyond the margin; 0 when it does not. By what was measured
/// before the pairs that count, so that these have no say in how many there are.
double suspicion(const ComparedBenchmark& benchmark) {
  const double slower = benchmark.seen.slower;
  return slower > std::log1p(benchmark.judged.rule.margin) ? slower : 0;
}

/// All the open benchmarks of the first stage that has some. The other open ones follow in `later`.
std::vector<ComparedBenchmark*> first_stage(std::vector<ComparedBenchmark>& benchmarks,
                                            std::vector<ComparedBenchmark*>& later) {
  std::vector<ComparedBenchmark*> open;
  for (ComparedBenchmark& benchmark : benchmarks) {
    if (benchmark.is_open()) open.push_back(&benchmark);
  }
  const auto stage = [](const ComparedBenchmark* one) { return one->stage(); };
  std::ranges::stable_sort(open, {}, stage);
  const auto end =
      std::ranges::find_if(open, [&](const auto* one) { return stage(one) > stage(open.front()); });
  later.assign(end, open.end());
  open.erase(end, open.end());
  return open;
}

/// Where a process measures one benchmark after a long start, others of its program join while they
/// cost less than the start.
void add_riders(std::vector<ComparedBenchmark*>& turn,
                const std::vector<ComparedBenchmark*>& others, const RoundCosts& costs) {
  std::map<std::string, double> free_s;
  for (const ComparedBenchmark* one : turn) {
    if (one->timing.shares_process) free_s[one->id.program] = costs.starts_s(*one);
  }
  for (ComparedBenchmark* one : others) {
    const auto left_s = free_s.find(one->id.program);
    if (!one->timing.shares_process || left_s == free_s.end()) continue;
    if ((left_s->second -= costs.own_s(*one)) >= 0) turn.push_back(one);
  }
}

Row next_row(const ComparedBenchmark& benchmark, const std::string& variant, int round) {
  Row row;
  row.program = benchmark.id.program;
  row.name = benchmark.id.name;
  row.variant = variant;
  row.round = round;
  row.position = benchmark.seen.rows.empty() ? 0 : benchmark.seen.rows.back().position + 1;
  return row;
}

/// The benchmark's own label, which says of both sides what differs.
std::string label_of(std::span<const Row> rows) {
  std::string base;
  std::string head;
  for (const Row& row : rows) (row.variant == "head" ? head : base) = row.digest;
  return base == head || head.empty() ? base : base.empty() ? head : base + " -> " + head;
}

}  // namespace

Stage ComparedBenchmark::stage() const {
  if (judged.not_timed) return Stage::not_timed;
  if (timing.batches.iterations == 0) return Stage::no_pilot;
  if (judged.finding.decided && std::ranges::all_of(judged.of_counters, &GateFinding::decided)) {
    return Stage::decided;
  }
  if (last_round() < timing.screening) return Stage::screening;
  return judged.suspect ? Stage::suspect : Stage::open;
}

Metric ComparedBenchmark::metric() const {
  // Each tenth of 1,315 processes that compute on two processors with a load of 9 was blocked for
  // over 5 % of its time: 66 of 200 benchmarks had a side that waited in the first round, none had
  // one in all of the first three.
  constexpr int kRoundsThatTell = 3;
  if (timing.asked || last_round() < kRoundsThatTell) return timing.metric;
  const auto rest =
      std::ranges::find_if(seen.rows, [](const Row& row) { return row.round > kRoundsThatTell; });
  return decides_by_wall({seen.rows.begin(), rest}, timing.start_s) ? Metric::wall : timing.metric;
}

void ComparedBenchmark::judge(Analysis analysis) {
  const auto named = [&](GateFinding finding) {
    finding.program = id.program;
    finding.name = id.name;
    finding.base_name = id.base_name;
    finding.head_name = id.head_name;
    if (!timing.digests) finding.label = label_of(seen.rows);
    return finding;
  };
  judged.of_counters.clear();
  if (judged.not_timed) {
    judged.finding = named({.ruling = judged.not_timed->ruling,
                            .reason = judged.not_timed->reason,
                            .rule = judged.rule,
                            .metric = timing.metric,
                            .decided = true});
    return;
  }
  PairRule by = judged.rule;
  by.analysis = timing.screening > 0 && !has_new_pairs() ? Analysis::screening : analysis;
  const auto first = std::ranges::find_if(seen.rows, [&](const Row& row) {
    return by.analysis == Analysis::screening || row.round > timing.screening;
  });
  const std::span<const Row> counted(first, seen.rows.end());
  const ComparedValue value = at_one_count(counted, {.metric = metric()});
  judged.finding = named(judge_pairs(counted, value, timing.digests, by));
  for (const WantedCounter& counter : timing.counters) {
    judged.of_counters.push_back(named(judge_counter(counted, counter, by)));
  }
  if (value.growth > 0) {
    judged.finding.reason += fmt::format(
        "; compared at equal counts of iterations: the time of one grows with the count "
        "(exponent {:.2f})",
        value.growth);
  }
}

void ComparedBenchmark::judge_at_end() {
  if (is_open()) judge(Analysis::last);
}

Round::Round(std::span<ComparedBenchmark* const> suite, std::mt19937_64& random) : suite_(suite) {
  for (const ComparedBenchmark* benchmark : suite) rounds_.push_back(benchmark->last_round() + 1);
  if (suite.front()->timing.trials(rounds_.front()) == kRoundTrials)
    variants_.emplace_back("control");
  shuffle(variants_, random);
}

std::vector<Row> Round::slots(const std::string& variant) const {
  std::vector<Row> rows;
  for (size_t i = 0; i < suite_.size(); ++i) {
    rows.push_back(next_row(*suite_[i], variant, rounds_[i]));
  }
  return rows;
}

void Round::keep(std::vector<Row> rows) {
  for (ComparedBenchmark* benchmark : suite_) {
    const auto row = std::ranges::find(rows, benchmark->id.name, &Row::name);
    if (row == rows.end()) {
      benchmark->timing.stop_sharing();
    } else {
      benchmark->seen.rows.push_back(std::move(*row));
    }
  }
}

void Round::end(bool whole) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  const double parts = static_cast<double>(suite_.size());
  double expected_s = kRoundTrials * suite_.front()->timing.shared_start_s();
  for (const ComparedBenchmark* benchmark : suite_) expected_s += benchmark->timing.round_s;
  const double share = static_cast<double>(variants_.size()) / kRoundTrials;
  for (ComparedBenchmark* benchmark : suite_) {
    if (whole) benchmark->seen.rounds_s += took.count() / parts;
    if (whole) benchmark->seen.expected_s += expected_s / parts * share;
    benchmark->judge();
  }
}

Row with_result(const Row& slot, const Row& result) {
  Row row = result;
  row.program = slot.program;
  row.name = slot.name;
  row.variant = slot.variant;
  row.round = slot.round;
  row.position = slot.position;
  return row;
}

std::vector<std::vector<ComparedBenchmark*>> suites_of(
    const std::vector<ComparedBenchmark*>& turn) {
  std::vector<std::vector<ComparedBenchmark*>> suites;
  std::map<std::string, size_t> open;  // the suite of a program that takes more
  for (ComparedBenchmark* benchmark : turn) {
    const auto suite = open.find(benchmark->id.program);
    const bool joins = benchmark->timing.shares_process && suite != open.end() &&
                       suites[suite->second].size() < kMostTogether;
    if (joins) {
      suites[suite->second].push_back(benchmark);
      continue;
    }
    if (benchmark->timing.shares_process) open[benchmark->id.program] = suites.size();
    suites.push_back({benchmark});
  }
  return suites;
}

double next_analyses_s(const std::vector<ComparedBenchmark>& benchmarks) {
  RoundCosts costs(pace_of(benchmarks));
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (benchmark.is_open()) costs.add(benchmark, pairs_to_go(benchmark));
  }
  return costs.seconds();
}

std::vector<ComparedBenchmark*> next_turn(std::vector<ComparedBenchmark>& benchmarks, double left_s,
                                          std::mt19937_64& random) {
  std::vector<ComparedBenchmark*> later;
  std::vector<ComparedBenchmark*> turn = first_stage(benchmarks, later);
  if (turn.empty()) return turn;
  RoundCosts costs(pace_of(benchmarks));
  if (turn.front()->stage() != Stage::screening) {
    const auto rank = [&](const ComparedBenchmark* one) {
      return std::tuple(!one->has_new_pairs(), -suspicion(*one),
                        costs.own_s(*one) * pairs_to_go(*one));
    };
    std::ranges::stable_sort(turn, {}, rank);
    size_t reached = 0;
    while (reached < turn.size()) {
      costs.add(*turn[reached], pairs_to_go(*turn[reached]));
      if (reached > 0 && costs.seconds() > left_s) break;
      ++reached;
    }
    later.insert(later.begin(), turn.begin() + static_cast<std::ptrdiff_t>(reached), turn.end());
    turn.resize(reached);
  }
  add_riders(turn, later, costs);
  shuffle(turn, random);
  return turn;
}

}  // namespace cliffbench
