#include "harness/judge/gate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/record/measured_row_test.hpp"

namespace cliffbench {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// `count` pairs of which the head was slower by `percent`.
std::vector<Range> pairs(int count, double percent) {
  const double d = std::log1p(percent / 100);
  return std::vector<Range>(static_cast<size_t>(count), {d, d});
}

/// `slower` pairs 10 % slower among `count` that did not change, in the middle of them.
std::vector<Range> some_slower(int count, int slower, double percent = 10) {
  auto made = pairs(count, 0);
  for (int i = 0; i < slower; ++i) made[static_cast<size_t>(i)] = pairs(1, percent)[0];
  return made;
}

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
  return judge_pairs(rows, Metric::cpu, digests);
}

TEST(SignedRanks, LimitsAreThoseOfTheExactDistribution) {
  // Weights 1, 2 and ten times 3. Sums 0 to 2 are 3 of 4096 (0.0007), 3 would make 14 (0.0034).
  EXPECT_EQ(signed_weight_limit(12, 0.0025), 2);
  EXPECT_EQ(signed_weight_limit(12, 14.0 / 4096), 3);
  EXPECT_EQ(signed_weight_limit(12, 1.0 / 4096), 0);
  EXPECT_EQ(signed_weight_limit(12, 0.9 / 4096), -1);
  EXPECT_EQ(signed_weight_limit(5, 6.0 / 32), 1);  // the test of signs
}

TEST(SignedRanks, LimitsAreThoseOfAllSignsCounted) {
  constexpr int kPairs = 18;
  std::vector<int> with_sum(kPairs * kPairs);
  for (int signs = 0; signs < 1 << kPairs; ++signs) {
    int sum = 0;
    for (int rank = 1; rank <= kPairs; ++rank) {
      if (signs >> (rank - 1) & 1) sum += std::min(rank, 4);
    }
    ++with_sum[static_cast<size_t>(sum)];
  }
  double chance = 0;
  for (int limit = 0; limit < 66; ++limit) {  // 1 + 2 + 3 + 15 * 4
    chance += with_sum[static_cast<size_t>(limit)] / std::ldexp(1, kPairs);
    EXPECT_EQ(signed_weight_limit(kPairs, chance), limit);
  }
}

TEST(SignedRanks, TiesAndWhatIsNotKnownAreAgainst) {
  constexpr double kError = 0.0025;
  auto made = pairs(12, 3);
  EXPECT_TRUE(lie_above(made, std::log1p(0.02), kError));
  made[3] = pairs(1, 1)[0];  // as far below as the others are above: its rank is the highest
  EXPECT_FALSE(lie_above(made, std::log1p(0.02), kError));
  made[3] = pairs(1, 1.9)[0];  // nearer: the lowest
  EXPECT_TRUE(lie_above(made, std::log1p(0.02), kError));
  made[3] = {-kInf, kInf};
  EXPECT_FALSE(lie_above(made, std::log1p(0.02), kError));
  EXPECT_FALSE(lie_above(pairs(12, 2), std::log1p(0.02), kError));  // equal is not above
  EXPECT_TRUE(lie_below(pairs(12, 1), std::log1p(0.02), kError));
}

std::optional<Ruling> decide(const std::vector<Range>& made) { return decide_pairs(made, {}); }

TEST(DecidePairs, AllSlowerIsARegressionAtTheFirstLook) {
  EXPECT_EQ(decide(pairs(12, 10)), Ruling::regression);
  EXPECT_EQ(decide(pairs(11, 10)), std::nullopt);
}

TEST(DecidePairs, TwoFarOffLeaveItOpen) {
  EXPECT_EQ(decide(some_slower(12, 1, 20)), Ruling::ok);    // it weighs 3; up to 5 are allowed
  EXPECT_EQ(decide(some_slower(12, 1, 1000)), Ruling::ok);  // however far it is
  EXPECT_EQ(decide(some_slower(12, 2, 20)), std::nullopt);
  EXPECT_EQ(decide(some_slower(12, 2, 9)), Ruling::ok);  // nearer to 5 % than the others: 1 and 2
  EXPECT_EQ(decide(some_slower(24, 2, 20)), Ruling::ok);
}

TEST(DecidePairs, TheMarginsAreTwoAndFivePercent) {
  EXPECT_EQ(decide(pairs(12, 2.01)), Ruling::regression);  // ok holds too: regression wins
  EXPECT_EQ(decide(pairs(12, 1.99)), Ruling::ok);
  EXPECT_EQ(decide(pairs(12, 2)), Ruling::ok);  // more than the margin is asked for
  auto made = pairs(6, 0);
  for (const Range& d : pairs(6, 4.99)) made.push_back(d);
  EXPECT_EQ(decide(made), Ruling::ok);
}

TEST(DecidePairs, OtherMarginsAreObeyed) {
  EXPECT_EQ(decide_pairs(pairs(12, 6), {.margin = 0.05, .must_find = 0.1}), Ruling::regression);
  EXPECT_EQ(decide_pairs(pairs(12, 4), {.margin = 0.05, .must_find = 0.1}), Ruling::ok);
  EXPECT_EQ(decide_pairs(pairs(12, 1.5), {.margin = 0.01}), Ruling::regression);
  const PairRule rule{.margin = 0.05, .must_find = 0.125};
  EXPECT_EQ(meaning(Ruling::regression, rule), "slower by more than 5 %");
  EXPECT_EQ(meaning(Ruling::ok, rule), "a slowdown of 12.5 % would have shown");
}

TEST(DecidePairs, ManyDecisionsShareTheChanceOfAFalseAlarm) {
  EXPECT_EQ(decide_pairs(pairs(12, 10), {.decisions = 30}), std::nullopt);  // twelve cannot
  EXPECT_EQ(decide_pairs(pairs(24, 10), {.decisions = 300}), Ruling::regression);
  EXPECT_EQ(decide_pairs(pairs(12, 0), {.decisions = 300}), Ruling::ok);  // misses share nothing
}

TEST(DecidePairs, ImprovedIsTheMirrorImage) {
  const auto mirrored = [](std::vector<Range> made) {
    for (Range& d : made) d = {-d.hi, -d.lo};
    return made;
  };
  EXPECT_EQ(decide(mirrored(pairs(12, 2.01))), Ruling::improved);
  EXPECT_EQ(decide(mirrored(pairs(12, 1.99))), Ruling::ok);
}

TEST(DecidePairs, TheFirstLookThatDecidesCounts) {
  auto made = pairs(12, 10);
  for (const Range& d : pairs(48, -10)) made.push_back(d);
  EXPECT_EQ(decide(made), Ruling::regression);
  made = pairs(12, 0);
  for (const Range& d : pairs(48, 10)) made.push_back(d);
  EXPECT_EQ(decide(made), Ruling::ok);
}

TEST(DecidePairs, DecidesNothingBetweenTheLooks) {
  auto made = some_slower(12, 2, 20);
  while (made.size() < 24) {
    EXPECT_EQ(decide(made), std::nullopt) << made.size();
    made.push_back({0, 0});
  }
  EXPECT_EQ(decide(made), Ruling::ok);
}

TEST(DecidePairs, WideAroundThreePercentIsInconclusiveAfterSixty) {
  std::vector<Range> made;
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(decide(made), std::nullopt) << i;
    const double d = std::log1p(0.034) + (i % 2 ? 1 : -1) * (0.1 + 0.01 * (i / 2));
    made.push_back({d, d});
  }
  EXPECT_EQ(decide(made), Ruling::inconclusive);
}

TEST(DecidePairs, AStoppedHeadIsSlowerAndAStoppedPairIsNothing) {
  const double slow = std::log1p(0.1);
  EXPECT_EQ(decide(std::vector<Range>(12, {slow, kInf})), Ruling::regression);
  EXPECT_EQ(decide(std::vector<Range>(12, {-kInf, -slow})), Ruling::improved);
  EXPECT_EQ(decide(std::vector<Range>(12, {0, kInf})), std::nullopt);
  EXPECT_EQ(decide(std::vector<Range>(60, {-kInf, kInf})), Ruling::inconclusive);
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
  EXPECT_EQ(finding.reason, "only 11 pairs were measured; the first look is at 12");
}

TEST(JudgePairs, TheMetricDecidesAndBothClocksAreShown) {
  auto rows = rounds(12, 1);
  for (Row& each : rows) {
    if (each.variant == "head") each.wall_s = 1.1;
  }
  EXPECT_EQ(judge_pairs(rows, Metric::cpu, true).ruling, Ruling::ok);
  const GateFinding finding = judge_pairs(rows, Metric::wall, true);
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
  EXPECT_EQ(finding.reason, "base gave the digest 'd' and head 'another'");
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
  EXPECT_EQ(gate_exit_code(std::vector{never, few}, false), 0);
  EXPECT_EQ(gate_exit_code(std::vector{never, few}, true), 12);
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

/// Every row of the table in the method: what time says, how the count changed, what is ruled.
TEST(AddInstructions, ArbitratesAsTheTableSays) {
  struct Line {
    Ruling time;
    double change;
    Ruling ruled;
    const char* reason;
  };
  const Line table[] = {
      {Ruling::ok, 0, Ruling::ok, ""},
      {Ruling::ok, 0.0049, Ruling::ok, ""},
      {Ruling::ok, 0.006, Ruling::ok, "0.6 % more instructions"},
      {Ruling::ok, 0.2, Ruling::ok, "20.0 % more instructions"},
      {Ruling::regression, 0.1, Ruling::regression, ""},
      {Ruling::regression, 0.0011, Ruling::regression, ""},
      {Ruling::regression, -0.1, Ruling::regression, ""},
      {Ruling::regression, 0.0009, Ruling::regression, "look at memory, latency or alignment"},
      {Ruling::regression, -0.0009, Ruling::regression, "look at memory, latency or alignment"},
      {Ruling::inconclusive, 0, Ruling::inconclusive, "the same number of instructions"},
      {Ruling::inconclusive, 0.01, Ruling::inconclusive, ""},
      {Ruling::inconclusive, 0.1, Ruling::inconclusive, ""},  // there is no interval
      {Ruling::improved, 0, Ruling::improved, "look at memory, latency or alignment"},
      {Ruling::improved, -0.1, Ruling::improved, ""},
      {Ruling::wrong_output, 0, Ruling::wrong_output, ""},
      {Ruling::not_measured, 0, Ruling::not_measured, ""},
  };
  for (const Line& line : table) {
    GateFinding finding{.ruling = line.time};
    add_instructions(finding, {1e6, 1e6 * (1 + line.change)});
    const std::string which = word(line.time) + " " + std::to_string(line.change);
    EXPECT_EQ(finding.ruling, line.ruled) << which;
    if (*line.reason) {
      EXPECT_NE(finding.reason.find(line.reason), std::string::npos) << which;
    } else {
      EXPECT_EQ(finding.reason, "") << which;
    }
    EXPECT_NEAR(*finding.instructions->change(), line.change, 1e-9);
  }
}

TEST(RuleByInstructions, HasTheSameMargin) {
  const auto ruled = [](double change) {
    GateFinding finding{.ruling = Ruling::regression, .reason = "of the time"};
    rule_by_instructions(finding, {1000, 1000 * (1 + change)});
    EXPECT_EQ(finding.metric, Metric::instructions);
    EXPECT_TRUE(finding.decided);
    EXPECT_EQ(finding.reason.find("of the time"), std::string::npos);
    return finding;
  };
  EXPECT_EQ(ruled(0.021).ruling, Ruling::regression);
  EXPECT_EQ(ruled(0.019).ruling, Ruling::ok);
  EXPECT_EQ(ruled(-0.021).ruling, Ruling::improved);
  EXPECT_EQ(ruled(0).reason, "its instructions changed by +0.00 %, the margin is 2 %");
}

TEST(AddInstructions, MoreOfThemDecideWhatIsSlowerByItsWholeInterval) {
  const auto ruled = [](double hi, double change, int count = 60) {
    GateFinding finding{.ruling = Ruling::inconclusive, .pairs = count};
    finding.ratio.at = Range{0.85, hi};
    add_instructions(finding, {1e6, 1e6 * (1 + change)});
    return finding;
  };
  EXPECT_EQ(ruled(0.97, 0.1).ruling, Ruling::regression);
  EXPECT_EQ(ruled(0.97, 0.1).reason,
            "too few pairs are clear, but its whole interval is slower by more than 2 %, and it "
            "executes 10.0 % more instructions");
  EXPECT_EQ(ruled(0.97, 0).ruling, Ruling::inconclusive);  // the pairs alone decide that
  EXPECT_EQ(ruled(0.99, 0).ruling, Ruling::inconclusive);
  EXPECT_EQ(ruled(0.985, 0.1).ruling, Ruling::inconclusive);  // reaches into the margin
  EXPECT_EQ(ruled(0.97, 0.015).ruling, Ruling::inconclusive);
  EXPECT_EQ(ruled(0.97, 0.1, 11).ruling, Ruling::inconclusive);
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
    return judge_pairs(rounds(count, 1, 1.1), Metric::cpu, true, {.decisions = decisions})
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
  EXPECT_EQ(code({skipped}), 0);
  EXPECT_EQ(code({fine, skipped}, true), 0);
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
