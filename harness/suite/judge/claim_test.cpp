#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/stats/interval.hpp"
#include "harness/core/stats/not_a_number_test.hpp"
#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/judge/control.hpp"
#include "harness/suite/judge/made_claims_test.hpp"

namespace cliffbench {
namespace {

TEST(Judge, PairsWithinRoundsSoThatDriftCancels) {
  const auto judged = judge_program(declared_claims(), claim_rounds(0.25, 1));
  const Finding& twice = finding_of(judged, "twice");
  EXPECT_EQ(twice.verdict, Verdict::held);
  EXPECT_NEAR(twice.interval.at->lo, 4 / 1.06, 1e-9);
  EXPECT_NEAR(twice.interval.at->hi, 4 / 1.01, 1e-9);
  EXPECT_EQ(claims_exit_code(judged), 0);
}

/// The patched variant has 1/3 of the memory and 1/5 of the stage, whatever its time is.
TEST(Judge, ComparesMemoryAndAStageAndTakesSeconds) {
  Case made = declared_claims();
  made.claims = {
      {.id = "memory", .quantity = Quantity::memory, .variant = "patched", .range = {2.5}},
      {.id = "stage", .variant = "patched", .of = "copy", .range = {4.5}},
      {.id = "seconds", .quantity = Quantity::time, .variant = "baseline", .range = {2}},
      {.id = "too_long", .quantity = Quantity::time, .variant = "baseline", .range = {9}}};
  auto rows = claim_rounds(0.25, 1);
  for (Row& each : rows) {
    const bool patched = each.variant == "patched";
    each.rss_bytes = patched ? 1000 : 3000;
    each.stages["copy"] = patched ? 0.125 : 0.625;
  }
  const auto judged = judge_program(made, rows);
  for (const char* id : {"memory", "stage", "seconds"}) {
    EXPECT_EQ(finding_of(judged, id).verdict, Verdict::held) << id;
  }
  EXPECT_NEAR(finding_of(judged, "memory").interval.at->lo, 3, 1e-9);
  EXPECT_NEAR(finding_of(judged, "stage").interval.at->hi, 5, 1e-9);
  EXPECT_EQ(finding_of(judged, "seconds").interval.at->hi, 7);
  EXPECT_EQ(finding_of(judged, "too_long").verdict, Verdict::refuted);
}

TEST(Judge, AnExponentOverThreeSizesIsNotMeasured) {
  Case made = declared_claims();
  made.axes.push_back({"format", "", {"HTML"}});
  made.claims = {{.id = "grows",
                  .quantity = Quantity::exponent,
                  .variant = "patched",
                  .axis = "size",
                  .range = {0.9, 1.1}}};
  std::vector<Row> rows;
  const auto add = [&](const std::string& size) {
    for (int round = 1; round <= 6; ++round) {
      rows.push_back(claim_row("patched", round, std::stod(size), size));
      rows.back().params["format"] = "HTML";
    }
  };
  for (const char* size : {"1", "2", "4"}) add(size);
  EXPECT_FALSE(finding_of(judge_program(made, rows), "grows").measured());
  add("8");
  EXPECT_EQ(finding_of(judge_program(made, rows), "grows").verdict, Verdict::held);
}

TEST(Judge, ATimeThatFallsHasNegativeLocalSlopes) {
  std::vector<Row> rows;
  for (const double size : {1, 2, 4, 8}) {
    for (int round = 1; round <= 6; ++round) {
      rows.push_back(claim_row("patched", round, 1 / size, fmt::format("{:g}", size)));
    }
  }
  const auto judged = judge_program(declared_claims(), rows);
  ASSERT_EQ(judged.exponents.size(), 1);
  ASSERT_EQ(judged.exponents[0].local.size(), 3);
  for (const Interval& local : judged.exponents[0].local) EXPECT_NEAR(local.at->lo, -1, 1e-9);
}

TEST(Judge, DecidesNothingByNaNOrInfinity) {
  for (const Range& nowhere : kNowhere) {
    for (const Bounds& range : {Bounds{2, kInf}, {0, 2}, {0.9, 1.1}, {-kInf, kInf}, {kNan, kNan}}) {
      EXPECT_EQ(decide({nowhere, nowhere, 6, 0}, range), Verdict::undecided);
    }
  }
  for (const Range& seen : {Range{1, 1}, {0, 3}, {1, kInf}}) {
    EXPECT_EQ(decide({seen, seen, 6, 0}, {kNan, kNan}), Verdict::undecided);
  }
}

TEST(Judge, RefutesAndIsSurprised) {
  const auto judged = judge_program(declared_claims(), claim_rounds(0.9, 1));
  EXPECT_EQ(finding_of(judged, "twice").verdict, Verdict::refuted);
  EXPECT_EQ(claims_exit_code(judged), 11);
}

TEST(Judge, ARefutationThatWasExpectedIsFine) {
  Case made = declared_claims();
  made.claims[0].expected = Verdict::refuted;
  EXPECT_EQ(claims_exit_code(judge_program(made, claim_rounds(0.9, 1))), 0);
}

TEST(Judge, IsUndecidedAcrossTheBound) {
  const auto judged = judge_program(declared_claims(), claim_rounds(0.485, 1));
  EXPECT_EQ(finding_of(judged, "twice").verdict, Verdict::undecided);
  EXPECT_EQ(finding_of(judged, "twice").open, Open::across_bound);
  EXPECT_EQ(claims_exit_code(judged), 0);
}

TEST(Judge, IsUndecidedWithFiveRounds) {
  auto rows = claim_rounds(0.1, 1);
  rows.resize(15);
  const Finding twice = finding_of(judge_program(declared_claims(), rows), "twice");
  EXPECT_EQ(twice.open, Open::too_few_rounds);
  EXPECT_EQ(twice.reason, "5 rounds give no interval (6 are needed)");
}

/// No clang with libc++, say: it is neither undecided nor a failure.
TEST(Judge, AVariantThatTheMachineCannotRunLeavesItsClaimNotMeasured) {
  auto rows = claim_rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant != "patched") continue;
    made.status = Status::skipped;
    made.reason = "there is no compiler for it";
    made.wall_s.reset();
  }
  const auto judged = judge_program(declared_claims(), rows);
  const Finding twice = finding_of(judged, "twice");
  EXPECT_EQ(twice.verdict, Verdict::not_measured);
  EXPECT_EQ(twice.reason, "there is no compiler for it");
  EXPECT_EQ(twice.open, Open::not_possible);
  EXPECT_FALSE(twice.measured());
  EXPECT_TRUE(twice.as_expected());
  EXPECT_EQ(claims_exit_code(judged), 0);
}

TEST(Judge, ASkippedVariantLeavesItsExponentAndComparisonsNotMeasured) {
  Case made = declared_claims();
  made.claims = {
      {.id = "grows", .quantity = Quantity::exponent, .variant = "patched", .axis = "size"},
      {.id = "slower", .variant = "baseline", .against = "patched"}};
  std::vector<Row> rows;
  for (int round = 1; round <= 6; ++round) {
    for (const char* size : {"1", "2", "4", "8"}) {
      rows.push_back(claim_row("baseline", round, 1, size));
      rows.push_back(claim_row("patched", round, 1, size));
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

TEST(Judge, NoVerdictOfAnOpenClaimIsUnexpected) {
  for (const double patched : {0.9, 0.25}) {
    Case made = declared_claims();
    made.claims[0].expected = Verdict::undecided;
    const auto judged = judge_program(made, claim_rounds(patched, 1));
    EXPECT_TRUE(finding_of(judged, "twice").as_expected());
    EXPECT_EQ(claims_exit_code(judged), 0);
  }
}

TEST(Judge, AVirtualMacDecidesOnlyFactorsOfTwoAndMore) {
  Case made = declared_claims();
  made.claims.push_back({.id = "faster", .variant = "patched", .range = {1.5}});
  made.claims.push_back({.id = "not_slower", .variant = "patched", .range = {1.0 / 3}});
  made.claims.push_back(
      {.id = "agrees", .quantity = Quantity::agreement, .variant = "patched", .range = {1, 1}});
  made.claims.push_back(
      {.id = "seconds", .quantity = Quantity::time, .variant = "baseline", .range = {0, 100}});
  const JudgedMachine hosted{.kind = "Apple M1 (Virtual) arm64", .hosted_mac = true};
  const auto judged = judge_program(made, claim_rounds(0.25, 1.5), hosted);
  EXPECT_EQ(finding_of(judged, "twice").verdict, Verdict::held);
  EXPECT_EQ(finding_of(judged, "not_slower").verdict, Verdict::held);
  EXPECT_EQ(finding_of(judged, "agrees").verdict, Verdict::held);
  for (const char* id : {"faster", "seconds"}) {
    EXPECT_EQ(finding_of(judged, id).verdict, Verdict::undecided) << id;
    EXPECT_EQ(finding_of(judged, id).reason,
              "on a virtual Mac only claims of at least 2x are decided");
    EXPECT_GT(finding_of(judged, id).interval.rounds, 0) << "what was seen is shown all the same";
  }
  const auto exit_code = [&](double control, const JudgedMachine& machine) {
    auto alone = judge_program(made, claim_rounds(0.25, control), machine);
    rule_controls(alone, 1);
    return claims_exit_code(alone);
  };
  EXPECT_EQ(exit_code(1.5, hosted), 0)
      << "a control that moved by 1.5 is a virtual machine's noise";
  EXPECT_EQ(exit_code(1.5, {}), 14) << "elsewhere it is not";
  EXPECT_EQ(exit_code(2.5, hosted), 14);
}

TEST(Judge, ADigestThatChangesFromRoundToRoundIsWrongOutput) {
  auto rows = claim_rounds(0.25, 1);
  rows[5].digest = "another";
  const auto judged = judge_program(declared_claims(), rows);
  EXPECT_EQ(judged.cells.back().status, Status::wrong);
  EXPECT_EQ(judged.cells.back().reason, "its output differs from round to round");
}

TEST(Judge, ADifferentDigestIsWrongOutputAndNoRatio) {
  auto rows = claim_rounds(0.25, 1);
  for (Row& made : rows) {
    if (made.variant == "patched") made.digest = "another";
  }
  const auto judged = judge_program(declared_claims(), rows);
  EXPECT_EQ(finding_of(judged, "twice").verdict, Verdict::not_measured);
  EXPECT_EQ(finding_of(judged, "twice").reason,
            "patched ended as wrong_output: its output differs from that of baseline");
  for (const JudgedCell& cell : judged.cells) {
    EXPECT_EQ(cell.status, cell.variant == "patched" ? Status::wrong : Status::ok);
    EXPECT_EQ(cell.with_baseline.has_value(), cell.variant == "control");
  }
  EXPECT_EQ(claims_exit_code(judged), 13);
}

TEST(Judge, AFailedCheckIsWrongOutput) {
  auto rows = claim_rounds(0.25, 1);
  rows[2].status = Status::wrong;
  rows[2].reason = "2 and 2 made 5";
  const auto judged = judge_program(declared_claims(), rows);
  EXPECT_EQ(judged.cells.back().status, Status::wrong);
  EXPECT_EQ(judged.cells.back().reason, "2 and 2 made 5");
}

TEST(Judge, SharesAndExponents) {
  Case made = declared_claims();
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
      Row one = claim_row("patched", round, 1.0 * size * size + 8 * size, std::to_string(size));
      one.stages["search"] = 1.0 * size * size;
      rows.push_back(one);
    }
  }
  const auto judged = judge_program(made, rows);
  EXPECT_EQ(finding_of(judged, "share").verdict, Verdict::held);
  EXPECT_NEAR(finding_of(judged, "share").interval.median.lo, 0.5, 1e-12);
  EXPECT_EQ(finding_of(judged, "square").verdict, Verdict::held);
  EXPECT_NEAR(finding_of(judged, "square").interval.median.lo, 2, 1e-12);
}

TEST(Judge, SaysWhatWasNotMeasured) {
  const Finding twice = finding_of(judge_program(declared_claims(), {}), "twice");
  EXPECT_EQ(twice.verdict, Verdict::not_measured);
  EXPECT_EQ(twice.open, Open::left_out);
  EXPECT_NE(twice.reason.find("did not measure patched"), std::string::npos);
  EXPECT_EQ(claims_exit_code(judge_program(declared_claims(), {})), 13);
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
