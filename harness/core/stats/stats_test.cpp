#include "harness/core/stats/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "harness/core/stats/interval.hpp"
#include "harness/core/stats/not_a_number_test.hpp"

namespace cliffbench {
namespace {

std::vector<Range> exactly(std::initializer_list<double> values) {
  std::vector<Range> ranges;
  for (const double value : values) ranges.push_back({value, value});
  return ranges;
}

TEST(OrderK, KnownAnswers) {
  EXPECT_EQ(order_k(5, 0.025), 0);  // P(Bin(5) = 0) = 3.1 %
  EXPECT_EQ(order_k(6, 0.025), 1);  // 1.6 %
  EXPECT_EQ(order_k(8, 0.025), 1);  // P(<= 1) = 3.5 %
  EXPECT_EQ(order_k(9, 0.025), 2);  // P(<= 1) = 2.0 %
  EXPECT_EQ(order_k(7, 0.005), 0);  // 99 % needs 8
  EXPECT_EQ(order_k(8, 0.005), 1);
  EXPECT_EQ(order_k(40, 0.025), 14);  // tables of the sign test
}

TEST(MedianInterval, SixRoundsGiveTheirExtremes) {
  const auto seen = median_interval(exactly({3, 1, 2, 6, 5, 4}));
  EXPECT_EQ(seen.median, (Range{3.5, 3.5}));
  EXPECT_EQ(seen.at, (Range{1, 6}));
  EXPECT_EQ(seen.rounds, 6);
}

TEST(MedianInterval, FiveRoundsGiveNone) {
  const auto seen = median_interval(exactly({3, 1, 2, 5, 4}));
  EXPECT_EQ(seen.median, (Range{3, 3}));
  EXPECT_FALSE(seen.at);
}

TEST(MedianInterval, NineRoundsDropTheExtremes) {
  EXPECT_EQ(median_interval(exactly({9, 8, 7, 6, 5, 4, 3, 2, 1})).at, (Range{2, 8}));
}

TEST(MedianInterval, StoppedRoundsAreOpenAbove) {
  auto rounds = exactly({2, 2, 2});
  for (int i = 0; i < 3; ++i) rounds.push_back({5, kInf});
  const auto seen = median_interval(rounds);
  EXPECT_EQ(seen.stopped, 3);
  EXPECT_EQ(seen.at->lo, 2);
  EXPECT_EQ(seen.at->hi, kInf);
  EXPECT_EQ(seen.median.lo, 3.5);
  EXPECT_EQ(seen.median.hi, kInf);
}

TEST(MedianInterval, NothingGivesNothing) { EXPECT_EQ(median_interval({}).rounds, 0); }

TEST(MedianInterval, LeavesOutWhatIsNotANumber) {
  for (const double none : kNone) EXPECT_FALSE(positive(none)) << none;
  for (const double none : {kNan, kInf, -kInf}) EXPECT_FALSE(known(none)) << none;
  EXPECT_EQ(known(-1), -1);
  for (const Range& somewhere : {Range{0, 0}, {1, kInf}, {-kInf, 1}, {-kInf, kInf}}) {
    EXPECT_TRUE(somewhere.known());
  }
  for (const Range& nowhere : kNowhere) {
    EXPECT_FALSE(nowhere.known());
    std::vector<Range> seen(6, {2, 2});
    seen.insert(seen.begin() + 3, 5, nowhere);
    const Interval interval = median_interval(seen);
    EXPECT_EQ(interval.rounds, 6);
    EXPECT_EQ(interval.at, (Range{2, 2}));
    EXPECT_EQ(median_interval(std::vector<Range>(12, nowhere)).rounds, 0);
  }
}

TEST(MedianInterval, CoversTheMedianAsPromised) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 1);  // median 1
  int covered = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Range> rounds;
    for (int i = 0; i < 6; ++i) {
      const double value = noise(random);
      rounds.push_back({value, value});
    }
    const auto seen = median_interval(rounds);
    if (seen.at->lo <= 1 && 1 <= seen.at->hi) ++covered;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kRuns, 1 - 2.0 / 64, 0.01);
}

TEST(Slope, OfAPowerIsItsExponent) {
  std::vector<Point> points;
  for (const double n : {1, 2, 4, 8}) {
    const double y = std::log(3 * std::pow(n, 1.9));
    points.push_back({std::log(n), {y, y}});
  }
  EXPECT_NEAR(slope(points)->lo, 1.9, 1e-12);
  EXPECT_TRUE(std::fabs(slope(points)->hi - 1.9) < 1e-12);
  points.back().y.hi = kInf;  // stopped at the largest size: a lower bound remains
  EXPECT_NEAR(slope(points)->lo, 1.9, 1e-12);
  EXPECT_EQ(slope(points)->hi, kInf);
}

/// A quadratic under noise; what takes over the limit is stopped there. The exponent's interval
/// must hold the truth: 97 % of the time while all is measured, and as a lower bound once it is
/// stopped.
TEST(Slope, TheExponentsOfSixRoundsCoverTheTruthAlsoWhereRoundsWereStopped) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.1);
  const auto coverage = [&](double limit) {
    constexpr int kRuns = 2000;
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      std::vector<Range> slopes;
      for (int round = 0; round < 6; ++round) {
        std::vector<Point> points;
        for (const double n : {16, 32, 64, 128, 256}) {
          const double y = std::log(n * n) + noise(random);
          points.push_back({std::log(n), y > limit ? Range{limit, kInf} : Range{y, y}});
        }
        slopes.push_back(*slope(points));
      }
      const auto at = median_interval(slopes).at;
      covered += at->lo <= 2 && 2 <= at->hi;
      if (limit < 10) {
        EXPECT_EQ(at->hi, kInf);  // open above, never a number
      }
    }
    return static_cast<double>(covered) / kRuns;
  };
  EXPECT_NEAR(coverage(100), 1 - 2.0 / 64, 0.012);
  EXPECT_GT(coverage(9), 0.97);
}

/// Small sizes that are stopped give an upper bound, and a stop on both sides gives nothing.
TEST(Slope, AStopBelowTheMiddleIsABoundFromAbove) {
  std::vector<Point> points = {{0, {0, kInf}}, {1, {2, 2}}, {2, {4, 4}}, {3, {6, 6}}};
  EXPECT_EQ(slope(points)->lo, -kInf);
  EXPECT_NEAR(slope(points)->hi, 2, 1e-12);
  points.back().y.hi = kInf;
  EXPECT_EQ(slope(points)->lo, -kInf);
  EXPECT_EQ(slope(points)->hi, kInf);
}

TEST(Slope, NeedsFourSizes) {
  std::vector<Point> points = {{0, {1, 1}}, {1, {2, 2}}, {2, {3, 3}}};
  EXPECT_FALSE(slope(points));
  points.push_back({3, {4, 4}});
  EXPECT_NEAR(slope(points)->lo, 1, 1e-12);
  EXPECT_FALSE(slope(std::vector<Point>(4, {1, {1, 1}})));
}

/// Against the density of Student's t, integrated by Simpson's rule.
TEST(ChanceOfMean, IsThatOfStudentsTest) {
  const auto chance = [](std::initializer_list<double> values) {
    std::vector<Range> seen;
    for (const double value : values) seen.push_back({value, value});
    return chance_of_mean(seen);
  };
  EXPECT_NEAR(chance({1, 2}), 0.20483276469915, 1e-12);
  EXPECT_NEAR(chance({1, 2, 4}), 0.1180828963118, 1e-12);
  EXPECT_NEAR(chance({0.1, -0.2, 0.3, 0.05}), 0.58622511935501, 1e-12);
  EXPECT_NEAR(chance({1, 1.1, 0.9, 1.05, 0.95, 1.2}), 2.6342328250939e-06, 1e-12);
  EXPECT_NEAR(chance({1, 1.1, 0.9, 1.05, 0.95, 1.2, 0.2}), 0.00032966334391737, 1e-12);
  EXPECT_EQ(chance({2, 2, 2}), 0) << "no spread, and not 0";
  EXPECT_EQ(chance({0, 0, 0}), 1);
  EXPECT_EQ(chance({-1, 1}), 1);
  EXPECT_EQ(chance({7}), 1) << "one shows no spread";
}

TEST(ChanceOfMean, UsesTheWeakestValueOfABound) {
  const std::vector<Range> open = {{-1, INFINITY}, {1, INFINITY}, {1, 1}, {NAN, 2}};
  const std::vector<Range> nearest = {{0, 0}, {1, 1}, {1, 1}};
  EXPECT_EQ(chance_of_mean(open), chance_of_mean(nearest));
}

TEST(IntervalJson, HasSevenDigitsOfAnyNumber) {
  const auto median_of = [](double median) {
    nlohmann::json json;
    to_json(json, Interval{.median = {median, median}, .rounds = 1});
    return json.at("median").get<double>();
  };
  EXPECT_EQ(median_of(1.23456789), 1.234568);
  EXPECT_EQ(median_of(0), 0);
  EXPECT_LT(median_of(5e-320), 1e-300);  // std::stod would throw
}

}  // namespace
}  // namespace cliffbench
