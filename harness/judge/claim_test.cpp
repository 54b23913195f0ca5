#include "harness/judge/claim.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/claim_grammar.hpp"
#include "harness/judge/control.hpp"
#include "harness/judge/interval.hpp"

namespace cliffbench {
namespace {

Case declared() {
  Case made{.name = "made",
            .axes = {{"size", "", {"1", "2", "4", "8"}}},
            .variants = {{"baseline", Role::baseline, ""},
                         {"control", Role::control, ""},
                         {"patched", Role::patch, ""}}};
  made.claims = {{.id = "twice", .text = "twice as fast", .variant = "patched", .range = {2}},
                 {.id = "same",
                  .text = "the same",
                  .variant = "control",
                  .range = {0.9, 1.1},
                  .control = true}};
  return made;
}

Row row(const std::string& variant, int round, double wall_s, const std::string& size = "1") {
  Row made;
  made.run = "run";
  made.variant = variant;
  made.params = {{"size", size}};
  made.round = round;
  made.status = Status::ok;
  made.wall_s = wall_s;
  made.rss_bytes = 1000;
  made.limit_s = 100;
  made.digest = "d";
  return made;
}

/// Six rounds; the baseline drifts, its neighbours with it.
std::vector<Row> rounds(double patched, double control) {
  std::vector<Row> rows;
  for (int round = 1; round <= 6; ++round) {
    const double drift = 1 + round;
    rows.push_back(row("baseline", round, drift));
    rows.push_back(row("control", round, drift * control));
    rows.push_back(row("patched", round, drift * patched * (1 + 0.01 * round)));
  }
  return rows;
}

const Finding& finding(const Judgement& judgement, std::string_view id) {
  for (const Finding& found : judgement.findings) {
    if (found.claim.id == id) return found;
  }
  throw std::runtime_error("no finding " + std::string(id));
}

TEST(Judge, PairsWithinRoundsSoThatDriftCancels) {
  const auto judged = judge_program(declared(), rounds(0.25, 1));
  const Finding& twice = finding(judged, "twice");
  EXPECT_EQ(twice.verdict, Verdict::held);
  EXPECT_NEAR(twice.interval.at->lo, 4 / 1.06, 1e-9);
  EXPECT_NEAR(twice.interval.at->hi, 4 / 1.01, 1e-9);
  EXPECT_EQ(claims_exit_code(judged), 0);
}

/// The patched variant has 1/3 of the memory and 1/5 of the stage, whatever its time is.
TEST(Judge, ComparesMemoryAndAStageAndTakesSeconds) {
  Case made = declared();
  made.claims = {
      {.id = "memory", .quantity = Quantity::memory, .variant = "patched", .range = {2.5}},
      {.id = "stage", .variant = "patched", .of = "copy", .range = {4.5}},
      {.id = "seconds", .quantity = Quantity::time, .variant = "baseline", .range = {2}},
      {.id = "too_long", .quantity = Quantity::time, .variant = "baseline", .range = {9}}};
  auto rows = rounds(0.25, 1);
  for (Row& each : rows) {
    const bool patched = each.variant == "patched";
    each.rss_bytes = patched ? 1000 : 3000;
    each.stages["copy"] = patched ? 0.125 : 0.625;
  }
  const auto judged = judge_program(made, rows);
  for (const char* id : {"memory", "stage", "seconds"}) {
    EXPECT_EQ(finding(judged, id).verdict, Verdict::held) << id;
  }
  EXPECT_NEAR(finding(judged, "memory").interval.at->lo, 3, 1e-9);
  EXPECT_NEAR(finding(judged, "stage").interval.at->hi, 5, 1e-9);
  EXPECT_EQ(finding(judged, "seconds").interval.at->hi, 7);
  EXPECT_EQ(finding(judged, "too_long").verdict, Verdict::refuted);
}

TEST(Judge, AnExponentOverThreeSizesIsNotMeasured) {
  Case made = declared();
  made.axes.push_back({"format", "", {"HTML"}});
  made.claims = {{.id = "grows",
                  .quantity = Quantity::exponent,
                  .variant = "patched",
                  .axis = "size",
                  .range = {0.9, 1.1}}};
  std::vector<Row> rows;
  const auto add = [&](const std::string& size) {
    for (int round = 1; round <= 6; ++round) {
      rows.push_back(row("patched", round, std::stod(size), size));
      rows.back().params["format"] = "HTML";
    }
  };
  for (const char* size : {"1", "2", "4"}) add(size);
  EXPECT_FALSE(finding(judge_program(made, rows), "grows").measured());
  add("8");
  EXPECT_EQ(finding(judge_program(made, rows), "grows").verdict, Verdict::held);
}

TEST(Judge, ATimeThatFallsHasNegativeLocalSlopes) {
  std::vector<Row> rows;
  for (const double size : {1, 2, 4, 8}) {
    for (int round = 1; round <= 6; ++round) {
      rows.push_back(row("patched", round, 1 / size, fmt::format("{:g}", size)));
    }
  }
  const auto judged = judge_program(declared(), rows);
  ASSERT_EQ(judged.exponents.size(), 1);
  ASSERT_EQ(judged.exponents[0].local.size(), 3);
  for (const Interval& local : judged.exponents[0].local) EXPECT_NEAR(local.at->lo, -1, 1e-9);
}

TEST(Judge, RefutesAndIsSurprised) {
  const auto judged = judge_program(declared(), rounds(0.9, 1));
  EXPECT_EQ(finding(judged, "twice").verdict, Verdict::refuted);
  EXPECT_EQ(claims_exit_code(judged), 11);
}

TEST(Judge, ARefutationThatWasExpectedIsFine) {
  Case made = declared();
  made.claims[0].expected = Verdict::refuted;
  EXPECT_EQ(claims_exit_code(judge_program(made, rounds(0.9, 1))), 0);
}

TEST(Judge, IsUndecidedAcrossTheBound) {
  const auto judged = judge_program(declared(), rounds(0.485, 1));
  EXPECT_EQ(finding(judged, "twice").verdict, Verdict::undecided);
  EXPECT_EQ(claims_exit_code(judged), 0);
}

TEST(Judge, IsUndecidedWithFiveRounds) {
  auto rows = rounds(0.1, 1);
  rows.resize(15);
  const Finding twice = finding(judge_program(declared(), rows), "twice");
  EXPECT_EQ(twice.verdict, Verdict::undecided);
  EXPECT_NE(twice.reason.find("5 rounds"), std::string::npos) << twice.reason;
}

/// No clang with libc++, say: it is neither undecided nor a failure.
TEST(Judge, AVariantThatTheMachineCannotRunLeavesItsClaimNotMeasured) {
  auto rows = rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant != "patched") continue;
    made.status = Status::skipped;
    made.reason = "there is no compiler for it";
    made.wall_s.reset();
  }
  const auto judged = judge_program(declared(), rows);
  const Finding twice = finding(judged, "twice");
  EXPECT_EQ(twice.verdict, Verdict::not_measured);
  EXPECT_EQ(twice.reason, "there is no compiler for it");
  EXPECT_TRUE(twice.by_machine);
  EXPECT_FALSE(twice.measured());
  EXPECT_TRUE(twice.as_expected());
  EXPECT_EQ(claims_exit_code(judged), 0);
}

TEST(Judge, SoDoesASkippedVariantWhoseExponentIsClaimedOrThatIsComparedWith) {
  Case made = declared();
  made.claims = {
      {.id = "grows", .quantity = Quantity::exponent, .variant = "patched", .axis = "size"},
      {.id = "slower", .variant = "baseline", .against = "patched"}};
  std::vector<Row> rows;
  for (int round = 1; round <= 6; ++round) {
    for (const char* size : {"1", "2", "4", "8"}) {
      rows.push_back(row("baseline", round, 1, size));
      rows.push_back(row("patched", round, 1, size));
      rows.back().status = Status::skipped;
      rows.back().reason = "not here";
      rows.back().wall_s.reset();
    }
  }
  const auto judged = judge_program(made, rows);
  EXPECT_EQ(judged.findings.size(), 5);
  for (const Finding& found : judged.findings) {
    EXPECT_EQ(found.verdict, Verdict::not_measured) << found.claim.id;
    EXPECT_EQ(found.reason, "not here");
  }
}

/// So many rounds of the baseline, each stopped at its limit of 100 s.
Finding ten_minutes(int stopped, const Bounds& range, Status last = Status::timeout) {
  Case made = declared();
  made.claims = {{.id = "long", .quantity = Quantity::time, .variant = "baseline", .range = range}};
  std::vector<Row> rows;
  for (int round = 1; round <= stopped; ++round) {
    rows.push_back(row("baseline", round, 0));
    rows.back().status = round == stopped ? last : Status::timeout;
    rows.back().wall_s.reset();
  }
  return finding(judge_program(made, rows), "long");
}

TEST(Judge, SixStoppedTrialsDecideALowerBound) {
  const Finding six = ten_minutes(6, {100});
  EXPECT_EQ(six.verdict, Verdict::held);
  EXPECT_EQ(interval_text(six.interval, Quantity::time), ">= 100 s (6 stopped runs)");
  EXPECT_EQ(ten_minutes(6, {0, 99}).verdict, Verdict::refuted);
  EXPECT_EQ(ten_minutes(6, {101}).verdict, Verdict::undecided);      // it may take longer
  EXPECT_EQ(ten_minutes(6, {50, 200}).verdict, Verdict::undecided);  // or not end there
}

TEST(Judge, FiveStoppedTrialsDecideNothing) {
  const Finding five = ten_minutes(5, {100});
  EXPECT_EQ(five.verdict, Verdict::undecided);
  EXPECT_EQ(five.reason, "the bound of 5 stopped rounds decides nothing, an interval needs 6");
  EXPECT_EQ(ten_minutes(6, {100}, Status::skipped).verdict, Verdict::undecided);
}

TEST(Judge, NobodyIsSurprisedByTheVerdictOfAnOpenClaim) {
  for (const double patched : {0.9, 0.25}) {
    Case made = declared();
    made.claims[0].expected = Verdict::undecided;
    const auto judged = judge_program(made, rounds(patched, 1));
    EXPECT_TRUE(finding(judged, "twice").as_expected());
    EXPECT_EQ(claims_exit_code(judged), 0);
  }
}

TEST(Judge, TwoStoppedVariantsAreMeasuredAndCompareNothing) {
  auto rows = rounds(0.25, 1);
  for (Row& made : rows) {
    made.status = Status::timeout;
    made.wall_s.reset();
  }
  EXPECT_EQ(finding(judge_program(declared(), rows), "twice").verdict, Verdict::undecided);
}

TEST(Judge, AVirtualMacDecidesOnlyFactorsOfTwoAndMore) {
  Case made = declared();
  made.claims.push_back({.id = "faster", .variant = "patched", .range = {1.5}});
  made.claims.push_back({.id = "not_slower", .variant = "patched", .range = {1.0 / 3}});
  made.claims.push_back(
      {.id = "agrees", .quantity = Quantity::agreement, .variant = "patched", .range = {1, 1}});
  made.claims.push_back(
      {.id = "seconds", .quantity = Quantity::time, .variant = "baseline", .range = {0, 100}});
  const JudgedMachine hosted{.kind = "Apple M1 (Virtual) arm64", .hosted_mac = true};
  const auto judged = judge_program(made, rounds(0.25, 1.5), hosted);
  EXPECT_EQ(finding(judged, "twice").verdict, Verdict::held);
  EXPECT_EQ(finding(judged, "not_slower").verdict, Verdict::held);
  EXPECT_EQ(finding(judged, "agrees").verdict, Verdict::held);
  for (const char* id : {"faster", "seconds"}) {
    EXPECT_EQ(finding(judged, id).verdict, Verdict::undecided) << id;
    EXPECT_EQ(finding(judged, id).reason, "a virtual macOS decides only claims of 2x and more");
    EXPECT_GT(finding(judged, id).interval.rounds, 0) << "what was seen is shown all the same";
  }
  const auto exit_code = [&](double control, const JudgedMachine& machine) {
    auto alone = judge_program(made, rounds(0.25, control), machine);
    rule_controls(alone, 1);
    return claims_exit_code(alone);
  };
  EXPECT_EQ(exit_code(1.5, hosted), 0)
      << "a control that moved by 1.5 is a virtual machine's noise";
  EXPECT_EQ(exit_code(1.5, {}), 14) << "elsewhere it is not";
  EXPECT_EQ(exit_code(2.5, hosted), 14);
}

TEST(Judge, ADigestThatChangesFromRoundToRoundIsWrongOutput) {
  auto rows = rounds(0.25, 1);
  rows[5].digest = "another";
  const auto judged = judge_program(declared(), rows);
  EXPECT_EQ(judged.cells.back().status, Status::wrong);
  EXPECT_EQ(judged.cells.back().reason, "its output differs from round to round");
}

TEST(Judge, ADifferentDigestIsWrongOutputAndNoRatio) {
  auto rows = rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant == "patched") made.digest = "another";
  }
  const auto judged = judge_program(declared(), rows);
  EXPECT_EQ(finding(judged, "twice").verdict, Verdict::not_measured);
  EXPECT_EQ(finding(judged, "twice").reason,
            "patched ended as wrong_output: its output differs from that of baseline");
  for (const JudgedCell& cell : judged.cells) {
    EXPECT_EQ(cell.status, cell.variant == "patched" ? Status::wrong : Status::ok);
    EXPECT_EQ(cell.with_baseline.has_value(), cell.variant == "control");
  }
  EXPECT_EQ(claims_exit_code(judged), 13);
}

TEST(Judge, AFailedCheckIsWrongOutput) {
  auto rows = rounds(0.25, 1);
  rows[2].status = Status::wrong;
  rows[2].reason = "2 and 2 made 5";
  const auto judged = judge_program(declared(), rows);
  EXPECT_EQ(judged.cells.back().status, Status::wrong);
  EXPECT_EQ(judged.cells.back().reason, "2 and 2 made 5");
}

TEST(Judge, AStoppedBaselineIsALowerBound) {
  auto rows = rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant == "patched") continue;  // the control is stopped too
    made.status = Status::timeout;
    made.wall_s.reset();
  }
  const auto judged = judge_program(declared(), rows);
  const Finding& twice = finding(judged, "twice");
  EXPECT_EQ(twice.verdict, Verdict::held);
  EXPECT_TRUE(std::isinf(twice.interval.at->hi));
  EXPECT_NEAR(twice.interval.at->lo, 100 / (7 * 0.25 * 1.06), 1e-9);
  EXPECT_EQ(claims_exit_code(judged), 0);
  for (const JudgedCell& cell : judged.cells) {
    if (cell.variant != "patched") continue;
    EXPECT_EQ(cell.checked, "oracle only");
  }
}

TEST(Judge, OneStoppedBaselineDecidesNothing) {
  std::vector<Row> rows = {row("baseline", 1, 0), row("patched", 1, 1)};
  rows[0].status = Status::timeout;
  rows[0].wall_s.reset();
  const Finding twice = finding(judge_program(declared(), rows), "twice");
  EXPECT_EQ(twice.verdict, Verdict::undecided);
  EXPECT_EQ(interval_text(twice.interval, Quantity::ratio), ">= 100x (1 stopped run)");
}

TEST(Judge, StoppedPatchedRunsRefuteAndNeverHold) {
  auto rows = rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant != "patched") continue;
    made.status = Status::timeout;
    made.wall_s.reset();
  }
  EXPECT_EQ(finding(judge_program(declared(), rows), "twice").verdict, Verdict::refuted);
}

TEST(Judge, APatchStoppedAtAShorterLimitDoesNotHold) {
  auto rows = rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant != "patched") {
      made.wall_s = 10;
      continue;
    }
    made.status = Status::timeout;
    made.limit_s = 1;  // it took longer: the ratio is anything below 10
    made.wall_s.reset();
  }
  const Finding twice = finding(judge_program(declared(), rows), "twice");
  EXPECT_EQ(twice.verdict, Verdict::undecided);
  EXPECT_EQ(twice.interval.at->lo, 0);
  EXPECT_EQ(interval_text(twice.interval, Quantity::ratio), "<= 10.0x (6 stopped runs)");
}

TEST(Judge, SharesAndExponents) {
  Case made = declared();
  made.claims = {{.id = "share",
                  .text = "half",
                  .quantity = Quantity::share,
                  .variant = "patched",
                  .of = "search",
                  .where = {{"size", "8"}},
                  .range = {0.45, 1}},
                 {.id = "square",
                  .text = "quadratic",
                  .quantity = Quantity::exponent,
                  .variant = "patched",
                  .of = "search",
                  .axis = "size",
                  .range = {1.7, 2.3}}};
  std::vector<Row> rows;
  for (int round = 1; round <= 6; ++round) {
    for (const int size : {1, 2, 4, 8}) {
      // The whole grows less than the stage.
      Row one = row("patched", round, 1.0 * size * size + 8 * size, std::to_string(size));
      one.stages["search"] = 1.0 * size * size;
      rows.push_back(one);
    }
  }
  const auto judged = judge_program(made, rows);
  EXPECT_EQ(finding(judged, "share").verdict, Verdict::held);
  EXPECT_NEAR(finding(judged, "share").interval.median.lo, 0.5, 1e-12);
  EXPECT_EQ(finding(judged, "square").verdict, Verdict::held);
  EXPECT_NEAR(finding(judged, "square").interval.median.lo, 2, 1e-12);
}

TEST(Judge, SaysWhatWasNotMeasured) {
  const Finding twice = finding(judge_program(declared(), {}), "twice");
  EXPECT_EQ(twice.verdict, Verdict::not_measured);
  EXPECT_FALSE(twice.by_machine);
  EXPECT_NE(twice.reason.find("did not measure patched"), std::string::npos);
  EXPECT_EQ(claims_exit_code(judge_program(declared(), {})), 13);
}

TEST(RangeText, SaysBothEndsUnlessOneIsNone) {
  EXPECT_EQ(range_text({1.5}, Quantity::ratio), ">= 1.5x");
  EXPECT_EQ(range_text({0, 1.3}, Quantity::exponent), "<= 1.3");
  EXPECT_EQ(range_text({-0.1, 0.1}, Quantity::exponent), "-0.1 to 0.1");
  EXPECT_EQ(range_text({0.05, 0.25}, Quantity::share), "5 to 25 %");
  EXPECT_EQ(range_text({0.45, 1}, Quantity::share), ">= 45 %");
}

}  // namespace
}  // namespace cliffbench
