/// A process's batches have two times, the fastest and the mean: that both are judged, and that two
/// chances make no more false alarms than one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {
namespace {

struct Times {
  double fastest_s = 0, mean_s = 0;
};

Row row(const std::string& variant, int round, const Times& times) {
  Row made = measured_row(variant, round, times.fastest_s);
  made.mean_wall_s = made.mean_cpu_s = times.mean_s;
  return made;
}

GateFinding judged(const Times& head, const Times& control = {1, 1.01},
                   int rounds = kAnalysisPairs.front()) {
  std::vector<Row> rows;
  for (int round = 1; round <= rounds; ++round) {
    rows.push_back(row("base", round, {1, 1.01}));
    rows.push_back(row("head", round, head));
    rows.push_back(row("control", round, control));
  }
  return judge_pairs(rows, {Metric::cpu}, false);
}

TEST(TwoTimes, TheWorseRulingCounts) {
  EXPECT_FALSE(judged({1, 1.01}).by_mean);
  EXPECT_EQ(judged({1, 1.01}).ruling, Ruling::ok);
  EXPECT_EQ(judged({1.1, 1.12}).reason, "slower by more than 2 %");
  EXPECT_EQ(judged({1.1, 1.01}).ruling, Ruling::regression);
  EXPECT_FALSE(judged({1.1, 1.01}).by_mean);
  EXPECT_EQ(judged({0.9, 0.92}).ruling, Ruling::improved);
  EXPECT_EQ(judged({1, 0.8}).ruling, Ruling::improved);
  EXPECT_EQ(judged({0.9, 1.2}).ruling, Ruling::regression);
}

TEST(TwoTimes, AMeanThatRulesNothingOutIsNotOk) {
  std::vector<Row> rows;
  for (int round = 1; round <= kMostPairs; ++round) {
    rows.push_back(row("base", round, {1, 1}));
    rows.push_back(row("head", round, {1, round % 2 ? 1 : 1.25}));
    if (round != kAnalysisPairs.front() && round != kMostPairs) continue;
    const GateFinding found = judge_pairs(rows, {Metric::cpu}, false);
    EXPECT_EQ(found.ruling, Ruling::inconclusive);
    EXPECT_TRUE(found.by_mean);
    EXPECT_EQ(found.decided, round == kMostPairs);
  }
}

TEST(TwoTimes, AControlMovesInEither) {
  const GateFinding found = judged({1, 1.01}, {1, 1.3}, 24);  // 12 are too few for a part of 0.1
  EXPECT_TRUE(found.control_moved);
  EXPECT_NEAR(found.control.median.lo, 1.01 / 1.3, 1e-9);
  EXPECT_TRUE(judged({1, 1.01}, {1.3, 1.01}).control_moved);
}

TEST(TwoTimes, AFaultIsAFault) {
  EXPECT_EQ(judged({0, 1}).ruling, Ruling::not_measured);  // no time has no logarithm
}

TEST(TwoTimes, CountsDoNotExplainWhatIsRare) {
  EXPECT_FALSE(counts_tell(judged({1, 1.2})));
  EXPECT_TRUE(counts_tell(judged({1.2, 1.2})));
}

/// Processes of four batches on a machine that disturbs some of them, up to twofold.
class Processes {
 public:
  explicit Processes(unsigned seed) : random_(seed) {}

  /// Each batch takes three times as long with the chance `rarity`.
  Times next(double factor, double rarity = 0) {
    constexpr int kBatches = 4;
    Times times{INFINITY, 0};
    const double level = factor * (1 + 0.03 * uniform_(random_));
    for (int batch = 0; batch < kBatches; ++batch) {
      double time_s = level;
      if (uniform_(random_) < 0.25) time_s *= 1 + uniform_(random_);
      if (uniform_(random_) < rarity) time_s *= 3;
      times.fastest_s = std::min(times.fastest_s, time_s);
      times.mean_s += time_s / kBatches;
    }
    return times;
  }

 private:
  std::minstd_rand random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

/// One benchmark until it is decided. `head` draws a process.
template <typename Head>
GateFinding decide(const PairRule& rule, Processes& processes, const Head& head) {
  std::vector<Row> rows;
  GateFinding found;
  for (const int pairs : kAnalysisPairs) {
    for (int round = static_cast<int>(rows.size()) / 2 + 1; round <= pairs; ++round) {
      rows.push_back(row("base", round, processes.next(1)));
      rows.push_back(row("head", round, head()));
    }
    found = judge_pairs(rows, {Metric::cpu}, false, rule);
    if (found.decided) break;
  }
  return found;
}

TEST(TwoTimesSimulated, NoMoreFalseAlarmsThanPromised) {
  constexpr double kMargin = 1.02;  // the worst that is no regression, of both times
  const int times = std::getenv("CLIFFBENCH_ALL") ? 2 : 1;
  int by_mean = 0;
  for (const auto& [benchmarks, few] : {std::pair(1, 1000), std::pair(30, 30), std::pair(300, 3)}) {
    const int suites = times * few;
    Processes processes(41);
    const PairRule rule{.decisions = static_cast<std::size_t>(benchmarks)};
    int alarms = 0;
    for (int suite = 0; suite < suites; ++suite) {
      bool alarm = false;
      for (int i = 0; i < benchmarks; ++i) {
        const GateFinding found = decide(rule, processes, [&] { return processes.next(kMargin); });
        alarm |= found.ruling == Ruling::regression;
        by_mean += found.ruling == Ruling::regression && found.by_mean;
      }
      alarms += alarm;
    }
    const double slack = 3 * std::sqrt(kSuiteAlarm / suites);  // standard errors
    EXPECT_LT(1.0 * alarms / suites, kSuiteAlarm + slack) << benchmarks;
  }
  EXPECT_GT(by_mean, 0);  // not for want of trying
}

TEST(TwoTimesSimulated, RareWorkIsFoundAndFivePercentDoesNotPass) {
  Processes processes(43);
  constexpr int kTimes = 500;
  int found = 0;
  int passed = 0;
  for (int i = 0; i < kTimes; ++i) {
    const GateFinding rare = decide({}, processes, [&] { return processes.next(1, 0.25); });
    found += rare.ruling == Ruling::regression;
    passed += decide({}, processes, [&] { return processes.next(1.05); }).ruling == Ruling::ok;
  }
  EXPECT_GT(found, kTimes * 9 / 10);
  EXPECT_LT(passed, kTimes * kMiss + 3 * std::sqrt(kTimes * kMiss));
}

}  // namespace
}  // namespace cliffbench
