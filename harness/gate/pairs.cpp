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

bool is_open(const ComparedBenchmark& benchmark) { return !benchmark.decided(); }

/// How long rounds of this session took, over what the pilots made expect.
double pace_of(const std::vector<ComparedBenchmark>& benchmarks) {
  double measured_s = 0;
  double expected_s = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    measured_s += benchmark.rounds_s;
    expected_s += benchmark.expected_s;
  }
  return measured_s > 0 && expected_s > 0 ? measured_s / expected_s : 1;
}

/// Until its screening is over, or until its next look.
int pairs_to_go(const ComparedBenchmark& benchmark) {
  if (!benchmark.is_screened()) return benchmark.screening - benchmark.last_round();
  const int pairs = benchmark.has_new_pairs() ? benchmark.finding.pairs : 0;
  const auto* look = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), pairs);
  return look == kLookPairs.end() ? 0 : *look - pairs;
}

/// How much slower the head looks, beyond the margin; 0 when it does not. By what was measured
/// before the pairs that count, so that these have no say in how many there are.
double suspicion(const ComparedBenchmark& benchmark) {
  const double slower = benchmark.pilot.lead;
  return slower > std::log1p(benchmark.rule.margin) ? slower : 0;
}

/// All the open benchmarks of the first stage that has some: screening, suspects, others, audited
/// ones. The rest of the open ones follows in `later`.
std::vector<ComparedBenchmark*> first_stage(std::vector<ComparedBenchmark>& benchmarks,
                                            std::vector<ComparedBenchmark*>& later) {
  std::vector<ComparedBenchmark*> open;
  for (ComparedBenchmark& benchmark : benchmarks) {
    if (is_open(benchmark)) open.push_back(&benchmark);
  }
  const auto stage = [](const ComparedBenchmark* one) {
    return !one->is_screened() ? 0 : one->suspect ? 1 : 2;
  };
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
    if (one->shares_process()) free_s[one->program] = costs.starts_s(*one);
  }
  for (ComparedBenchmark* one : others) {
    const auto left_s = free_s.find(one->program);
    if (!one->shares_process() || left_s == free_s.end()) continue;
    if ((left_s->second -= costs.own_s(*one)) >= 0) turn.push_back(one);
  }
}

Row next_row(const ComparedBenchmark& benchmark, const std::string& variant, int round) {
  Row row;
  row.program = benchmark.program;
  row.name = benchmark.name;
  row.variant = variant;
  row.round = round;
  row.position = benchmark.rows.empty() ? 0 : benchmark.rows.back().position + 1;
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

bool ComparedBenchmark::decided() const {
  return finding.decided && std::ranges::all_of(of_counters, &GateFinding::decided);
}

void ComparedBenchmark::judge() {
  // Each tenth of 1,315 processes that compute on two processors with a load of 9 was blocked for
  // over 5 % of its time: 66 of 200 benchmarks had a side that waited in the first round, none had
  // one in all of the first three.
  constexpr int kRoundsThatTell = 3;
  if (metric_is_open && last_round() >= kRoundsThatTell) {
    metric_is_open = false;
    const auto rest =
        std::ranges::find_if(rows, [](const Row& row) { return row.round > kRoundsThatTell; });
    if (decides_by_wall({rows.begin(), rest}, pilot.start_s)) pilot.metric = Metric::wall;
  }
  PairRule by = rule;
  by.screening = screening > 0 && !has_new_pairs();
  const auto first = std::ranges::find_if(
      rows, [&](const Row& row) { return by.screening || row.round > screening; });
  const std::span<const Row> judged(first, rows.end());
  const ComparedValue value = at_one_count(judged, {.metric = pilot.metric});
  finding = judge_pairs(judged, value, pilot.digests, by);
  of_counters.clear();
  for (const WantedCounter& counter : counters) {
    of_counters.push_back(judge_counter(judged, counter, by));
  }
  const auto named = [&](GateFinding& one) {
    one.program = program;
    one.name = name;
    one.base_name = base_name;
    one.head_name = head_name;
    if (!pilot.digests) one.label = label_of(rows);
  };
  named(finding);
  std::ranges::for_each(of_counters, named);
  if (value.growth > 0) {
    finding.reason += fmt::format(
        "; its cost grows with the iterations, so it is compared at the same number of them "
        "(time ~ iterations^{:.2f})",
        value.growth);
  }
  if (pilot.trouble.empty()) return;
  of_counters.clear();
  finding.ruling = pilot.ruling;
  finding.reason = pilot.trouble;
  finding.decided = true;
}

void ComparedBenchmark::judge_at_end() {
  if (decided() || !pilot.trouble.empty()) return;
  rule.at_end = true;
  judge();
  rule.at_end = false;
}

Round::Round(std::span<ComparedBenchmark* const> suite, std::mt19937_64& random) : suite_(suite) {
  for (const ComparedBenchmark* benchmark : suite) rounds_.push_back(benchmark->last_round() + 1);
  if (suite.front()->trials(rounds_.front()) == kRoundTrials) variants_.emplace_back("control");
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
    const auto row = std::ranges::find(rows, benchmark->name, &Row::name);
    benchmark->alone |= row == rows.end();
    if (row != rows.end()) benchmark->rows.push_back(std::move(*row));
  }
}

void Round::end(bool whole) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
  const double parts = static_cast<double>(suite_.size());
  double expected_s = kRoundTrials * suite_.front()->pilot.shared_start_s();
  for (const ComparedBenchmark* benchmark : suite_) expected_s += benchmark->pilot.round_s;
  const double share = static_cast<double>(variants_.size()) / kRoundTrials;
  for (ComparedBenchmark* benchmark : suite_) {
    if (whole) benchmark->rounds_s += took.count() / parts;
    if (whole) benchmark->expected_s += expected_s / parts * share;
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
    const auto suite = open.find(benchmark->program);
    const bool joins = benchmark->shares_process() && suite != open.end() &&
                       suites[suite->second].size() < kMostTogether;
    if (joins) {
      suites[suite->second].push_back(benchmark);
      continue;
    }
    if (benchmark->shares_process()) open[benchmark->program] = suites.size();
    suites.push_back({benchmark});
  }
  return suites;
}

double next_looks_s(const std::vector<ComparedBenchmark>& benchmarks) {
  RoundCosts costs(pace_of(benchmarks));
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (is_open(benchmark)) costs.add(benchmark, pairs_to_go(benchmark));
  }
  return costs.seconds();
}

std::vector<ComparedBenchmark*> next_turn(std::vector<ComparedBenchmark>& benchmarks, double left_s,
                                          std::mt19937_64& random) {
  std::vector<ComparedBenchmark*> later;
  std::vector<ComparedBenchmark*> turn = first_stage(benchmarks, later);
  if (turn.empty()) return turn;
  RoundCosts costs(pace_of(benchmarks));
  if (turn.front()->is_screened()) {
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
