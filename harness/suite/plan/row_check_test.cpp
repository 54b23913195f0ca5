#include "harness/suite/plan/row_check.hpp"

#include <gtest/gtest.h>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

Plan two_cells() {
  Plan plan{.run = "r", .seed = 3, .programs = {{"p", {}}}};
  for (const char* variant : {"baseline", "fast"}) {
    Cell cell{.program = "p", .name = std::string("b/") + variant, .variant = variant};
    cell.params = {{"n", "1"}};
    cell.rounds = 2;
    cell.limit_s = 1;
    plan.cells.push_back(cell);
  }
  return plan;
}

Row row_of(const Plan& plan, const Slot& slot) {
  const Cell& cell = plan.cells[slot.cell];
  Row row;
  row.run = plan.run;
  row.program = cell.program;
  row.name = cell.name;
  row.variant = cell.variant;
  row.params = cell.params;
  row.round = slot.round;
  row.position = slot.position;
  return row;
}

std::string refusal(RowCheck& check, const Row& row) {
  try {
    check.take(row);
  } catch (const CannotMeasure& error) {
    return error.what();
  }
  return "";
}

TEST(RowCheck, FindsPlannedTrialsWithoutARow) {
  const Plan plan = two_cells();
  const auto slots = slots_of(plan);
  RowCheck check("ROWS", plan);
  EXPECT_EQ(refusal(check, row_of(plan, slots[2])), "");
  EXPECT_EQ(check.planned(), 4);
  EXPECT_EQ(check.missing(), 3);
  EXPECT_EQ(check.to_do().size(), 3u);
}

TEST(RowCheck, RefusesATrialTwiceAndRowsOfAnotherPlan) {
  const Plan plan = two_cells();
  const Row right = row_of(plan, slots_of(plan)[0]);
  RowCheck check("ROWS", plan);
  const auto changed = [&](auto member, auto value) {
    Row row = right;
    row.*member = value;
    return refusal(check, row).find("ROWS holds a row of another plan") == 0;
  };
  EXPECT_TRUE(changed(&Row::run, "other"));
  EXPECT_TRUE(changed(&Row::variant, "other"));
  EXPECT_TRUE(changed(&Row::name, "other"));
  EXPECT_TRUE(changed(&Row::params, Params{{"n", "2"}}));
  EXPECT_TRUE(changed(&Row::round, 3));
  EXPECT_TRUE(changed(&Row::position, 4));
  EXPECT_EQ(refusal(check, right), "");
  EXPECT_EQ(refusal(check, right).find("ROWS holds two rows of one trial"), 0u);
}

TEST(RowCheck, WithoutAPlanATrialIsItsVariantInItsRound) {
  RowCheck check("ROWS", std::nullopt);
  const Plan plan = two_cells();
  for (const Slot& slot : slots_of(plan)) EXPECT_EQ(refusal(check, row_of(plan, slot)), "");
  Row again = row_of(plan, slots_of(plan)[1]);
  again.position = 77;  // contradicts the first, whichever place it names
  EXPECT_NE(refusal(check, again), "");
  EXPECT_EQ(check.missing(), 0);
}

}  // namespace
}  // namespace cliffbench
