#include "harness/gate/screening.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/core/program/program.hpp"

namespace cliffbench {
namespace {

/// ln(t_head / t_base) by the worst of its findings. The mean of the batches is less steady and
/// counts for as much less.
double slower_by(const ComparedBenchmark& benchmark) {
  double slower = -INFINITY;
  const auto regard = [&](const GateFinding& finding) {
    if (const auto ratio = positive(finding.ratio.median.hi); ratio && !finding.by_mean) {
      slower = std::max(slower, -std::log(*ratio));
    }
    if (const auto ratio = positive(finding.mean_ratio.median.hi)) {
      slower = std::max(slower, -std::log(*ratio) / kMeanFind);
    }
  };
  regard(benchmark.judged.finding);
  std::ranges::for_each(benchmark.judged.of_counters, regard);
  return std::isfinite(slower) ? slower : benchmark.seen.slower;
}

std::size_t decisions_of(const ComparedBenchmark& benchmark) {
  return benchmark.judged.not_timed ? 0 : 1 + benchmark.timing.counters.size();
}

}  // namespace

double RoundCosts::own_s(const ComparedBenchmark& benchmark) const {
  const Observed& seen = benchmark.seen;
  return benchmark.timing.round_s * (seen.expected_s > 0 ? seen.rounds_s / seen.expected_s : pace_);
}

double RoundCosts::starts_s(const ComparedBenchmark& benchmark) const {
  return kRoundTrials * benchmark.timing.shared_start_s() * pace_;
}

double RoundCosts::add(const ComparedBenchmark& benchmark, int rounds) {
  double round_s = own_s(benchmark);
  const bool shares = benchmark.timing.shares_process;
  if (shares && sharing_[benchmark.id.program]++ % kMostTogether == 0)
    round_s += starts_s(benchmark);
  const double seconds = rounds * round_s * benchmark.next_trials() / kRoundTrials;
  seconds_ += seconds;
  return seconds;
}

namespace {

/// The costs of the open benchmarks: a round of all, and as many rounds of the probable suspects as
/// can alarm.
struct Costs {
  std::ptrdiff_t count = 0;
  double all_s = 0;
  double few_s = 0;
  int trials = kRoundTrials;  ///< of such a round of all
};

Costs costs_of(const std::vector<ComparedBenchmark>& benchmarks) {
  constexpr std::ptrdiff_t kOneIn = 20;
  constexpr int kToAlarm = 8;
  RoundCosts all;
  RoundCosts few;
  Costs costs;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (!benchmark.is_open()) continue;
    if (costs.count++ % kOneIn == 0) few.add(benchmark, kToAlarm);
    all.add(benchmark);
    costs.trials = benchmark.next_trials();
  }
  costs.all_s = all.seconds();
  costs.few_s = few.seconds() * (kRoundTrials / (1.0 * costs.trials));
  return costs;
}

}  // namespace

std::optional<int> screening_pairs(const std::vector<ComparedBenchmark>& benchmarks,
                                   double left_s) {
  // Chosen by simulation (README.md): with fewer benchmarks, or time for more pairs, a
  // screening gains nothing.
  constexpr std::ptrdiff_t kFewest = 5;
  constexpr double kAmple = 16;
  const auto [count, all_s, few_s, trials] = costs_of(benchmarks);
  if (count < kFewest || left_s >= kAmple * all_s) return std::nullopt;
  const double most = (left_s - few_s) / (all_s * (kRoundTrials - 1) / trials);
  const double pairs = std::clamp(most, 0.0, 1.0 * kScreenPairs);
  // The median of two pairs is as good as the worse of them.
  return pairs >= 3 ? static_cast<int>(pairs) : pairs >= 1 ? 1 : 0;
}

bool controls_tell(const std::vector<ComparedBenchmark>& benchmarks, double left_s) {
  return std::ranges::any_of(benchmarks, [&](const ComparedBenchmark& benchmark) {
    RoundCosts alone;
    return benchmark.is_open() && alone.add(benchmark, kAnalysisPairs.front()) <= left_s;
  });
}

void share_chances(std::vector<ComparedBenchmark>& benchmarks, std::optional<int> screening) {
  constexpr double kOfSuspects = 0.9;  // the others may alarm too, if there is time for them
  std::size_t all = 0;
  std::size_t suspects = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    all += decisions_of(benchmark);
    if (benchmark.judged.suspect) suspects += decisions_of(benchmark);
  }
  for (ComparedBenchmark& benchmark : benchmarks) {
    PairRule& rule = benchmark.judged.rule;
    const bool suspect = benchmark.judged.suspect;
    benchmark.timing.screening = screening.value_or(0);
    rule.decisions = !suspects ? all : suspect ? suspects : all - suspects;
    rule.alarm = kSuiteAlarm;
    if (suspects) rule.alarm *= suspect ? kOfSuspects : 1 - kOfSuspects;
    rule.miss = kMiss - (benchmark.timing.screening == kScreenPairs ? kScreenMiss : 0);
  }
}

namespace {

/// The rounds of a screening, fewer than planned where they take longer: it ends with those that it
/// has, so that there is time for the suspects.
int screening_in_time(const std::vector<ComparedBenchmark>& benchmarks, int planned,
                      double left_s) {
  int rounds = 0;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (benchmark.is_open()) rounds = std::max(rounds, benchmark.last_round());
  }
  const Costs costs = costs_of(benchmarks);
  return rounds < planned && costs.all_s + costs.few_s > left_s ? rounds : planned;
}

/// Each undecided benchmark has been screened, and no suspect has been chosen yet.
bool awaits_suspects(const std::vector<ComparedBenchmark>& benchmarks) {
  bool any = false;
  for (const ComparedBenchmark& benchmark : benchmarks) {
    if (benchmark.judged.suspect || benchmark.stage() == Stage::screening) return false;
    any |= benchmark.is_open();
  }
  return any;
}

/// Marks the suspects: those that seem slower than the margin, the slowest first, as many as there
/// is time for; at least one.
void choose_suspects(std::vector<ComparedBenchmark>& benchmarks, double left_s) {
  constexpr int kToDecide = 24;  // pairs, on average
  std::vector<ComparedBenchmark*> open;
  for (ComparedBenchmark& benchmark : benchmarks) {
    if (!benchmark.is_open()) continue;
    // One pair may be disturbed: then the pilots must agree.
    const double slower = slower_by(benchmark);
    double& known = benchmark.seen.slower;
    known = benchmark.timing.screening > 1 ? slower : std::min(slower, known);
    open.push_back(&benchmark);
  }
  std::ranges::stable_sort(open, std::greater(), [](const auto* one) { return one->seen.slower; });
  RoundCosts costs;
  for (ComparedBenchmark* benchmark : open) {
    costs.add(*benchmark, kToDecide);
    const bool is_first = benchmark == open.front();
    const bool seems_slower = benchmark->seen.slower > std::log1p(benchmark->judged.rule.margin);
    if (!is_first && (!seems_slower || costs.seconds() > left_s)) break;
    benchmark->judged.suspect = true;
  }
}

}  // namespace

bool advance_screening(std::vector<ComparedBenchmark>& benchmarks, std::optional<int>& screening,
                       double left_s) {
  if (!screening) return false;
  const int pairs = screening_in_time(benchmarks, *screening, left_s);
  bool changed = pairs != *screening;
  screening = pairs;
  if (changed) share_chances(benchmarks, screening);
  if (awaits_suspects(benchmarks)) {
    choose_suspects(benchmarks, left_s);
    share_chances(benchmarks, screening);
    changed = true;
  }
  return changed;
}

}  // namespace cliffbench
