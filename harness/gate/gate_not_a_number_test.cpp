/// Every rule of the gate is fed what is no measurement: NaN, 0, a negative number, infinity. None
/// may decide by it. Those of the claims: claim_not_a_number_test.cpp.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/core/stats/not_a_number_test.hpp"
#include "harness/gate/ruling.hpp"
#include "harness/gate/words.hpp"

namespace cliffbench {
namespace {

void expect_text(const GateFinding& finding) {
  const std::string text = ruling_line(finding) + ruling_json(finding).dump();
  for (const char* word : {"nan", "inf ", "infx", "inf%"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << text;
  }
}

TEST(NotANumber, KnownAndPositive) {
  for (const double none : kNone) EXPECT_FALSE(positive(none)) << none;
  for (const double none : {kNan, kInf, -kInf}) EXPECT_FALSE(known(none)) << none;
  EXPECT_EQ(known(-1), -1);
  EXPECT_EQ(known(0), 0);
  EXPECT_EQ(positive(1e-300), 1e-300);
  for (const Range& nowhere : kNowhere) EXPECT_FALSE(nowhere.known());
  for (const Range& somewhere : {Range{0, 0}, {1, kInf}, {-kInf, 1}, {-kInf, kInf}}) {
    EXPECT_TRUE(somewhere.known());
  }
}

TEST(NotANumber, IsNoObservationOfAMedian) {
  for (const Range& nowhere : kNowhere) {
    std::vector<Range> seen(6, {2, 2});
    seen.insert(seen.begin() + 3, 5, nowhere);
    const Interval interval = median_interval(seen);
    EXPECT_EQ(interval.rounds, 6);
    EXPECT_EQ(interval.median, (Range{2, 2}));
    ASSERT_TRUE(interval.at);
    EXPECT_EQ(*interval.at, (Range{2, 2}));
    const Interval none = median_interval(std::vector<Range>(12, nowhere));
    EXPECT_EQ(none.rounds, 0);
    EXPECT_FALSE(none.at);
  }
}

TEST(NotANumber, DecidesNoPairs) {
  for (const Range& nowhere : kNowhere) {
    EXPECT_EQ(decide_pairs(std::vector<Range>(12, nowhere), {}), std::nullopt);
    EXPECT_EQ(decide_pairs(std::vector<Range>(60, nowhere), {}), Ruling::inconclusive);
    std::vector<Range> slower(12, {0.1, 0.1});
    slower.back() = nowhere;  // as far against it as can be
    EXPECT_EQ(decide_pairs(slower, {}), std::nullopt);
  }
}

/// Twelve rounds of one second in which one side shows something else.
std::vector<Row> rounds(const std::string& odd_one, double time_s) {
  std::vector<Row> rows;
  for (int round = 1; round <= 12; ++round) {
    for (const char* variant : {"base", "head", "control"}) {
      rows.push_back(measured_row(variant, round, variant == odd_one ? time_s : 1));
    }
  }
  return rows;
}

TEST(NotANumber, IsNoTimeOfAPair) {
  for (const Metric metric : {Metric::cpu, Metric::wall}) {
    for (const double none : kNone) {
      for (const char* variant : {"base", "head", "control"}) {
        const GateFinding found = judge_pairs(rounds(variant, none), {metric}, false);
        EXPECT_EQ(found.ruling, Ruling::not_measured) << variant << none << found.reason;
        EXPECT_NE(found.reason.find(variant), std::string::npos);
        EXPECT_FALSE(found.control_moved);
        EXPECT_EQ(gate_exit_code(std::vector{found}, false), 13);
      }
    }
  }
}

TEST(NotANumber, IsNoTimeOfOneClockOnly) {
  for (const double none : kNone) {
    auto rows = rounds("", 1);
    for (Row& each : rows) each.cpu_s = none;
    EXPECT_EQ(judge_pairs(rows, {Metric::wall}, false).ruling, Ruling::ok) << none;
    for (Row& each : rows) each.cpu_s.reset();
    EXPECT_EQ(judge_pairs(rows, {Metric::cpu}, false).ruling, Ruling::not_measured);
  }
}

TEST(NotANumber, IsNoLimitOfAStoppedTrial) {
  for (const double none : kNone) {
    auto rows = rounds("", 1);
    for (Row& each : rows) {
      if (each.variant != "head") continue;
      each.status = Status::timeout;
      each.limit_s = none;
    }
    const GateFinding found = judge_pairs(rows, {Metric::cpu}, false);
    EXPECT_EQ(found.ruling, Ruling::not_measured) << none;
    expect_text(found);
  }
}

TEST(NotANumber, MovesNoControl) {
  for (const Range& nowhere : kNowhere) {
    EXPECT_FALSE(differs_from_itself(std::vector<Range>(60, nowhere), {}));
  }
}

TEST(NotANumber, IsNoCount) {
  for (const double none : kNone) {
    for (const Instructions& counted : {Instructions{none, 1000}, {1000, none}, {none, none}}) {
      EXPECT_FALSE(counted.change()) << none;
      GateFinding alone{.ruling = Ruling::regression};
      rule_by_instructions(alone, counted);
      EXPECT_EQ(alone.ruling, Ruling::inconclusive) << none;
      EXPECT_NE(alone.reason.find("cannot be instruction counts"), std::string::npos);
      EXPECT_NE(gate_exit_code(std::vector{alone}, true), 0);
      EXPECT_TRUE(ruling_json(alone)["instructions"]["change"].is_null());
      for (const Ruling by_time : {Ruling::ok, Ruling::regression, Ruling::improved,
                                   Ruling::inconclusive, Ruling::skipped}) {
        GateFinding beside{.ruling = by_time, .pairs = 12};
        add_instructions(beside, counted);
        EXPECT_EQ(beside.ruling, by_time) << none;
        expect_text(beside);
      }
    }
  }
}

GateFinding applied(Ruling by_time, const Evidence& evidence, bool by_instructions,
                    const Range& ratio = {1, 1}) {
  GateReport report;
  report.findings = {{.program = "p", .name = "n", .ruling = by_time, .pairs = 12}};
  report.findings[0].ratio = {ratio, ratio, 12, 0};
  apply_evidence(report, evidence, by_instructions);
  return report.findings[0];
}

TEST(NotANumber, IsNoEvidence) {
  for (const double none : kNone) {
    Evidence evidence;
    evidence.instructions[{"p", "n"}] = {none, none};
    EXPECT_EQ(applied(Ruling::regression, evidence, true).ruling, Ruling::inconclusive);
    EXPECT_EQ(applied(Ruling::regression, evidence, false).ruling, Ruling::regression);
    evidence.unfit = "on battery";
    EXPECT_EQ(applied(Ruling::regression, evidence, false).ruling, Ruling::inconclusive);
  }
  for (const Range& nowhere : kNowhere) {  // beyond noise, where times decide nothing else
    const GateFinding found = applied(Ruling::regression, {.unfit = "hot"}, false, nowhere);
    EXPECT_EQ(found.ruling, Ruling::inconclusive) << nowhere.lo << nowhere.hi;
  }
}

}  // namespace
}  // namespace cliffbench
