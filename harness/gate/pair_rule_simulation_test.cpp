/// The promises of the gate's rule, by simulation with fixed seeds.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/gate/ruling.hpp"

namespace cliffbench {
namespace {

struct Rates {
  double regression = 0;
  double ok = 0;
  double pairs = 0;  ///< on average until decided
};

/// One benchmark until it is decided; `draw` yields ln(t_head / t_base) of one pair.
template <typename Draw>
std::pair<Ruling, size_t> decide(const PairRule& rule, Draw&& draw) {
  std::vector<Range> logs;
  for (const int pairs : kAnalysisPairs) {
    while (std::ssize(logs) < pairs) {
      const double d = draw();
      logs.push_back({d, d});
    }
    if (const auto ruling = decide_pairs(logs, rule)) return {*ruling, logs.size()};
  }
  return {Ruling::inconclusive, logs.size()};
}

template <typename Draw>
Rates simulate(int gates, Draw&& draw, const PairRule& rule = {}) {
  Rates rates;
  for (int gate = 0; gate < gates; ++gate) {
    const auto [ruling, pairs] = decide(rule, draw);
    rates.regression += ruling == Ruling::regression;
    rates.ok += ruling == Ruling::ok;
    rates.pairs += static_cast<double>(pairs);
  }
  for (double* rate : {&rates.regression, &rates.ok, &rates.pairs}) *rate /= gates;
  return rates;
}

/// Independent pairs around a true change.
Rates independent(int gates, double percent, double noise_percent) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(std::log1p(percent / 100), noise_percent / 100);
  return simulate(gates, [&] { return noise(random); });
}

/// Pairs of neighbours in a series that drifts: times of one program have the lag-1 correlation
/// 0.85 and here a deviation of 5 %; head and base follow each other in random order.
Rates neighbours(int gates, double percent) {
  constexpr double kLag1 = 0.85;
  constexpr double kDeviation = 0.05;
  std::mt19937 random(11);
  std::normal_distribution<double> step(0, kDeviation * std::sqrt(1 - kLag1 * kLag1));
  double level = 0;
  const auto next = [&] { return level = kLag1 * level + step(random); };
  return simulate(gates, [&] {
    const double first = next();
    const double second = next();
    return std::log1p(percent / 100) + (random() % 2 ? first - second : second - first);
  });
}

TEST(GateSimulation, ATrueTwoPercentAlarmsAsRarelyAsPromised) {
  for (const double noise : {0.5, 3.0, 20.0}) {  // the bound holds for any noise
    const Rates seen = independent(20000, 2, noise);
    EXPECT_LT(seen.regression, kSuiteAlarm + 0.0025) << noise;  // + 3.5 standard errors
  }
  // Not for want of trying: with much noise it comes near its bound.
  EXPECT_GT(independent(20000, 2, 20).regression, 0.003);
}

TEST(GateSimulation, ATrueFivePercentPassesAsRarelyAsPromised) {
  for (const double noise : {0.5, 3.0, 20.0}) {
    EXPECT_LT(independent(20000, 5, noise).ok, kMiss + 0.0055) << noise;
  }
  EXPECT_GT(independent(20000, 5, 20).ok, 0.01);
}

/// Shares of suites with at least one false alarm, and with a control that moved for nothing, where
/// all benchmarks are slower by exactly the margin: the worst that is no regression.
struct Suites {
  double alarms = 0, moved = 0;
};
Suites suites(int count, size_t benchmarks, size_t decisions) {
  std::mt19937 random(23);
  std::normal_distribution<double> noise(0, 0.04);
  const PairRule rule{.decisions = decisions};
  const double margin = std::log1p(rule.margin);
  Suites seen;
  for (int suite = 0; suite < count; ++suite) {
    bool alarm = false;
    bool moved = false;
    for (size_t i = 0; i < benchmarks; ++i) {
      const auto [ruling, pairs] = decide(rule, [&] { return margin + noise(random); });
      alarm |= ruling == Ruling::regression;
      std::vector<Range> control(pairs);
      for (Range& d : control) d.lo = d.hi = margin + noise(random);
      moved |= differs_from_itself(control, rule);
    }
    seen.alarms += alarm;
    seen.moved += moved;
  }
  return {seen.alarms / count, seen.moved / count};
}

TEST(GateSimulation, AWholeSuiteAlarmsAsRarelyAsOneBenchmark) {
  constexpr int kCount = 300;
  constexpr double kSlack = 0.0175;  // 3 standard errors
  for (const size_t benchmarks : {1, 30, 300}) {
    const Suites seen = suites(kCount, benchmarks, benchmarks);
    EXPECT_LT(seen.alarms, kSuiteAlarm + kSlack) << benchmarks;
    EXPECT_LT(seen.moved, kSuiteAlarm + kSlack) << benchmarks;
    RecordProperty("false alarms of 300 suites of " + std::to_string(benchmarks),
                   std::to_string(seen.alarms * kCount));
  }
  // If each were judged as if it were alone, most suites of 300 would alarm.
  EXPECT_GT(suites(20, 300, 1).alarms, 0.5);
}

TEST(GateSimulation, AmongThreeHundredTenPercentIsFound) {
  std::mt19937 random(29);
  std::normal_distribution<double> noise(std::log1p(0.1), 0.05);
  const Rates seen = simulate(2000, [&] { return noise(random); }, {.decisions = 300});
  EXPECT_GT(seen.regression, 0.98);
  EXPECT_LT(seen.pairs, 40);
}

TEST(GateSimulation, TenAndFivePercentAreFound) {
  EXPECT_GT(neighbours(2000, 10).regression, 0.98);
  const Rates five = neighbours(2000, 5);
  EXPECT_GT(five.regression, 0.95);
  EXPECT_LT(five.pairs, 24);
}

TEST(GateSimulation, OrderWithinAPairMustBeRandom) {
  // The same series with the base always first, on a machine that slows down by 4 % a trial: what
  // the random order cancels becomes an alarm.
  std::mt19937 random(13);
  std::normal_distribution<double> noise(0, 0.01);
  const double drift = std::log(1.04);
  const auto fixed = simulate(300, [&] { return drift + noise(random); });
  const auto drawn = simulate(300, [&] { return (random() % 2 ? drift : -drift) + noise(random); });
  EXPECT_GT(fixed.regression, 0.3);
  EXPECT_EQ(drawn.regression, 0);
}

/// Rulings of gates that end after 1 to 60 pairs, whose noise is 3 % and for each tenth 30 %.
int rulings_at_end(double slowdown, Ruling wanted, int count) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> narrow(0, 0.03);
  std::normal_distribution<double> wide(0, 0.3);
  int rulings = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<Range> pairs(1 + random() % static_cast<unsigned>(kMostPairs));
    for (Range& pair : pairs) {
      pair = exactly(std::log1p(slowdown) + (random() % 10 == 0 ? wide(random) : narrow(random)));
    }
    rulings += decide_pairs(pairs, {.analysis = Analysis::last}) == wanted;
  }
  return rulings;
}

TEST(GateSimulation, TheEndOfABudgetAlarmsAndPassesAsRarelyAsPromised) {
  EXPECT_LE(rulings_at_end(0.02, Ruling::regression, 4000),
            60);                                           // 1 %, and three times its scatter
  EXPECT_LE(rulings_at_end(0.05, Ruling::ok, 4000), 240);  // 5 %, the same
}

}  // namespace
}  // namespace cliffbench
