/// How often a control moves by chance anywhere in a run, and how large a true difference is found,
/// by simulation with fixed seeds. README.md shows the figures.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "harness/suite/judge/control.hpp"

namespace cliffbench {
namespace {

constexpr size_t kControls[] = {13, 70};
constexpr int kRounds[] = {6, 12, 18};
constexpr int kRuns = 500;
constexpr double kSlack = 0.0134;  // 3 standard errors of their share

/// ln(time) of one process after another; all of one program.
using Noise = std::function<double(std::mt19937&)>;

double normal(std::mt19937& random) { return std::normal_distribution<double>(0, 0.15)(random); }

double heavy_tailed(std::mt19937& random) {
  return 0.1 * std::student_t_distribution<double>(2)(random);
}

/// A neighbour slows some processes down, and nothing makes one faster.
double skewed(std::mt19937& random) { return std::exponential_distribution<double>(5)(random); }

/// Half of the processes take 3 times as long as the others: a layout of memory, say.
double two_speeds(std::mt19937& random) {
  return (random() % 2 ? std::log(3) : 0) + std::normal_distribution<double>(0, 0.02)(random);
}

/// Slow and fast times of the machine that last for several processes (correlation 0.85).
Noise drifting() {
  return [level = 0.0](std::mt19937& random) mutable {
    constexpr double kLag1 = 0.85;
    std::normal_distribution<double> step(0, 0.25 * std::sqrt(1 - kLag1 * kLag1));
    return level = kLag1 * level + step(random);
  };
}

/// Whether a control of so many rounds moves; its range is 0.9 to 1.1, it takes `factor` times as
/// long as the baseline, and both are run in random order.
bool moves(double factor, int rounds, size_t controls, const Noise& noise, std::mt19937& random) {
  std::vector<Range> seen;
  for (int round = 0; round < rounds; ++round) {
    const double first = noise(random);
    const double second = noise(random);
    const double difference = random() % 2 ? first - second : second - first;
    seen.push_back(exactly(difference - std::log(factor)));
  }
  const Range median = ratio_interval(seen).median;
  return (median.lo < 0.9 || median.lo > 1.1) && is_beyond_chance(chance_of_mean(seen), controls);
}

/// The share of runs in which a control moves although none differs from its baseline.
double false_alarms(int rounds, size_t controls, const Noise& noise) {
  std::mt19937 random(41);
  int alarms = 0;
  for (int run = 0; run < kRuns; ++run) {
    bool any = false;
    for (size_t i = 0; i < controls; ++i) any |= moves(1, rounds, controls, noise, random);
    alarms += any;
  }
  return static_cast<double>(alarms) / kRuns;
}

TEST(ControlSimulation, ARunWithoutADifferenceHasAMovedControlAsRarelyAsPromised) {
  const std::pair<const char*, Noise> noises[] = {{"normal", normal},
                                                  {"heavy-tailed", heavy_tailed},
                                                  {"skewed", skewed},
                                                  {"drifting", drifting()}};
  double most = 0;
  for (const auto& [name, noise] : noises) {
    for (const int rounds : kRounds) {
      for (const size_t controls : kControls) {
        const double seen = false_alarms(rounds, controls, noise);
        EXPECT_LE(seen, kRunAlarm + kSlack) << name << ", " << rounds << ", " << controls;
        most = std::max(most, seen);
        RecordProperty(fmt::format("{} {} rounds {} controls", name, rounds, controls),
                       fmt::format("{:.2f} %", seen * 100));
      }
    }
  }
  EXPECT_GT(most, kRunAlarm / 2) << "not for want of trying";
}

/// Six rounds cannot tell two speeds from a difference: baseline and control meet the same one each
/// by a chance of 2^-11, which 70 such controls make 3 %.
TEST(ControlSimulation, TwoSpeedsAtEveryPointNeedTwelveRounds) {
  EXPECT_GT(false_alarms(6, 70, two_speeds), 0.015);
  for (const size_t controls : kControls) {
    EXPECT_LT(false_alarms(12, controls, two_speeds), kRunAlarm + kSlack) << controls;
    EXPECT_LT(false_alarms(18, controls, two_speeds), kRunAlarm + kSlack) << controls;
  }
}

/// The share of controls found that take `factor` times as long as the baseline; processes differ
/// by `deviation` (of the logarithm).
double found(double factor, double deviation, int rounds, size_t controls) {
  constexpr int kTries = 1000;
  std::mt19937 random(43);
  std::normal_distribution<double> noise(0, deviation);
  int moved = 0;
  for (int i = 0; i < kTries; ++i) {
    moved += moves(factor, rounds, controls, [&](std::mt19937& r) { return noise(r); }, random);
  }
  return static_cast<double>(moved) / kTries;
}

/// 2 % between processes is what this project's programs have on a quiet machine, 10 % on a busy
/// one.
TEST(ControlSimulation, ControlsOfThreeTimesAndOfThreeQuartersAreFound) {
  for (const size_t controls : kControls) {
    for (const double factor : {3.0, 1 / 3.0, 1 / 0.75, 0.75}) {
      EXPECT_GT(found(factor, 0.02, 6, controls), 0.95) << factor << ", " << controls;
      EXPECT_GT(found(factor, 0.1, 12, controls), 0.75) << factor << ", " << controls;
      EXPECT_GT(found(factor, 0.1, 18, controls), 0.99) << factor << ", " << controls;
    }
    EXPECT_GT(found(3, 0.1, 6, controls), 0.95) << controls;
  }
  for (const int rounds : kRounds) {
    for (const double deviation : {0.02, 0.05, 0.1}) {
      for (const double percent : {12, 15, 20, 33, 50, 100, 200}) {
        RecordProperty(
            fmt::format("+{} %, {} rounds, noise {}", percent, rounds, deviation),
            fmt::format("{:.0f} %", 100 * found(1 + percent / 100, deviation, rounds, 70)));
      }
    }
  }
}

}  // namespace
}  // namespace cliffbench
