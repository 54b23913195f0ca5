#include "harness/gate/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/core/record/measured_row_test.hpp"

namespace cliffbench {
namespace {

/// Rounds in which a library chooses between 700 and 1400 iterations; t ~ n^exponent, with noise.
std::vector<Row> rounds_of(double exponent, double slowdown, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  std::uniform_real_distribution<double> chosen(700, 1400);
  std::vector<Row> rows;
  for (int round = 1; round <= count; ++round) {
    for (const char* variant : {"base", "head", "control"}) {
      Row row = measured_row(variant, round, 0);
      const bool is_head = row.variant == "head";
      row.iterations = std::llround(chosen(random) / (is_head ? std::sqrt(slowdown) : 1));
      const double n = static_cast<double>(row.iterations);
      row.wall_s = row.cpu_s =
          1e-6 * std::pow(n, exponent) * (is_head ? slowdown : 1) * std::exp(noise(random));
      rows.push_back(row);
    }
  }
  return rows;
}

Ruling ruling_of(const std::vector<Row>& rows) {
  return judge_pairs(rows, at_one_count(rows, {Metric::cpu}), false).ruling;
}

TEST(Growth, IsSeenWhereThereIsOne) {
  EXPECT_NEAR(growth_of(rounds_of(1, 1, 12, 1), Metric::cpu), 1, 0.05);
  EXPECT_NEAR(growth_of(rounds_of(0.5, 1.5, 12, 2), Metric::wall), 0.5, 0.05);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(growth_of(rounds_of(0, 1, 12, seed), Metric::cpu), 0);
  }
}

TEST(Growth, IsSeenFromOneIterationOnAndWithoutThoseThatHaveNone) {
  std::vector<Row> rows;
  for (int round = 1; round <= 18; ++round) {
    rows.push_back(measured_row("base", round, round % 3));
    rows.back().iterations = round % 3;
  }
  EXPECT_DOUBLE_EQ(growth_of(rows, Metric::cpu), 1);
}

/// Without noise; each row has 6 % more iterations than the one before, or 4 %.
double growth_of_power(double exponent, int count, double step = 1.06) {
  std::vector<Row> rows;
  for (int round = 1; round <= count; ++round) {
    const double n = 1e6 * std::pow(step, round);
    rows.push_back(measured_row("base", round, std::pow(n, exponent)));
    rows.back().iterations = std::llround(n);
  }
  return growth_of(rows, Metric::cpu);
}

TEST(Growth, NeedsAnExponentOfATenthAndTwentySlopes) {
  EXPECT_EQ(growth_of_power(0.09, 12), 0);
  EXPECT_NEAR(growth_of_power(0.11, 12), 0.11, 1e-4);
  EXPECT_EQ(growth_of_power(1, 6), 0);          // 15 slopes
  EXPECT_NEAR(growth_of_power(1, 7), 1, 1e-4);  // 21
  EXPECT_EQ(growth_of_power(1, 7, 1.04), 0);    // neighbours are too near: 15
}

TEST(Growth, IsNotGuessedFromEqualCountsOrFewRows) {
  std::vector<Row> rows = rounds_of(1, 1, 12, 1);
  EXPECT_EQ(growth_of(std::span(rows).first(9), Metric::cpu), 0);  // 15 slopes
  for (Row& row : rows) row.iterations = 1000;
  EXPECT_EQ(growth_of(rows, Metric::cpu), 0);
}

TEST(Growth, HidesNothingOfASlowdown) {
  EXPECT_NE(judge_pairs(rounds_of(1, 1.07, 60, 3), {Metric::cpu}, false).ruling,
            Ruling::regression);
  EXPECT_EQ(ruling_of(rounds_of(1, 1.07, 60, 3)), Ruling::regression);
}

/// The exponent comes from base and control alone; still no more alarms than promised.
TEST(Growth, GivesNoFalseAlarms) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    alarms += ruling_of(rounds_of(1, 1.02, 60, seed)) == Ruling::regression;
  }
  EXPECT_LE(alarms, 10);  // 1 % of 400, and three times its scatter
}

}  // namespace
}  // namespace cliffbench
