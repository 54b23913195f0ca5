/// What the gate's rule promises, by simulation with fixed seeds.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/judge/gate.hpp"

namespace cliffbench {
namespace {

struct Rates {
  double regression = 0;
  double ok = 0;
  double pairs = 0;  ///< on average until decided
};

/// `draw` yields ln(t_head / t_base) of one pair.
template <typename Draw>
Rates simulate(int gates, Draw&& draw) {
  Rates rates;
  for (int gate = 0; gate < gates; ++gate) {
    std::vector<Range> logs;
    std::optional<Ruling> ruling;
    for (const int pairs : kLookPairs) {
      while (std::ssize(logs) < pairs) {
        const double d = draw();
        logs.push_back({d, d});
      }
      ruling = decide_pairs(logs);
      if (ruling) break;
    }
    rates.regression += *ruling == Ruling::regression;
    rates.ok += *ruling == Ruling::ok;
    rates.pairs += static_cast<double>(logs.size());
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
    EXPECT_LT(seen.regression, 0.0035 + 0.0015) << noise;  // + 3.5 standard errors
  }
  // Not for want of trying: with much noise it comes near its bound.
  EXPECT_GT(independent(20000, 2, 20).regression, 0.001);
}

TEST(GateSimulation, ATrueFivePercentPassesAsRarelyAsPromised) {
  for (const double noise : {0.5, 3.0, 20.0}) {
    EXPECT_LT(independent(20000, 5, noise).ok, 0.030 + 0.0045) << noise;
  }
  EXPECT_GT(independent(20000, 5, 20).ok, 0.01);
}

TEST(GateSimulation, NoChangeGivesNoAlarm) {
  EXPECT_EQ(neighbours(3000, 0).regression, 0);
  EXPECT_GT(neighbours(3000, 0).ok, 0.95);
}

TEST(GateSimulation, TenAndFivePercentAreFound) {
  EXPECT_GT(neighbours(2000, 10).regression, 0.98);
  const Rates five = neighbours(2000, 5);
  EXPECT_GT(five.regression, 0.9);
  EXPECT_LT(five.pairs, 30);
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

TEST(GateSimulation, TheIntervalCoversItsMedianAtEveryLook) {
  std::mt19937 random(17);
  std::lognormal_distribution<double> noise(0, 0.1);  // median 1, not symmetric
  for (const int pairs : kLookPairs) {
    constexpr int kGates = 3000;
    int covered = 0;
    for (int gate = 0; gate < kGates; ++gate) {
      std::vector<Range> seen;
      for (int i = 0; i < pairs; ++i) {
        const double value = noise(random);
        seen.push_back({value, value});
      }
      const auto at = median_interval(seen).at;
      covered += at->lo <= 1 && 1 <= at->hi;
    }
    const double coverage = static_cast<double>(covered) / kGates;
    EXPECT_GT(coverage, 0.95 - 0.012) << pairs;  // 3 standard errors
    EXPECT_LT(coverage, 0.985) << pairs;         // and it is not wider than it must be
  }
}

}  // namespace
}  // namespace cliffbench
