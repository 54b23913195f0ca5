#include "harness/gate/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "harness/gate/growth.hpp"
#include "harness/host/shuffle.hpp"

namespace cliffbench {
namespace {

constexpr std::ptrdiff_t kTrials = 3;  // of a round: base, head, control

bool is_open(const ComparedBenchmark& benchmark) { return !benchmark.decided(); }

/// How long rounds of this session took, over what the pilots made expect.
double pace_of(const std::vector<ComparedBenchmark>& benchmarks) {
  double measured_s = 0;
  double expected_s = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    measured_s += benchmark.rounds_s;
    expected_s += benchmark.rounds * benchmark.pilot.round_s;
  }
  return measured_s > 0 && expected_s > 0 ? measured_s / expected_s : 1;
}

double next_look_s(const ComparedBenchmark& benchmark, double pace) {
  const int pairs = benchmark.finding.pairs;
  const auto* look = std::upper_bound(kLookPairs.begin(), kLookPairs.end(), pairs);
  if (look == kLookPairs.end()) return 0;
  const double round_s =
      benchmark.rounds ? benchmark.rounds_s / benchmark.rounds : benchmark.pilot.round_s * pace;
  return (*look - pairs) * round_s;
}

/// How much slower the head looks, beyond the margin; 0 when it does not.
double suspicion(const ComparedBenchmark& benchmark) {
  constexpr int kTell = 3;  // pairs that say more than the pilots
  double slower = benchmark.pilot.lead;
  if (benchmark.finding.pairs >= kTell) {
    const auto ratio = positive(benchmark.finding.ratio.median.hi);
    slower = ratio ? -std::log(*ratio) : 0;
  }
  return slower > std::log1p(benchmark.rule.margin) ? slower : 0;
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int next_round(const ComparedBenchmark& benchmark) {
  int round = 1;
  for (const Row& row : benchmark.rows) round = std::max(round, row.round + 1);
  return round;
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
  if (metric_is_open && std::ssize(rows) >= kTrials) {
    metric_is_open = false;
    const std::span first_round(rows.data(), static_cast<size_t>(kTrials));
    if (decides_by_wall(first_round, pilot.start_s)) pilot.metric = Metric::wall;
  }
  const double growth = growth_of(rows, pilot.metric);
  const std::vector<Row> scaled = growth > 0 ? at_one_count(rows, growth) : std::vector<Row>();
  finding = judge_pairs(growth > 0 ? scaled : rows, pilot.metric, pilot.digests, rule);
  of_counters.clear();
  for (const WantedCounter& counter : counters) {
    of_counters.push_back(judge_counter(rows, counter, rule));
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
  if (growth > 0) {
    finding.reason += fmt::format(
        "; its cost grows with the iterations, so it is compared at the same number of them "
        "(time ~ iterations^{:.2f})",
        growth);
  }
  if (pilot.trouble.empty()) return;
  of_counters.clear();
  finding.ruling = pilot.wrong     ? Ruling::wrong_output
                   : pilot.skipped ? Ruling::skipped
                                   : Ruling::not_measured;
  finding.reason = pilot.trouble;
  finding.decided = true;
}

void ComparedBenchmark::judge_at_end() {
  if (decided() || !pilot.trouble.empty()) return;
  rule.at_end = true;
  judge();
  rule.at_end = false;
}

bool measure_pairs_together(std::span<ComparedBenchmark*> suite, std::mt19937_64& random,
                            const MeasureSuite& measure) {
  std::vector<std::string> variants = {"base", "head", "control"};
  shuffle(variants, random);
  const Clock::time_point start = Clock::now();
  std::vector<int> rounds;
  for (const ComparedBenchmark* benchmark : suite) rounds.push_back(next_round(*benchmark));
  bool whole = true;
  for (const std::string& variant : variants) {
    std::vector<Row> rows;
    for (size_t i = 0; i < suite.size(); ++i)
      rows.push_back(next_row(*suite[i], variant, rounds[i]));
    whole = measure(rows);
    if (!whole) break;
    for (ComparedBenchmark* benchmark : suite) {
      const auto row = std::ranges::find(rows, benchmark->name, &Row::name);
      benchmark->alone |= row == rows.end();
      if (row != rows.end()) benchmark->rows.push_back(std::move(*row));
    }
  }
  for (ComparedBenchmark* benchmark : suite) {
    if (whole) ++benchmark->rounds;
    if (whole) benchmark->rounds_s += seconds_since(start) / static_cast<double>(suite.size());
    benchmark->judge();
  }
  return whole;
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

bool measure_pair(ComparedBenchmark& benchmark, std::mt19937_64& random,
                  const MeasureTrial& measure) {
  std::vector<ComparedBenchmark*> alone = {&benchmark};
  return measure_pairs_together(alone, random,
                                [&](std::vector<Row>& rows) { return measure(rows.front()); });
}

double next_looks_s(const std::vector<ComparedBenchmark>& benchmarks) {
  const double pace = pace_of(benchmarks);
  double seconds = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (is_open(benchmark)) seconds += next_look_s(benchmark, pace);
  }
  return seconds;
}

std::vector<ComparedBenchmark*> next_turn(std::vector<ComparedBenchmark>& benchmarks, double left_s,
                                          std::mt19937_64& random) {
  std::vector<ComparedBenchmark*> turn;
  for (ComparedBenchmark& benchmark : benchmarks) {
    if (is_open(benchmark)) turn.push_back(&benchmark);
  }
  if (next_looks_s(benchmarks) > left_s) {
    const double pace = pace_of(benchmarks);
    const auto rank = [pace](const ComparedBenchmark* one) {
      return std::tuple(one->rows.empty(), -suspicion(*one), next_look_s(*one, pace));
    };
    std::stable_sort(turn.begin(), turn.end(),
                     [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
    size_t reached = 0;
    while (reached < turn.size() && (left_s -= next_look_s(*turn[reached], pace)) >= 0) ++reached;
    reached = std::min(turn.size(), std::max<size_t>(reached, 1));
    // A process costs its start, however many it measures: where one is, so are all of its suite.
    std::set<std::string> started;
    for (size_t i = 0; i < reached; ++i) {
      if (turn[i]->shares_process()) started.insert(turn[i]->program);
    }
    const auto left_out = std::stable_partition(
        turn.begin() + static_cast<std::ptrdiff_t>(reached), turn.end(),
        [&](const auto* one) { return one->shares_process() && started.contains(one->program); });
    turn.erase(left_out, turn.end());
  }
  shuffle(turn, random);
  return turn;
}

}  // namespace cliffbench
