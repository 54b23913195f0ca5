/// The promises of a screened gate, by simulation with fixed seeds: the code that screens, chooses
/// and shares the chances, with pairs and time that are made up. One round takes a second.

#include "harness/gate/screening.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <span>

#include "harness/core/record/measured_row_test.hpp"

namespace cliffbench {
namespace {

/// The noise of a pair's log ratio. That of the mean of its batches is the same and as much again
/// of its own, which goes further.
struct Noise {
  double normal = 0;
  double share_of_30_percent = 0;
};

class Suite {
 public:
  Suite(std::size_t size, Noise noise, std::uint64_t seed) : noise_(noise), random_(seed) {
    for (std::size_t i = 0; i < size; ++i) {
      benchmarks_.push_back({.id = {"program", std::to_string(i)}, .timing = {.round_s = 1}});
    }
    slower_.assign(size, 0);
    rarely_slower_.assign(size, 0);
    pairs_.resize(size);
    means_.resize(size);
  }

  /// `rarely`: the mean of its batches shows it, the fastest does not.
  void slow_down(std::size_t count, double slower, bool rarely = false) {
    std::vector<double>& slowed = rarely ? rarely_slower_ : slower_;
    std::fill_n(slowed.begin(), count, std::log1p(slower));
  }

  /// Measures as the gate does, for so many rounds of each on average.
  void run(double rounds, double pace = 1) {
    double left_s = rounds * static_cast<double>(benchmarks_.size());
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      benchmarks_[i].seen.slower = slower_[i] + std::normal_distribution<double>(0, 0.1)(random_);
    }
    screening_ = screening_pairs(benchmarks_, left_s);
    share_chances(benchmarks_, screening_);
    while (left_s >= 1) {
      (void)advance_screening(benchmarks_, screening_, left_s);
      const auto turn = next_turn(benchmarks_, left_s, random_);
      if (turn.empty()) return;
      for (ComparedBenchmark* benchmark : turn) {
        if (left_s < 1) break;
        const double seconds = benchmark->next_trials() / (1.0 * kRoundTrials);
        benchmark->seen.expected_s += seconds;
        benchmark->seen.rounds_s += pace * seconds;
        left_s -= pace * seconds;
        measure(*benchmark);
      }
    }
    for (ComparedBenchmark& benchmark : benchmarks_) {
      benchmark.judged.rule.analysis = Analysis::last;
      judge(benchmark);
    }
  }

  /// Of the first benchmarks.
  [[nodiscard]] int count(Ruling ruling, std::size_t first) const {
    return static_cast<int>(std::ranges::count_if(
        std::span(benchmarks_).first(first), [&](const ComparedBenchmark& one) {
          return one.judged.finding.decided && one.judged.finding.ruling == ruling;
        }));
  }
  [[nodiscard]] std::optional<int> screening() const { return screening_; }

 private:
  std::size_t place(const ComparedBenchmark& benchmark) const {
    return static_cast<std::size_t>(&benchmark - benchmarks_.data());
  }

  double draw() {
    const bool wide =
        std::uniform_real_distribution<double>()(random_) < noise_.share_of_30_percent;
    return std::normal_distribution<double>(0, wide ? 0.3 : noise_.normal)(random_);
  }

  void measure(ComparedBenchmark& benchmark) {
    const std::size_t at = place(benchmark);
    const double d = slower_[at] + draw();
    const double mean_d = d + rarely_slower_[at] + draw();
    benchmark.seen.rows.push_back({.round = benchmark.last_round() + 1});
    pairs_[at].push_back({d, d});
    means_[at].push_back({mean_d, mean_d});
    judge(benchmark);
  }

  struct Judged {
    std::optional<Ruling> ruling;
    Interval ratio;  ///< its median alone
  };
  static Judged judge(const ComparedBenchmark& benchmark, std::span<const Range> pairs,
                      const PairRule& rule) {
    if (rule.analysis != Analysis::screening)
      pairs = pairs.subspan(static_cast<std::size_t>(benchmark.timing.screening));
    std::vector<double> sorted;
    for (const Range& pair : pairs) sorted.push_back(std::exp(-pair.lo));
    std::nth_element(sorted.begin(), sorted.begin() + std::ssize(sorted) / 2, sorted.end());
    Judged judged{.ruling = decide_pairs(pairs, rule), .ratio = {}};
    if (!sorted.empty()) judged.ratio.median.hi = sorted[sorted.size() / 2];
    return judged;
  }

  /// As ComparedBenchmark::judge does it from rows, of which these have no times.
  void judge(ComparedBenchmark& benchmark) {
    GateFinding& finding = benchmark.judged.finding;
    if (finding.decided) return;
    PairRule rule = benchmark.judged.rule;
    if (benchmark.timing.screening > 0 && !benchmark.has_new_pairs())
      rule.analysis = Analysis::screening;
    const std::size_t at = place(benchmark);
    const Judged fastest = judge(benchmark, pairs_[at], of_fastest(rule));
    const Judged mean = judge(benchmark, means_[at], of_mean(rule));
    finding.by_mean = is_worse(mean.ruling.value_or(Ruling::inconclusive),
                               fastest.ruling.value_or(Ruling::inconclusive));
    const Judged& counts = finding.by_mean ? mean : fastest;
    finding.ruling = counts.ruling.value_or(Ruling::inconclusive);
    finding.decided = counts.ruling.has_value();
    finding.ratio = counts.ratio;
    finding.mean_ratio = mean.ratio;
    finding.pairs = static_cast<int>(pairs_[at].size()) -
                    (rule.analysis == Analysis::screening ? 0 : benchmark.timing.screening);
  }

  Noise noise_;
  std::mt19937_64 random_;
  std::vector<ComparedBenchmark> benchmarks_;
  std::vector<double> slower_, rarely_slower_;
  std::vector<std::vector<Range>> pairs_, means_;
  std::optional<int> screening_;
};

int at_most(double expected) {  // and three times its scatter
  return static_cast<int>(expected + 3 * std::sqrt(expected));
}

const Noise kEven = {0.03, 0};
const Noise kWithTails = {0.03, 0.1};

/// Suites with a false alarm where all are slower by exactly the tolerated 2 %, the worst case.
int false_alarms(int gates, std::size_t size, double rounds, Noise noise) {
  int alarms = 0;
  for (int gate = 0; gate < gates; ++gate) {
    Suite suite(size, noise, static_cast<std::uint64_t>(gate));
    suite.slow_down(size, 0.02);
    suite.run(rounds);
    alarms += suite.count(Ruling::regression, size) > 0;
  }
  return alarms;
}

/// The per cent that are found of `slow` benchmarks in each suite.
double found_percent(int gates, std::size_t size, std::size_t slow, double slower, double rounds,
                     Noise noise, double pace = 1, bool rarely = false) {
  int found = 0;
  for (int gate = 0; gate < gates; ++gate) {
    Suite suite(size, noise, static_cast<std::uint64_t>(gate));
    suite.slow_down(slow, slower, rarely);
    suite.run(rounds, pace);
    found += suite.count(Ruling::regression, slow);
  }
  return 100.0 * found / gates / static_cast<double>(slow);
}

/// Nine tenths of the chance of an alarm are the suspects', a tenth is the others'; each counter is
/// a decision of its own; what cannot be timed takes no part.
TEST(ShareChances, OfSuspectsOthersAndWhatIsNotTimed) {
  std::vector<ComparedBenchmark> suite(6, ComparedBenchmark{.id = {"p", ""}});
  suite[1].timing.counters = {{"allocs", false}};
  suite[5].judged.not_timed = {.reason = "it crashed"};
  share_chances(suite, std::nullopt);
  for (const ComparedBenchmark& one : suite) {
    EXPECT_EQ(one.judged.rule.decisions, 6u);
    EXPECT_EQ(one.judged.rule.alarm, kSuiteAlarm);
    EXPECT_EQ(one.judged.rule.miss, kMiss);
    EXPECT_EQ(one.timing.screening, 0);
  }
  suite[0].judged.suspect = suite[1].judged.suspect = true;
  for (const int pairs : {0, 3, kScreenPairs}) {
    share_chances(suite, pairs);
    for (const ComparedBenchmark& one : suite) {
      EXPECT_EQ(one.timing.screening, pairs);
      EXPECT_EQ(one.judged.rule.decisions,
                3u);  // of the suspects, with a counter; of the others, timed
      EXPECT_DOUBLE_EQ(one.judged.rule.alarm, kSuiteAlarm * (one.judged.suspect ? 0.9 : 0.1));
      EXPECT_EQ(one.judged.rule.miss, pairs == kScreenPairs ? kMiss - kScreenMiss : kMiss);
    }
  }
}

TEST(Screening, FewSuitesAlarmThatAreAllAtTheMargin) {
  const int times = std::getenv("CLIFFBENCH_ALL") ? 4 : 1;
  for (const auto& [few, size] : {std::pair(300, 1), std::pair(90, 30), std::pair(18, 300)}) {
    const int gates = times * few;
    for (const double rounds : {3.0, 8.0, 15.0}) {
      const int alarms = false_alarms(gates, static_cast<std::size_t>(size), rounds, kWithTails);
      EXPECT_LE(alarms, at_most(gates * kSuiteAlarm)) << size << " at " << rounds;
    }
  }
}

TEST(Screening, FewFivePercentPass) {
  for (const double rounds : {6.5, 12.0}) {
    int passed = 0;
    for (int gate = 0; gate < 40; ++gate) {
      Suite suite(100, kEven, static_cast<std::uint64_t>(gate));
      suite.slow_down(100, 0.05);
      suite.run(rounds);
      EXPECT_EQ(suite.screening(), kScreenPairs);
      passed += suite.count(Ruling::ok, 100);
    }
    EXPECT_LE(passed, at_most(4000 * kMiss)) << rounds;
  }
}

/// 300 benchmarks in 15 minutes, at 0.2 s a round; 200 in five minutes.
TEST(Screening, FindsWhatIsSlowInASuiteOfHundreds) {
  EXPECT_GE(found_percent(60, 300, 1, 0.05, 15, kEven), 80);
  EXPECT_GE(found_percent(60, 300, 1, 0.05, 7, kEven), 80);
  EXPECT_GE(found_percent(10, 200, 10, 0.24, 7, kWithTails), 99);
  // After the pilots the machine got busy, and each round takes twice the time.
  EXPECT_GE(found_percent(10, 200, 10, 0.24, 7, kWithTails, 2), 60);
}

TEST(Screening, FindsIntermittentWork) {
  EXPECT_GE(found_percent(60, 300, 1, 0.2, 15, kEven, 1, true), 80);
  EXPECT_GE(found_percent(10, 200, 10, 0.24, 7, kWithTails, 1, true), 80);
}

void measure(ComparedBenchmark& benchmark, int rounds, double head_s) {
  for (int end = benchmark.last_round() + rounds; benchmark.last_round() < end;) {
    const int round = benchmark.last_round() + 1;
    benchmark.seen.rows.push_back(measured_row("base", round, 1));
    benchmark.seen.rows.push_back(measured_row("head", round, head_s));
  }
  benchmark.judge();
}

TEST(Screening, ItsPairsDoNotCountAgain) {
  ComparedBenchmark benchmark{.id = {"program", "name"}, .timing = {.screening = kScreenPairs}};
  measure(benchmark, kScreenPairs, 2);
  EXPECT_EQ(benchmark.judged.finding.pairs, kScreenPairs);
  EXPECT_TRUE(benchmark.is_open());  // twice as slow, but a screening raises no alarm
  measure(benchmark, kAnalysisPairs.front(), 1);
  EXPECT_EQ(benchmark.judged.finding.pairs, kAnalysisPairs.front());
  EXPECT_EQ(benchmark.judged.finding.ruling, Ruling::ok);
}

TEST(Screening, IsForManyBenchmarksAndLittleTime) {
  const auto pairs = [](std::size_t size, double rounds, double start_s = 0) {
    std::vector<ComparedBenchmark> benchmarks;
    for (std::size_t i = 0; i < size; ++i) {
      benchmarks.push_back(
          {.id = {"program", std::to_string(i)},
           .timing = {.start_s = start_s, .shares_process = start_s > 0, .round_s = 1}});
    }
    return screening_pairs(benchmarks, rounds * (static_cast<double>(size) + 3 * start_s));
  };
  EXPECT_EQ(pairs(4, 8), std::nullopt);
  EXPECT_EQ(pairs(5, 8), 5);
  EXPECT_EQ(pairs(300, 16), std::nullopt);
  EXPECT_EQ(pairs(300, 15), 5);
  EXPECT_EQ(pairs(300, 3.2), 4);
  EXPECT_EQ(pairs(300, 1.8), 1);
  EXPECT_EQ(pairs(300, 0.5), 0);
  EXPECT_EQ(pairs(10, 9, 1000), 1);  // rounds of suspects cost as much as those of all
}

}  // namespace
}  // namespace cliffbench
