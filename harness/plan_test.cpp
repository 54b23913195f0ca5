#include "harness/plan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "harness/text.hpp"

namespace cliffbench {
namespace {

Description made() {
  Description description;
  description.declared = {.name = "made",
                          .subject = {"thing-1", "1", ""},
                          .axes = {{"n", "", {"1", "2", "4"}}, {"mode", "", {"a", "b"}}},
                          .variants = {{"baseline", Role::baseline, ""}, {"fast", Role::patch, ""}},
                          .profiles = {{"quick",
                                        "",
                                        {{{{"n", {"1", "2"}}}, {"baseline", "fast"}, 6},
                                         {{{"n", {"2", "4"}}}, {"fast"}, 3, 7}}}},
                          .limit_s = 5};
  return description;
}

TEST(ChooseCells, TakesAProfilesCellsOnce) {
  const auto cells = choose_cells("made@thing-1", made(), {.profile = "quick"});
  std::set<std::string> names;
  for (const Cell& cell : cells) names.insert(cell.name);
  EXPECT_EQ(names, (std::set<std::string>{
                       "made/n:1/mode:a/variant:baseline", "made/n:1/mode:a/variant:fast",
                       "made/n:2/mode:a/variant:baseline", "made/n:2/mode:a/variant:fast",
                       "made/n:4/mode:a/variant:fast"}));
  EXPECT_EQ(cells.size(), 5u);
  for (const Cell& cell : cells) {
    EXPECT_EQ(cell.rounds, cell.params.at("n") == "4" ? 3 : 6) << cell.name;
    EXPECT_EQ(cell.limit_s, cell.params.at("n") == "1" || cell.variant == "baseline" ? 5 : 7);
  }
}

TEST(ChooseCells, FlagsRestrictAProfileAndCrossWithoutOne) {
  EXPECT_EQ(choose_cells("p", made(), {.profile = "quick", .axes = {{"n", {"4"}}}}).size(), 1u);
  EXPECT_EQ(choose_cells("p", made(), {}).size(), 12u);
  EXPECT_EQ(choose_cells("p", made(), {.variants = {"fast"}}).size(), 6u);
}

TEST(CheckWish, NamesWhatWouldBeRight) {
  const std::map<std::string, Description> programs = {{"p", made()}};
  const auto message = [&](const Wish& wish) -> std::string {
    try {
      check_wish(programs, wish);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.profile = "quick"}), "");
  EXPECT_EQ(message({.profile = "slow"}), "there is no profile 'slow'; it is one of quick");
  EXPECT_EQ(message({.axes = {{"m", {"1"}}}}), "there is no axis 'm'; it is one of mode, n");
  EXPECT_EQ(message({.axes = {{"n", {"3"}}}}),
            "there is no value of axis 'n' '3'; it is one of 1, 2, 4");
  EXPECT_EQ(message({.variants = {"slow"}}),
            "there is no variant 'slow'; it is one of baseline, fast");
}

TEST(Schedule, RunsEachCellOnceARoundWithItsVariantsAsNeighbours) {
  const auto cells = choose_cells("p", made(), {.rounds = 6});
  const auto slots = schedule(cells, 7);
  ASSERT_EQ(slots.size(), cells.size() * 6);
  std::set<std::pair<size_t, int>> seen;
  for (size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(slots[i].position, static_cast<int>(i));
    EXPECT_EQ(slots[i].round, static_cast<int>(i / cells.size()) + 1);
    EXPECT_TRUE(seen.insert({slots[i].cell, slots[i].round}).second);
    const size_t partner = i % 2 ? i - 1 : i + 1;  // two variants a point
    EXPECT_EQ(cells[slots[i].cell].params, cells[slots[partner].cell].params);
  }
}

TEST(Schedule, IsFixedByItsSeed) {
  const auto cells = choose_cells("p", made(), {.rounds = 6});
  const auto order = [&](std::uint64_t seed) {
    std::vector<size_t> numbers;
    for (const Slot& slot : schedule(cells, seed)) numbers.push_back(slot.cell);
    return numbers;
  };
  EXPECT_EQ(order(7), order(7));
  EXPECT_NE(order(7), order(8));
  const auto first = order(7);
  // Written down once: another standard library must give the same order.
  EXPECT_EQ(std::vector<size_t>(first.begin(), first.begin() + 6),
            (std::vector<size_t>{11, 10, 2, 3, 9, 8}));
}

TEST(Magnitude, ReadsNumbersAndProducts) {
  EXPECT_EQ(magnitude("8"), 8);
  EXPECT_EQ(magnitude("3072x2048"), 3072.0 * 2048);
  EXPECT_FALSE(magnitude("HTML"));
  EXPECT_FALSE(magnitude("3x"));
  EXPECT_FALSE(magnitude(""));
  EXPECT_FALSE(magnitude("-1"));
}

TEST(IsLarger, NeedsTheSameThingAtALargerSize) {
  const auto cells = choose_cells("p", made(), {});
  const auto cell = [&](const char* name) {
    for (const Cell& one : cells) {
      if (one.name == name) return one;
    }
    throw std::runtime_error(name);
  };
  const Cell small = cell("made/n:1/mode:a/variant:fast");
  EXPECT_TRUE(is_larger(cell("made/n:4/mode:a/variant:fast"), small));
  EXPECT_FALSE(is_larger(small, small));
  EXPECT_FALSE(is_larger(cell("made/n:4/mode:b/variant:fast"), small));
  EXPECT_FALSE(is_larger(cell("made/n:4/mode:a/variant:baseline"), small));
}

TEST(Plan, SurvivesItsJson) {
  Plan plan{"run", 18446744073709551615u, "quick", choose_cells("p", made(), {}), {{"p", "abc"}}};
  const Plan read = parse_plan(nlohmann::json::parse(plan_json(plan).dump()));
  EXPECT_EQ(plan_json(read), plan_json(plan));
  EXPECT_EQ(read.seed, plan.seed);
}

}  // namespace
}  // namespace cliffbench
