#include "harness/gate/ruling.hpp"

#include <gtest/gtest.h>

#include "harness/core/record/measured_row_test.hpp"

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

GateFinding judged(const std::vector<Row>& rows, bool digests = true) {
  return judge_pairs(rows, {Metric::cpu}, digests);
}

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

TEST(JudgePairs, AStoppedHeadIsARegressionWithAnOpenRatio) {
  auto rows = rounds(12, 1);
  for (Row& each : rows) {
    if (each.variant != "head") continue;
    each.status = Status::timeout;
    each.wall_s.reset();
    each.cpu_s.reset();
    each.iterations = 10;  // 100 s for ten: more than 10 s each
  }
  const GateFinding finding = judged(rows);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_EQ(finding.ratio.stopped, 12);
  EXPECT_EQ(finding.ratio.median.lo, 0);
  EXPECT_NEAR(finding.ratio.median.hi, 0.1, 1e-12);
}

TEST(JudgePairs, OtherDigestsAreWrongOutputUnlessTheyAreMeantToDiffer) {
  auto rows = rounds(12, 1);
  for (Row& each : rows) {
    if (each.variant == "head") each.digest = "another";
  }
  const GateFinding finding = judged(rows);
  EXPECT_EQ(finding.ruling, Ruling::wrong_output);
  EXPECT_EQ(finding.reason, "base has the digest 'd', head has 'another'");
  EXPECT_EQ(judged(rows, false).ruling, Ruling::ok);
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

TEST(JudgePairs, AFailedCheckIsWrongOutput) {
  auto rows = rounds(12, 1.1);
  rows[31].status = Status::wrong;
  rows[31].reason = "2 and 2 made 5";
  EXPECT_EQ(judged(rows).ruling, Ruling::wrong_output);
}

TEST(JudgePairs, ABaseThatFailsAsTheControlFails) {
  auto rows = rounds(12, 1);
  rows[32].status = Status::crash;
  rows[32].reason = "ended by signal 11";
  const GateFinding finding = judged(rows);
  EXPECT_EQ(finding.ruling, Ruling::not_measured);
  EXPECT_EQ(finding.reason, "control: ended by signal 11");
}

TEST(JudgePairs, NothingMeasuredIsNotOk) {
  const GateFinding never = judged({});
  EXPECT_EQ(never.ruling, Ruling::inconclusive);
  EXPECT_EQ(never.reason, "the time budget ran out before its first pair");
  EXPECT_EQ(gate_exit_code(std::vector{never}, false), 13);  // nothing ran at all
  const GateFinding few = judged(rounds(3, 1));
  EXPECT_EQ(few.ruling, Ruling::inconclusive);
  EXPECT_EQ(gate_exit_code(std::vector{never, few}, false), 13);
  EXPECT_EQ(gate_exit_code(std::vector{never, few}, true), 13);
}

TEST(JudgePairs, TooFewPairsGiveNoInterval) {
  EXPECT_FALSE(judged(rounds(5, 1)).ratio.at);
  EXPECT_TRUE(judged(rounds(6, 1)).ratio.at);
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

TEST(ExitCode, WorstWins) {
  const auto ruled = [](Ruling ruling) { return GateFinding{.ruling = ruling, .pairs = 12}; };
  GateFinding moved = judged(rounds(12, 1, 1.1));
  const GateFinding crashed = ruled(Ruling::not_measured);
  const GateFinding wrong = ruled(Ruling::wrong_output);
  const GateFinding slower = ruled(Ruling::regression);
  const GateFinding unsure = ruled(Ruling::inconclusive);
  const GateFinding skipped = ruled(Ruling::skipped);
  const GateFinding fine = ruled(Ruling::ok);
  const GateFinding faster = ruled(Ruling::improved);
  const auto code = [](std::vector<GateFinding> findings, bool strict = false) {
    return gate_exit_code(findings, strict);
  };
  EXPECT_EQ(code({fine, faster}), 0);
  EXPECT_EQ(code({fine, faster}, true), 0);
  EXPECT_EQ(code({fine, unsure, skipped}), 0);
  EXPECT_EQ(code({fine, skipped}, true), 0);
  EXPECT_EQ(code({GateFinding{.ruling = Ruling::unchanged}}, true), 0);
  EXPECT_EQ(code({crashed, slower}), 10);  // the rest is said
  EXPECT_EQ(code({wrong, slower}), 10);
  EXPECT_EQ(code({fine, unsure}, true), 12);
  EXPECT_EQ(code({unsure, slower, fine}, true), 10);
  EXPECT_EQ(code({unsure, slower, moved}, true), 14);
  EXPECT_EQ(code({unsure, slower, moved, crashed}, true), 14);
  EXPECT_EQ(code({fine, wrong}), 13);
  EXPECT_EQ(code({moved, wrong}), 14);
  EXPECT_EQ(code({}), 13);  // nothing ran
}

}  // namespace
}  // namespace cliffbench
