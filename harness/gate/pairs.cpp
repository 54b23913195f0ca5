#include "harness/gate/pairs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "harness/host/shuffle.hpp"

namespace cliffbench {
namespace {

constexpr std::ptrdiff_t kTrials = 3;  // of a round: base, head, control

bool is_open(const ComparedBenchmark& benchmark) { return !benchmark.finding.decided; }

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

}  // namespace

void ComparedBenchmark::judge() {
  if (metric_is_open && std::ssize(rows) >= kTrials) {
    metric_is_open = false;
    if (std::any_of(rows.begin(), rows.begin() + kTrials, several_processors)) {
      pilot.metric = Metric::wall;
    }
  }
  finding = judge_pairs(rows, pilot.metric, pilot.digests, rule);
  finding.program = program;
  finding.name = name;
  if (pilot.trouble.empty()) return;
  finding.ruling = pilot.wrong ? Ruling::wrong_output : Ruling::not_measured;
  finding.reason = pilot.trouble;
  finding.decided = true;
}

bool measure_pair(ComparedBenchmark& benchmark, std::mt19937_64& random,
                  const MeasureTrial& measure) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::string> variants = {"base", "head", "control"};
  shuffle(variants, random);
  std::vector<Row>& rows = benchmark.rows;
  int round = 1;
  for (const Row& row : rows) round = std::max(round, row.round + 1);
  const Clock::time_point start = Clock::now();
  bool whole = true;
  for (const std::string& variant : variants) {
    Row row;
    row.program = benchmark.program;
    row.name = benchmark.name;
    row.variant = variant;
    row.round = round;
    row.position = rows.empty() ? 0 : rows.back().position + 1;
    whole = measure(row);
    if (!whole) break;
    rows.push_back(std::move(row));
  }
  if (whole) {
    ++benchmark.rounds;
    benchmark.rounds_s += std::chrono::duration<double>(Clock::now() - start).count();
  }
  benchmark.judge();
  return whole;
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
    turn.resize(std::min(turn.size(), std::max<size_t>(reached, 1)));
  }
  shuffle(turn, random);
  return turn;
}

}  // namespace cliffbench
