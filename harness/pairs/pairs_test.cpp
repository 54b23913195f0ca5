#include "harness/pairs/pairs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace cliffbench {
namespace {

/// Yields `trials` observations, of a head that takes twice as long; then the budget is over.
ComparedBenchmark benchmark_of(int& trials, const Budget& budget) {
  const auto observe = [&trials, &budget](double time_s) {
    return [&trials, &budget, time_s](Row& row) {
      if (trials-- <= 0) {
        while (!budget.over()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return false;
      }
      row.status = Status::ok;
      row.iterations = 1;
      row.wall_s = row.cpu_s = row.process_s = time_s;
      return true;
    };
  };
  ComparedBenchmark benchmark;
  benchmark.program = "program";
  benchmark.name = "name";
  benchmark.sides = {{"base", observe(1)}, {"head", observe(2)}};
  return benchmark;
}

/// A round ends in its middle, whatever its order was: the twelfth pair decides.
TEST(PairSchedule, WhatItLeavesOpenIsWhatItsRowsLeaveOpen) {
  const int first_look = 3 * kLookPairs.front();
  for (int trials = first_look - 3; trials <= first_look; ++trials) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      int left = trials;
      size_t rows = 0;
      size_t settled = 0;
      const Budget budget(0.02);
      std::vector<ComparedBenchmark> benchmarks = {benchmark_of(left, budget)};
      PairSchedule schedule(benchmarks, seed, budget,
                            [&settled](const auto&, const auto&) { ++settled; });
      ASSERT_TRUE(measure(schedule, [&rows](const Row&) { ++rows; }));
      const bool decided = benchmarks.front().judge().front().decided;
      EXPECT_EQ(schedule.outlook().open, decided ? 0 : 1) << trials << " trials, seed " << seed;
      EXPECT_EQ(settled, decided ? 1 : 0) << trials << " trials, seed " << seed;
      EXPECT_EQ(rows, benchmarks.front().rows.size());
    }
  }
}

}  // namespace
}  // namespace cliffbench
