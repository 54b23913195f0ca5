#include "harness/gate/pairs.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

ComparedBenchmark benchmark_of(const std::string& name = "name", double round_s = 1) {
  ComparedBenchmark benchmark{.program = "program", .name = name, .pilot = {.round_s = round_s}};
  benchmark.judge();
  return benchmark;
}

/// A head that takes twice as long; after `left` trials the budget is over.
MeasureTrial trials(int& left) {
  return [&left](Row& row) {
    if (left-- <= 0) return false;
    row.status = Status::ok;
    row.iterations = 1;
    row.wall_s = row.cpu_s = row.process_s = row.variant == "head" ? 2 : 1;
    return true;
  };
}

std::vector<std::string> names_of(const std::vector<ComparedBenchmark*>& turn) {
  std::vector<std::string> names;
  for (const ComparedBenchmark* benchmark : turn) names.push_back(benchmark->name);
  std::sort(names.begin(), names.end());
  return names;
}

/// A round ends in its middle, whatever its order was: the twelfth pair decides.
TEST(MeasurePair, WhatIsCutShortCountsAsFarAsItWasMeasured) {
  const int first_look = 3 * kLookPairs.front();
  for (int count = first_look - 3; count <= first_look; ++count) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      int left = count;
      std::mt19937_64 random(seed);
      ComparedBenchmark benchmark = benchmark_of();
      int rounds = 0;
      while (!benchmark.finding.decided && measure_pair(benchmark, random, trials(left))) ++rounds;
      EXPECT_EQ(rounds, count / 3);
      EXPECT_EQ(benchmark.rounds, rounds);
      EXPECT_EQ(static_cast<int>(benchmark.rows.size()), count);
      int pairs = 0;
      for (const Row& row : benchmark.rows) {
        const bool is_head = row.variant == "head";
        pairs += is_head &&
                 std::any_of(benchmark.rows.begin(), benchmark.rows.end(), [&](const Row& base) {
                   return base.variant == "base" && base.round == row.round;
                 });
      }
      EXPECT_EQ(benchmark.finding.pairs, pairs);
      EXPECT_EQ(benchmark.finding.decided, pairs == kLookPairs.front());
    }
  }
}

TEST(NextTurn, HasAllThatAreOpenWhileThereIsTime) {
  std::vector<ComparedBenchmark> benchmarks = {benchmark_of("a"), benchmark_of("b"),
                                               benchmark_of("c")};
  benchmarks[1].finding.decided = true;
  std::mt19937_64 random(1);
  EXPECT_EQ(next_looks_s(benchmarks), 24);
  EXPECT_EQ(names_of(next_turn(benchmarks, 24, random)), (std::vector<std::string>{"a", "c"}));
  for (ComparedBenchmark& benchmark : benchmarks) benchmark.finding.decided = true;
  EXPECT_TRUE(next_turn(benchmarks, 24, random).empty());
}

/// Begun ones first, then what looks slowest, then what costs least; at least one.
TEST(NextTurn, IsForWhatCanBeDecidedWhereTimeIsShort) {
  std::vector<ComparedBenchmark> benchmarks = {benchmark_of("dear", 2), benchmark_of("cheap"),
                                               benchmark_of("slow", 2), benchmark_of("begun", 2)};
  benchmarks[2].pilot.lead = 0.1;
  benchmarks[3].rows.emplace_back();
  std::mt19937_64 random(1);
  EXPECT_EQ(names_of(next_turn(benchmarks, 1, random)), (std::vector<std::string>{"begun"}));
  EXPECT_EQ(names_of(next_turn(benchmarks, 48, random)),
            (std::vector<std::string>{"begun", "slow"}));
  EXPECT_EQ(names_of(next_turn(benchmarks, 60, random)),
            (std::vector<std::string>{"begun", "cheap", "slow"}));
}

}  // namespace
}  // namespace cliffbench
