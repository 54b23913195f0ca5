#include "harness/suite/judge/control.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/suite/judge/made_claims_test.hpp"

namespace cliffbench {
namespace {

/// The control is claimed at n = 8 only; n = 16 is nobody's.
Case with_control() {
  Case made{.name = "made",
            .axes = {{"n", "", {"1", "2", "4", "8", "16"}}},
            .variants = {{"baseline", Role::baseline, ""},
                         {"control", Role::control, ""},
                         {"patched", Role::patch, ""}}};
  made.claims = {{.id = "same",
                  .variant = "control",
                  .where = {{"n", "8"}},
                  .range = {0.9, 1.1},
                  .control = true},
                 {.id = "small", .variant = "patched", .where = {{"n", "1"}}, .range = {2}},
                 {.id = "large", .variant = "patched", .where = {{"n", "8"}}, .range = {2}},
                 {.id = "grows",
                  .quantity = Quantity::exponent,
                  .variant = "patched",
                  .axis = "n",
                  .range = {0.5, 1.5}}};
  return made;
}

/// Rounds of all sizes but 16; the control takes `control` times as long at n = 1.
std::vector<Row> rounds(double control, int count = 6) {
  std::vector<Row> rows;
  for (const int n : {1, 2, 4, 8}) {
    for (int round = 1; round <= count; ++round) {
      for (const auto& [variant, slower] : std::vector<std::pair<std::string, double>>{
               {"baseline", 1}, {"control", n == 1 ? control : 1}, {"patched", 0.25}}) {
        const bool odd = (round + (variant == "control")) % 2;  // a ratio of 1.01 or 1 / 1.01
        Row made = claim_row(variant, round, n * slower * (odd ? 1.01 : 1));
        made.params = {{"n", std::to_string(n)}};
        made.rss_bytes = 1'000'000;
        made.page_faults = 4;
        rows.push_back(made);
      }
    }
  }
  return rows;
}

Judgement judged(const std::vector<Row>& rows, size_t controls) {
  Judgement judgement = judge_program(with_control(), rows);
  rule_controls(judgement, controls);
  return judgement;
}

const Finding& finding(const Judgement& judgement, const std::string& id, const std::string& n) {
  for (const Finding& found : judgement.findings) {
    const bool is_there = n.empty() || (found.at.contains("n") && found.at.at("n") == n);
    if (found.claim.id == id && is_there) return found;
  }
  throw std::runtime_error("no finding " + id + " at " + n);
}

TEST(Controls, AreJudgedAtEveryPointThatHasThem) {
  const Judgement quiet = judged(rounds(1), 4);
  EXPECT_EQ(controls_of(quiet), 4);
  for (const char* n : {"1", "2", "4", "8"}) {
    EXPECT_EQ(steadiness(finding(quiet, "same", n)), Steadiness::within) << n;
  }
  EXPECT_EQ(claims_exit_code(quiet), 0);
}

TEST(Controls, OneThatMovesVoidsOnlyItsPoint) {
  const Judgement moved = judged(rounds(3), 70);
  EXPECT_EQ(steadiness(finding(moved, "same", "1")), Steadiness::moved);
  EXPECT_EQ(steadiness(finding(moved, "same", "8")), Steadiness::within);
  EXPECT_EQ(finding(moved, "small", "").verdict, Verdict::unproven);
  EXPECT_EQ(finding(moved, "small", "").reason, "would be held, but the control moved at n:1");
  EXPECT_EQ(finding(moved, "large", "").verdict, Verdict::held);
  EXPECT_EQ(finding(moved, "grows", "").verdict, Verdict::unproven) << "its line has the point";
  for (const JudgedCell& cell : moved.cells) {
    if (!cell.with_baseline) continue;
    EXPECT_EQ(cell.with_baseline->control_moved, cell.params.at("n") == "1");
  }
  EXPECT_EQ(claims_exit_code(moved), 14);
}

TEST(Controls, AnExponentNeedsOnlyThePointsOfItsLine) {
  auto rows = rounds(3);
  for (Row& row : rows) {  // nobody measured the patch at n = 1
    if (row.variant != "patched" || row.params["n"] != "1") continue;
    row.params["n"] = "16";
    *row.wall_s *= 16;
  }
  EXPECT_EQ(finding(judged(rows, 4), "grows", "").verdict, Verdict::held);
}

TEST(Controls, ASmallDifferenceOrOneByChanceIsNoMove) {
  auto rows = rounds(1);
  for (Row& row : rows) {  // four rounds of six far away: the median is, too
    if (row.variant == "control" && row.params["n"] == "1" && row.round > 2) *row.wall_s *= 1.3;
  }
  const Judgement wide = judged(rows, 4);
  EXPECT_EQ(steadiness(finding(wide, "same", "1")), Steadiness::too_wide);
  EXPECT_NE(finding(wide, "same", "1")
                .reason.find("chance may explain it (limit: 1 in 400 for 4 controls)"),
            std::string::npos)
      << finding(wide, "same", "1").reason;
  EXPECT_EQ(finding(wide, "small", "").verdict, Verdict::held);
  EXPECT_EQ(claims_exit_code(wide), 0);
  const Judgement small = judged(rounds(1.05, 100), 4);
  EXPECT_EQ(steadiness(finding(small, "same", "1")), Steadiness::within)
      << "certain, and no matter";
}

/// The more controls a run has, the less of each may be chance.
TEST(Controls, ShareTheirRunsChance) {
  EXPECT_TRUE(is_beyond_chance(0.009, 1));
  EXPECT_FALSE(is_beyond_chance(0.009, 2));
  EXPECT_TRUE(is_beyond_chance(0.00014, 70));
  EXPECT_FALSE(is_beyond_chance(0.00015, 70));
}

TEST(Controls, StoppedOnOneSideMoveNothingByABoundThatReachesOverOne) {
  auto rows = rounds(3);
  for (Row& row : rows) {
    if (row.variant != "control" || row.params["n"] != "1") continue;
    row.status = Status::timeout;
    row.wall_s.reset();
    row.limit_s = 0.5;  // less than the baseline took
  }
  EXPECT_EQ(steadiness(finding(judged(rows, 4), "same", "1")), Steadiness::too_wide);
  for (Row& row : rows) row.limit_s = 100;
  EXPECT_EQ(steadiness(finding(judged(rows, 4), "same", "1")), Steadiness::moved);
}

/// The counters that are said beside the patched variant's ratio at n = 1.
std::string counters(const std::function<void(Row& patched)>& change) {
  auto rows = rounds(1);
  for (Row& row : rows) {
    if (row.variant == "patched" && row.params["n"] == "1") change(row);
  }
  const Judgement judgement = judged(rows, 4);
  return cell_at(judgement.cells, {{"n", "1"}}, "patched")->with_baseline->counters;
}

TEST(Counters, AreShownIfTheDifferenceMatters) {
  EXPECT_EQ(counters([](Row&) {}), "");
  EXPECT_EQ(counters([](Row& row) { row.page_faults = 5000; }),
            "baseline 4 page faults a call, patched 5000");
  EXPECT_EQ(counters([](Row& row) { row.page_faults = 2000; }), "") << "2 ms of 250";
  EXPECT_EQ(counters([](Row& row) { row.rss_bytes = 500'000; }),
            "baseline 1.00 MB of memory, patched 500 kB");
  EXPECT_EQ(counters([](Row& row) { row.rss_bytes = 950'000; }), "") << "within a tenth";
  EXPECT_EQ(counters([](Row& row) { row.rss_bytes = row.round == 1 ? 2'000'000 : 500'000; }), "")
      << "their intervals overlap";
}

TEST(Counters, OfAnotherOutputAreNotCompared) {
  Case made = with_control();
  made.variants[2].equals = "";
  auto rows = rounds(1);
  for (Row& row : rows) {
    if (row.variant != "patched") continue;
    row.digest = "another";
    row.rss_bytes = 1000;
  }
  const Judgement judgement = judge_program(made, rows);
  EXPECT_EQ(cell_at(judgement.cells, {{"n", "1"}}, "patched")->with_baseline->counters, "");
}

}  // namespace
}  // namespace cliffbench
