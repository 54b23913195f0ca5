#include "harness/gate/counters.hpp"

#include <gtest/gtest.h>

#include "harness/core/record/measured_row_test.hpp"

namespace cliffbench {
namespace {

std::vector<Row> rounds_of(double base, double head) {
  std::vector<Row> rows;
  for (int round = 1; round <= 12; ++round) {
    for (const char* variant : {"base", "head", "control"}) {
      Row row = measured_row(variant, round, 1);
      row.counters["c"] = row.variant == "head" ? head : base;
      rows.push_back(row);
    }
  }
  return rows;
}

TEST(Counter, IsJudgedByWhatIsBetter) {
  const auto ruling = [](double base, double head, bool larger) {
    return judge_counter(rounds_of(base, head), {"c", larger}, {}).ruling;
  };
  EXPECT_EQ(ruling(4, 20, false), Ruling::regression);
  EXPECT_EQ(ruling(4, 20, true), Ruling::improved);
  EXPECT_EQ(ruling(4, 4, false), Ruling::ok);
  EXPECT_EQ(ruling(0, 0, false), Ruling::ok);
  EXPECT_EQ(ruling(0, 5, false), Ruling::regression);
  EXPECT_EQ(ruling(0, 5, true), Ruling::improved);
  EXPECT_TRUE(is_rate("bytes_per_second") && is_rate("hits/s") && is_rate("hit_rate"));
  EXPECT_FALSE(is_rate("allocations"));
}

TEST(Counter, ThatIsMissingOrNegativeIsNotMeasured) {
  std::vector<Row> rows = rounds_of(1, -1);
  EXPECT_EQ(judge_counter(rows, {"c", false}, {}).reason, "head: a trial has a negative counter c");
  rows = rounds_of(1, 1);
  rows.back().counters.clear();
  const GateFinding finding = judge_counter(rows, {"c", false}, {});
  EXPECT_EQ(finding.ruling, Ruling::not_measured);
  EXPECT_EQ(finding.reason, "control: a trial has no counter c");
  EXPECT_TRUE(finding.decided);
  rows.back().status = Status::timeout;  // its limit is a time, and no counter
  rows.back().reason = "stopped at the limit";
  EXPECT_EQ(judge_counter(rows, {"c", false}, {}).reason, "control: stopped at the limit");
}

}  // namespace
}  // namespace cliffbench
