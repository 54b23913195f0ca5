#include "harness/suite/plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/core/text/text.hpp"
#include "harness/suite/case/case.hpp"
#include "harness/suite/plan/shard.hpp"

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

Plan made_plan() {
  Plan plan = {.run = "run",
               .seed = 18446744073709551615u,
               .profile = "quick",
               .cells = choose_cells("p", made(), {}),
               .programs = {{"p", {{"", "abc"}}}}};
  number_blocks(plan.cells, {{"p", made()}});
  return plan;
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

TEST(ChooseCells, StopsAreRepeatedWhereAClaimOfATimeCanBeDecidedByThem) {
  Description description = made();
  const auto repeated = [&](Claim claim) {
    claim.variant = "baseline";
    claim.where = {{"n", "2"}};
    description.declared.claims = {claim};
    std::set<std::string> names;
    for (const Cell& cell : choose_cells("p", description, {.profile = "quick"})) {
      if (cell.every_round) names.insert(cell.name);
    }
    return names;
  };
  const std::set<std::string> none;
  const std::set<std::string> one = {"made/n:2/mode:a/variant:baseline"};
  EXPECT_EQ(repeated({.quantity = Quantity::time, .range = {5}}), one);      // the limit is 5 s
  EXPECT_EQ(repeated({.quantity = Quantity::time, .range = {0, 4}}), one);   // and refutes this
  EXPECT_EQ(repeated({.quantity = Quantity::time, .range = {6}}), none);     // but not this
  EXPECT_EQ(repeated({.quantity = Quantity::time, .range = {4, 9}}), none);  // nor this
  EXPECT_EQ(repeated({.quantity = Quantity::time, .of = "copy", .range = {5}}), none);
  EXPECT_EQ(repeated({.quantity = Quantity::memory, .range = {5}}), none);
}

TEST(CheckWish, NamesWhatWouldBeRight) {
  const std::map<std::string, Description> programs = {{"p", made()}};
  const auto message = [&](const CellFilter& filter) -> std::string {
    try {
      check_filter(programs, filter);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({.profile = "quick"}), "");
  EXPECT_EQ(message({.profile = "slow"}), "there is no profile 'slow'; it is one of quick");
  EXPECT_EQ(message({.axes = {{"m", {"1"}}}}), "there is no axis 'm'; it is one of mode, n");
  EXPECT_EQ(message({.axes = {{"n", {"3"}}}}), "the axis n has no value '3'; it is one of 1, 2, 4");
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
  Description description = made();
  const auto cells = choose_cells("p", description, {});
  const auto is_larger = [&](const Cell& a, const Cell& b) {
    return cliffbench::is_larger(description.declared, a, b);
  };
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
  for (Axis& axis : description.declared.axes) {  // words may have sizes
    if (axis.name == "mode") axis.sizes = {{"a", 10}, {"b", 20}};
  }
  EXPECT_TRUE(is_larger(cell("made/n:4/mode:b/variant:fast"), small));
  EXPECT_FALSE(is_larger(small, cell("made/n:4/mode:b/variant:fast")));
  for (Axis& axis : description.declared.axes) {  // other values of one size
    if (axis.name == "mode") axis.sizes = {{"a", 10}, {"b", 10}};
  }
  EXPECT_FALSE(is_larger(cell("made/n:4/mode:b/variant:fast"), small));
}

TEST(Plan, SurvivesItsJson) {
  Plan plan = made_plan();
  plan.cells[1].every_round = true;
  const Plan read = parse_plan(nlohmann::json::parse(plan_json(plan).dump()));
  EXPECT_EQ(plan_json(read), plan_json(plan));
  EXPECT_EQ(read.seed, plan.seed);
}

TEST(Plan, RefusesInvalidPlans) {
  const nlohmann::json good = plan_json(made_plan());
  const auto error_of = [](const nlohmann::json& json) -> std::string {
    try {
      (void)parse_plan(json);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto with = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json json = good;
    json[nlohmann::json::json_pointer(pointer)] = value;
    return error_of(json);
  };
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(with("/schema", 9), "schema 9 instead of 1");
  EXPECT_EQ(with("/shard", {3, 2}), "an invalid shard");
  EXPECT_EQ(with("/run", "../run"), "a run name that cannot be a file name");
  EXPECT_EQ(with("/cells/0/rounds", 0), "a cell's rounds are not 1 to 100000");
  EXPECT_EQ(with("/cells/0/limit_s", -1), "a cell's limit is not a time");
  EXPECT_EQ(with("/cells/0/program", "other"), "no program other");
  EXPECT_EQ(with("/cells/0/name", good["cells"][1]["name"]),
            "two cells named " + good["cells"][1]["name"].get<std::string>());
  EXPECT_NE(with("/cells/0/params", 3), "");
  EXPECT_NE(with("/cells/0/rounds", 1e30), "");
  EXPECT_NE(with("/seed", -1), "");
  EXPECT_EQ(with("/more", 1), "'/more' is not as this program writes it");
  EXPECT_EQ(with("/cells/0/more", 1), "'/cells/0/more' is not as this program writes it");
}

TEST(Plan, OfMoreTrialsThanFitIsRefusedBeforeTheyAreMade) {
  nlohmann::json json = plan_json(made_plan());
  auto& cells = json["cells"];
  const nlohmann::json cell = cells[0];
  for (int i = 0; i < 3000; ++i) {
    cells.push_back(cell);
    cells.back()["name"] = std::to_string(i);
    cells.back()["rounds"] = 100000;
  }
  try {
    (void)parse_plan(json);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "more than 10^7 trials");
  }
}

TEST(Split, KeepsABlockInOneShardAndGivesEachAsManyBlocks) {
  Description description = made();
  auto cells = choose_cells("p", description, {.rounds = 2});
  number_blocks(cells, {{"p", description}});
  for (size_t a = 0; a < cells.size(); ++a) {
    for (size_t b = 0; b < cells.size(); ++b) {
      EXPECT_EQ(cells[a].block == cells[b].block, cells[a].params == cells[b].params);
    }
  }
  std::set<size_t> seen;
  for (const auto& shard : split(cells, 3)) {
    std::set<size_t> own;
    for (const size_t cell : shard) {
      EXPECT_TRUE(seen.insert(cell).second);
      own.insert(cells[cell].block);
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool here = std::find(shard.begin(), shard.end(), i) != shard.end();
      EXPECT_EQ(own.contains(cells[i].block), here);
    }
    EXPECT_EQ(own.size(), 2u);  // of six
  }
  EXPECT_EQ(seen.size(), cells.size());
  EXPECT_EQ(split(cells, 100).size(), 100u);  // more shards than blocks: some are empty
}

TEST(Shards, OfAPlanHaveItsTrialsOnceAndAtTheirPlaces) {
  Plan plan = made_plan();
  std::map<int, std::pair<size_t, int>> seen;  // by position
  for (int shard = 1; shard <= 3; ++shard) {
    plan.shard = {shard, 3};
    const Plan read = parse_plan(plan_json(plan));
    EXPECT_EQ(plan_json(read), plan_json(plan));
    int before = -1;
    for (const Slot& slot : slots_of(read)) {
      EXPECT_LT(std::exchange(before, slot.position), slot.position);
      EXPECT_TRUE(seen.try_emplace(slot.position, std::pair(slot.cell, slot.round)).second);
    }
  }
  plan.shard = {};
  ASSERT_EQ(seen.size(), static_cast<size_t>(trials_of(plan.cells)));
  for (const Slot& slot : slots_of(plan)) {
    EXPECT_EQ(seen[slot.position], std::pair(slot.cell, slot.round));
  }
  plan.shard = {100, 100};
  EXPECT_TRUE(slots_of(plan).empty());
}

TEST(Blocks, AreLinesWhereAnExponentIsClaimed) {
  Description description = made();
  description.declared.claims = {
      {.id = "e", .quantity = Quantity::exponent, .variant = "fast", .axis = "n"}};
  auto cells = choose_cells("p", description, {});
  number_blocks(cells, {{"p", description}});
  for (size_t a = 0; a < cells.size(); ++a) {
    for (size_t b = 0; b < cells.size(); ++b) {
      EXPECT_EQ(cells[a].block == cells[b].block,
                cells[a].params.at("mode") == cells[b].params.at("mode"));
    }
  }
}

TEST(Shard, IsReadAsOneOfSeveral) {
  EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
  EXPECT_EQ(parse_shard("1/1"), (Shard{1, 1}));
  EXPECT_EQ(parse_shard("100000/100000"), (Shard{100000, 100000}));
  EXPECT_EQ(shard_text({2, 4}), "2/4");
  for (const char* text :
       {"", "2", "/", "2/", "/4", "0/4", "5/4", "-1/4", "1/4x", "1//4", "a/b", "1/100001"}) {
    EXPECT_THROW((void)parse_shard(text), UserError) << text;
  }
}

}  // namespace
}  // namespace cliffbench
