#include "harness/gate/ruling.hpp"

#include <gtest/gtest.h>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/core/stats/not_a_number_test.hpp"

namespace cliffbench {
namespace {

Row row(const std::string& variant, int round, double time_s, int session = 1) {
  Row made = measured_row(variant, round, time_s);
  made.program = "program";
  made.name = "name";
  made.session = session;
  made.digest = "d";
  return made;
}

std::vector<Row> rounds(int count, double head_s, double control_s = 1) {
  std::vector<Row> rows;
  for (int round = 1; round <= count; ++round) {
    rows.push_back(row("base", round, 1));
    rows.push_back(row("head", round, head_s));
    rows.push_back(row("control", round, control_s));
  }
  return rows;
}

GateFinding judged(const std::vector<Row>& rows) { return judge_pairs(rows, {Metric::cpu}, true); }

TEST(JudgePairs, PairsWithinRoundsSoThatDriftCancels) {
  std::vector<Row> rows;
  for (int round = 1; round <= 12; ++round) {
    rows.push_back(row("head", round, 1.1 * round));
    rows.push_back(row("base", round, round));
  }
  const GateFinding finding = judged(rows);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_TRUE(finding.decided);
  EXPECT_EQ(finding.pairs, 12);
  EXPECT_NEAR(finding.ratio.at->lo, 1 / 1.1, 1e-12);
  EXPECT_NEAR(finding.ratio.at->hi, 1 / 1.1, 1e-12);
  EXPECT_EQ(finding.program, "program");
  EXPECT_EQ(finding.name, "name");
}

TEST(JudgePairs, APairSplitByAResumeIsNone) {
  auto rows = rounds(12, 1.1);
  for (Row& each : rows) {
    if (each.round == 12 && each.variant == "head") each.session = 2;
  }
  const GateFinding finding = judged(rows);
  EXPECT_EQ(finding.pairs, 11);
  EXPECT_FALSE(finding.decided);
  EXPECT_EQ(finding.reason, "only 11 pairs were measured; the first interim analysis needs 12");
}

TEST(JudgePairs, TheMetricDecidesAndBothClocksAreShown) {
  auto rows = rounds(12, 1);
  for (Row& each : rows) {
    if (each.variant == "head") each.wall_s = 1.1;
  }
  EXPECT_EQ(judge_pairs(rows, {Metric::cpu}, true).ruling, Ruling::ok);
  const GateFinding finding = judge_pairs(rows, {Metric::wall}, true);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_NEAR(finding.wall.median.lo, 1 / 1.1, 1e-12);
  EXPECT_NEAR(finding.cpu.median.lo, 1, 1e-12);
  EXPECT_NEAR(finding.head_s.median.lo, 1.1, 1e-12);
  EXPECT_NEAR(finding.base_s.median.lo, 1, 1e-12);
}

TEST(JudgePairs, ATrialThatFailedIsNotMeasuredAndNeverSlower) {
  for (const Status status : {Status::crash, Status::oom, Status::failed, Status::skipped}) {
    auto rows = rounds(12, 1.1);
    rows[31].status = status;
    rows[31].reason = "ended by signal 11";
    const GateFinding finding = judged(rows);
    EXPECT_EQ(finding.ruling, Ruling::not_measured) << word(status);
    EXPECT_EQ(finding.reason, "head: ended by signal 11");
    EXPECT_TRUE(finding.decided);
    EXPECT_EQ(gate_exit_code(std::vector{finding}, false), 13);
  }
}

TEST(JudgePairs, WhatIsNotANumberIsNotMeasured) {
  for (const double none : kNone) {
    for (const Metric metric : {Metric::cpu, Metric::wall}) {
      for (const size_t odd : {0, 1, 2}) {
        auto rows = rounds(12, 1);
        for (size_t i = odd; i < rows.size(); i += 3) rows[i].cpu_s = rows[i].wall_s = none;
        const GateFinding found = judge_pairs(rows, {metric}, false);
        EXPECT_EQ(found.ruling, Ruling::not_measured) << rows[odd].variant << none;
        EXPECT_TRUE(found.reason.starts_with(rows[odd].variant)) << found.reason;
        EXPECT_FALSE(found.control_moved);
      }
    }
    auto rows = rounds(12, 1);
    for (Row& each : rows) each.cpu_s = none;
    EXPECT_EQ(judge_pairs(rows, {Metric::wall}, false).ruling, Ruling::ok);  // the other clock
    rows = rounds(12, 1);
    for (size_t i = 1; i < rows.size(); i += 3) {
      rows[i].status = Status::timeout;
      rows[i].limit_s = none;
    }
    EXPECT_EQ(judged(rows).ruling, Ruling::not_measured) << none;
  }
}

TEST(JudgePairs, SaysWhereTheIterationCountsDiffer) {
  auto rows = rounds(2, 1);
  EXPECT_FALSE(judged(rows).counts_differ);
  for (Row& each : rows) {
    if (each.variant == "head") each.iterations = 2;
  }
  EXPECT_TRUE(judged(rows).counts_differ);
}

TEST(ControlMoved, OnlyWhenItsPairsLieBeyondTheMargin) {
  EXPECT_FALSE(judged(rounds(12, 1, 1)).control_moved);
  EXPECT_FALSE(judged(rounds(12, 1, 1.019)).control_moved);
  EXPECT_TRUE(judged(rounds(12, 1, 1.021)).control_moved);
  EXPECT_TRUE(judged(rounds(12, 1, 1 / 1.021)).control_moved);
  for (const double control_s : {1.1, 1 / 1.1}) {
    auto rows = rounds(12, 1, control_s);
    for (size_t far : {0, 1}) rows[far * 3 + 2].cpu_s = 1 / control_s;
    EXPECT_FALSE(judged(rows).control_moved) << control_s;
  }
  EXPECT_FALSE(judged(rounds(5, 1, 2)).control_moved);  // too few
}

TEST(ControlMoved, OfASuiteItTakesMore) {
  const auto moved = [](int count, size_t decisions) {
    return judge_pairs(rounds(count, 1, 1.1), {Metric::cpu}, true, {.decisions = decisions})
        .control_moved;
  };
  EXPECT_TRUE(moved(12, 1));
  EXPECT_FALSE(moved(12, 30));
  EXPECT_TRUE(moved(24, 30));
}

TEST(ControlMoved, SaysNothingAboutCountsOfInstructions) {
  GateFinding finding = judged(rounds(12, 1, 1.1));
  ASSERT_TRUE(finding.control_moved);
  rule_by_instructions(finding, {1000, 1000});
  EXPECT_FALSE(finding.control_moved);
  EXPECT_EQ(gate_exit_code(std::vector{finding}, false), 0);
}

TEST(ExitCode, IsThatOfTheWorstAndFineOnlyWhereSomethingWasCompared) {
  const auto ruled = [](Ruling ruling, int pairs = 12) {
    return GateFinding{.ruling = ruling, .decided = ruling != Ruling::inconclusive, .pairs = pairs};
  };
  const GateFinding moved = judged(rounds(12, 1, 1.1));
  const GateFinding crashed = ruled(Ruling::not_measured), wrong = ruled(Ruling::wrong_output),
                    slower = ruled(Ruling::regression), unsure = ruled(Ruling::inconclusive),
                    skipped = ruled(Ruling::skipped, 0), fine = ruled(Ruling::ok, 5),
                    faster = ruled(Ruling::improved), same = ruled(Ruling::unchanged, 0),
                    too_few = ruled(Ruling::inconclusive, 11);
  struct Case {
    std::vector<GateFinding> findings;
    int code, strict;
  };
  const Case cases[] = {{{fine, faster}, 0, 0},
                        {{fine, skipped}, 0, 0},
                        {{fine, unsure, skipped}, 0, 12},
                        {{same}, 0, 0},
                        {{skipped, same}, 0, 0},
                        {{skipped}, 13, 13},
                        {{crashed, slower}, 10, 10},  // the rest is said
                        {{wrong, slower}, 10, 10},
                        {{unsure, slower, fine}, 10, 10},
                        {{unsure, slower, moved, crashed}, 14, 14},
                        {{fine, wrong}, 13, 13},
                        {{moved, wrong}, 14, 14},
                        {{too_few}, 13, 13},
                        {{unsure}, 0, 12},
                        {{too_few, fine}, 0, 12},
                        {{same, too_few}, 13, 13},  // no change is decided
                        {{}, 13, 13}};
  for (const Case& one : cases) {
    const auto at = &one - cases;
    EXPECT_EQ(gate_exit_code(one.findings, false), one.code) << at;
    EXPECT_EQ(gate_exit_code(one.findings, true), one.strict) << at;
  }
}

}  // namespace
}  // namespace cliffbench
