#include "harness/gate/pairs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "harness/core/record/measured_row_test.hpp"

namespace cliffbench {
namespace {

ComparedBenchmark benchmark_of(const std::string& name = "name", double round_s = 1) {
  ComparedBenchmark benchmark{.id = {"program", name}, .timing = {.round_s = round_s}};
  benchmark.judge();
  return benchmark;
}

/// A pair of a head that takes twice as long; after `left` trials the budget is over.
bool measure_pair(ComparedBenchmark& benchmark, std::mt19937_64& random, int& left) {
  ComparedBenchmark* const alone[] = {&benchmark};
  Round round(alone, random);
  for (const std::string& variant : round.variants()) {
    if (left-- <= 0) {
      round.end(false);
      return false;
    }
    std::vector<Row> rows = round.slots(variant);
    rows[0].status = Status::ok;
    rows[0].iterations = 1;
    rows[0].wall_s = rows[0].cpu_s = rows[0].process_s = variant == "head" ? 2 : 1;
    round.keep(std::move(rows));
  }
  round.end(true);
  return true;
}

std::vector<std::string> names_of(const std::vector<ComparedBenchmark*>& turn) {
  std::vector<std::string> names;
  for (const ComparedBenchmark* benchmark : turn) names.push_back(benchmark->id.name);
  std::sort(names.begin(), names.end());
  return names;
}

/// A round ends in its middle, whatever its order was: the twelfth pair decides.
TEST(Round, WhatIsCutShortCountsAsFarAsItWasMeasured) {
  const int first_analysis = 3 * kAnalysisPairs.front();
  for (int count = first_analysis - 3; count <= first_analysis; ++count) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      int left = count;
      std::mt19937_64 random(seed);
      ComparedBenchmark benchmark = benchmark_of();
      int rounds = 0;
      while (!benchmark.judged.finding.decided && measure_pair(benchmark, random, left)) ++rounds;
      EXPECT_EQ(rounds, count / 3);
      EXPECT_EQ(static_cast<int>(benchmark.seen.rows.size()), count);
      int pairs = 0;
      for (const Row& row : benchmark.seen.rows) {
        const bool is_head = row.variant == "head";
        pairs += is_head && std::any_of(benchmark.seen.rows.begin(), benchmark.seen.rows.end(),
                                        [&](const Row& base) {
                                          return base.variant == "base" && base.round == row.round;
                                        });
      }
      EXPECT_EQ(benchmark.judged.finding.pairs, pairs);
      EXPECT_EQ(benchmark.judged.finding.decided, pairs == kAnalysisPairs.front());
    }
  }
}

TEST(NextTurn, HasAllThatAreOpenWhileThereIsTime) {
  std::vector<ComparedBenchmark> benchmarks = {benchmark_of("a"), benchmark_of("b"),
                                               benchmark_of("c")};
  benchmarks[1].judged.finding.decided = true;
  std::mt19937_64 random(1);
  EXPECT_EQ(next_analyses_s(benchmarks), 24);
  EXPECT_EQ(names_of(next_turn(benchmarks, 24, random)), (std::vector<std::string>{"a", "c"}));
  for (ComparedBenchmark& benchmark : benchmarks) benchmark.judged.finding.decided = true;
  EXPECT_TRUE(next_turn(benchmarks, 24, random).empty());
}

/// Begun ones first, then what looks slowest, then what costs least; at least one.
TEST(NextTurn, IsForWhatCanBeDecidedWhereTimeIsShort) {
  std::vector<ComparedBenchmark> benchmarks = {benchmark_of("dear", 2), benchmark_of("cheap"),
                                               benchmark_of("slow", 2), benchmark_of("begun", 2)};
  benchmarks[2].seen.slower = 0.1;
  benchmarks[3].seen.rows.push_back({.round = 1});
  std::mt19937_64 random(1);
  EXPECT_EQ(names_of(next_turn(benchmarks, 1, random)), (std::vector<std::string>{"begun"}));
  EXPECT_EQ(names_of(next_turn(benchmarks, 48, random)),
            (std::vector<std::string>{"begun", "slow"}));
  EXPECT_EQ(names_of(next_turn(benchmarks, 60, random)),
            (std::vector<std::string>{"begun", "cheap", "slow"}));
}

TEST(SuitesOf, HoldOneProgramEachAndAtMostFifty) {
  std::vector<ComparedBenchmark> benchmarks;
  for (int i = 0; i < 120; ++i) benchmarks.push_back(benchmark_of(std::to_string(i)));
  for (size_t i = 0; i < benchmarks.size(); ++i) {
    benchmarks[i].timing.shares_process = i > 0 && i < 110;
    benchmarks[i].id.program = i % 2 ? "odd" : "even";
  }
  std::vector<ComparedBenchmark*> turn;
  for (ComparedBenchmark& benchmark : benchmarks) turn.push_back(&benchmark);
  std::map<size_t, int> sizes;
  for (const auto& suite : suites_of(turn)) {
    ++sizes[suite.size()];
    for (const ComparedBenchmark* one : suite)
      EXPECT_EQ(one->id.program, suite.front()->id.program);
  }
  EXPECT_EQ(sizes, (std::map<size_t, int>{{1, 11}, {4, 1}, {5, 1}, {50, 2}}));
}

TEST(Round, GivesEachItsRowsAndMeasuresAloneWhatHasNone) {
  std::vector<ComparedBenchmark> benchmarks = {benchmark_of("a"), benchmark_of("b")};
  std::vector<ComparedBenchmark*> suite = {&benchmarks[0], &benchmarks[1]};
  for (ComparedBenchmark* one : suite) one->timing.shares_process = true;
  std::mt19937_64 random(1);
  std::map<std::string, int> first;
  for (int round = 1; round <= kAnalysisPairs.front(); ++round) {
    Round round_of_two(suite, random);
    ++first[round_of_two.variants().front()];
    for (const std::string& variant : round_of_two.variants()) {
      std::vector<Row> rows = round_of_two.slots(variant);
      EXPECT_EQ(rows.size(), 2);
      for (Row& row : rows) {
        EXPECT_EQ(row.round, round);
        row.status = Status::ok;
        row.wall_s = row.cpu_s = variant == "head" && row.name == "a" ? 2 : 1;
      }
      if (round == kAnalysisPairs.front() && variant == "head") rows.pop_back();
      round_of_two.keep(std::move(rows));
    }
    round_of_two.end(true);
  }
  EXPECT_EQ(benchmarks[0].judged.finding.ruling, Ruling::regression);
  EXPECT_TRUE(benchmarks[0].timing.shares_process);
  EXPECT_EQ(benchmarks[1].judged.finding.pairs, kAnalysisPairs.front() - 1);
  EXPECT_FALSE(benchmarks[1].timing.shares_process);
  EXPECT_EQ(first.size(), 3u);  // the order is drawn anew each time
}

/// Each process of a round starts once for all that share it.
TEST(Round, ExpectsTheStartOfEachProcessAndEqualParts) {
  for (const bool control : {false, true}) {
    std::vector<ComparedBenchmark> benchmarks = {benchmark_of("a", 1), benchmark_of("b", 3)};
    std::vector<ComparedBenchmark*> suite = {&benchmarks[0], &benchmarks[1]};
    for (ComparedBenchmark* one : suite) {
      one->timing.shares_process = true;
      one->timing.start_s = 2;
      one->timing.control = control;
    }
    std::mt19937_64 random(1);
    Round(suite, random).end(true);
    for (const ComparedBenchmark* one : suite) {
      EXPECT_DOUBLE_EQ(one->seen.expected_s, (3 * 2 + 1 + 3) / 2.0 * (control ? 1 : 2 / 3.0));
    }
    Round(suite, random).end(false);
    EXPECT_LT(benchmarks[0].seen.expected_s, 9);  // what was cut short tells no pace
  }
}

TEST(Metric, IsWallTimeWhereASideWaitsInEachOfThreeRounds) {
  for (const int waits_until : {0, 1, 2, 3}) {
    ComparedBenchmark benchmark{.id = {"program", "name"}};
    for (int round = 1; round <= 4; ++round) {
      for (const char* variant : {"base", "head"}) {
        const bool waits = variant == std::string("head") && round <= waits_until;
        Row row = measured_row(variant, round, 1);
        row.wall_s = waits ? 1.5 : 1;
        row.blocked_s = waits ? 0.5 : 0;
        row.process_cpu_s = 1;
        row.process_s = 1.5;
        benchmark.seen.rows.push_back(row);
      }
      benchmark.judge();
      EXPECT_EQ(benchmark.judged.finding.metric,
                waits_until == 3 && round >= 3 ? Metric::wall : Metric::cpu);
    }
  }
}

}  // namespace
}  // namespace cliffbench
