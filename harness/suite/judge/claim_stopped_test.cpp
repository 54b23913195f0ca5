#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/core/stats/interval.hpp"
#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/judge/made_claims_test.hpp"

namespace cliffbench {
namespace {

/// So many rounds of the baseline, each stopped at its limit of 100 s.
Finding ten_minutes(int stopped, const Bounds& range, Status last = Status::timeout) {
  Case made = declared_claims();
  made.claims = {{.id = "long", .quantity = Quantity::time, .variant = "baseline", .range = range}};
  std::vector<Row> rows;
  for (int round = 1; round <= stopped; ++round) {
    rows.push_back(claim_row("baseline", round, 0));
    rows.back().status = round == stopped ? last : Status::timeout;
    rows.back().wall_s.reset();
  }
  return finding_of(judge_program(made, rows), "long");
}

TEST(JudgeStopped, SixStoppedTrialsDecideALowerBound) {
  const Finding six = ten_minutes(6, {100});
  EXPECT_EQ(six.verdict, Verdict::held);
  EXPECT_EQ(interval_text(six.interval, Quantity::time), ">= 100 s (6 stopped runs)");
  EXPECT_EQ(ten_minutes(6, {0, 99}).verdict, Verdict::refuted);
  EXPECT_EQ(ten_minutes(6, {101}).verdict, Verdict::undecided);      // it may take longer
  EXPECT_EQ(ten_minutes(6, {50, 200}).verdict, Verdict::undecided);  // or not end there
}

TEST(JudgeStopped, FiveStoppedTrialsDecideNothing) {
  const Finding five = ten_minutes(5, {100});
  EXPECT_EQ(five.open, Open::too_few_rounds);
  EXPECT_EQ(five.reason, "5 stopped rounds give a bound but no interval (6 are needed)");
  EXPECT_EQ(ten_minutes(6, {100}, Status::skipped).verdict, Verdict::undecided);
}

TEST(JudgeStopped, TwoStoppedVariantsAreMeasuredAndCompareNothing) {
  auto rows = claim_rounds(0.25, 1);
  for (Row& made : rows) {
    mark_stopped(made);
  }
  EXPECT_EQ(finding_of(judge_program(declared_claims(), rows), "twice").verdict,
            Verdict::undecided);
}

TEST(JudgeStopped, AStoppedBaselineIsALowerBound) {
  auto rows = claim_rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant == "patched") continue;  // the control is stopped too
    mark_stopped(made);
  }
  const auto judged = judge_program(declared_claims(), rows);
  const Finding& twice = finding_of(judged, "twice");
  EXPECT_EQ(twice.verdict, Verdict::held);
  EXPECT_TRUE(std::isinf(twice.interval.at->hi));
  EXPECT_NEAR(twice.interval.at->lo, 100 / (7 * 0.25 * 1.06), 1e-9);
  EXPECT_EQ(claims_exit_code(judged), 0);
  for (const JudgedCell& cell : judged.cells) {
    if (cell.variant != "patched") continue;
    EXPECT_EQ(cell.checked, "oracle only");
  }
}

TEST(JudgeStopped, OneStoppedBaselineDecidesNothing) {
  std::vector<Row> rows = {claim_row("baseline", 1, 0), claim_row("patched", 1, 1)};
  mark_stopped(rows[0]);
  const Finding twice = finding_of(judge_program(declared_claims(), rows), "twice");
  EXPECT_EQ(twice.verdict, Verdict::undecided);
  EXPECT_EQ(interval_text(twice.interval, Quantity::ratio), ">= 100x (1 stopped run)");
}

TEST(JudgeStopped, StoppedPatchedRunsRefuteAndNeverHold) {
  auto rows = claim_rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant != "patched") continue;
    mark_stopped(made);
  }
  EXPECT_EQ(finding_of(judge_program(declared_claims(), rows), "twice").verdict, Verdict::refuted);
}

TEST(JudgeStopped, APatchStoppedAtAShorterLimitDoesNotHold) {
  auto rows = claim_rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant != "patched") {
      made.wall_s = 10;
      continue;
    }
    mark_stopped(made);
    made.limit_s = 1;  // it took longer: the ratio is anything below 10
  }
  const Finding twice = finding_of(judge_program(declared_claims(), rows), "twice");
  EXPECT_EQ(twice.verdict, Verdict::undecided);
  EXPECT_EQ(twice.interval.at->lo, 0);
  EXPECT_EQ(interval_text(twice.interval, Quantity::ratio), "<= 10.0x (6 stopped runs)");
}

}  // namespace
}  // namespace cliffbench
