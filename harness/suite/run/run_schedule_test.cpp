/// The schedule of a run, in this process, with a program that is a shell script.

#include "harness/suite/run/run_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/host/file.hpp"
#include "harness/core/program/made_program_test.hpp"
#include "harness/core/text/printed_by_test.hpp"
#include "harness/suite/run/made_case_test.hpp"

namespace cliffbench {
namespace {

using Strings = std::vector<std::string>;

/// A run of a made program with two variants at the sizes 1 and 2, in its own order.
struct MadeRun {
  explicit MadeRun(const std::string& program, int rounds = 2, double budget_s = 0)
      : path(folder.script("made@it", program)),
        place(folder.path() / "run", {"run", "plan.json", {"scratch"}}, 0) {
    const Description description = made_case();
    plan = {.run = "run",
            .seed = 1,
            .cells = choose_cells("made@it", description, {.rounds = rounds, .limit_s = 60}),
            .programs = {{"made@it", {}}}};
    request = {.programs = {{"made@it", {path, description}}}, .budget_s = budget_s, .quiet = true};
    costs = Costs(plan.cells.size());
    slots = slots_of(plan);
    std::ranges::sort(slots, {}, &Slot::position);
    place.clear_scratch();
    place.begin_session({.run = "run", .profile = ""});
  }

  RunSchedule::End measure(const std::vector<Row>& before = {}) {
    RunSchedule schedule(plan, request, slots, before, costs, place);
    schedule.measure();
    return schedule.end();
  }
  [[nodiscard]] std::vector<Row> kept() const {
    std::vector<LeftOut> left_out;
    return read_rows(folder.path() / "run/rows.jsonl", left_out);
  }

  Folder folder;
  std::filesystem::path path;
  Workplace place;
  Plan plan;
  RunRequest request;
  Costs costs;
  std::vector<Slot> slots;
};

using RunScheduleTest = Measuring;

TEST_F(RunScheduleTest, KeepsARowOfEachSlotInTheirOrder) {
  MadeRun run(made_program());
  EXPECT_EQ(run.measure(), RunSchedule::End::complete);
  const std::vector<Row> rows = run.kept();
  const Strings asked = asked_of(run.path);
  ASSERT_EQ(rows.size(), run.slots.size());
  ASSERT_EQ(asked.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Cell& cell = run.plan.cells[run.slots[i].cell];
    EXPECT_EQ(asked[i], cell.name);
    EXPECT_EQ(rows[i].name, cell.name);
    EXPECT_EQ(rows[i].variant, cell.variant);
    EXPECT_EQ(rows[i].params, cell.params);
    EXPECT_EQ(rows[i].program, "made@it");
    EXPECT_EQ(rows[i].case_name, "made");
    EXPECT_EQ(rows[i].subject, "it");
    EXPECT_EQ(rows[i].round, run.slots[i].round);
    EXPECT_EQ(rows[i].position, run.slots[i].position);
    EXPECT_EQ(rows[i].session, 1);
    EXPECT_EQ(rows[i].wall_s, 1e-3) << rows[i].reason;
  }
  const std::string log = read_file(run.folder.path() / "run/trials.log");
  EXPECT_EQ(std::ranges::count(log, '\n'), 8);
}

/// Of n=1 one variant is stopped: later rounds leave it out, and its variant at n=2.
TEST_F(RunScheduleTest, LeavesOutWhatWasStoppedAndWhatIsLarger) {
  MadeRun run(made_program("case $1 in *n:1*fast) " + kHangs + ";; esac"), 3);
  for (Cell& cell : run.plan.cells) cell.limit_s = cell.variant == "fast" ? 0.2 : 60;
  const auto later = [&](const Slot& slot) {  // n=1 first
    return std::pair(slot.round, run.plan.cells[slot.cell].params.at("n"));
  };
  std::ranges::stable_sort(run.slots, {}, later);
  EXPECT_EQ(run.measure(), RunSchedule::End::complete);
  for (const Row& row : run.kept()) {
    const bool fast = row.variant == "fast";
    const bool first = row.params.at("n") == "1";
    EXPECT_EQ(row.status, !fast                     ? Status::ok
                          : first && row.round == 1 ? Status::timeout
                                                    : Status::skipped);
    EXPECT_EQ(row.limit_s, fast ? 0.2 : 60);
    if (row.status != Status::skipped) continue;
    EXPECT_EQ(row.reason, first ? "stopped at its limit in an earlier round"
                                : "a smaller size did not finish (n:1)");
  }
  // A resumed run knows it from its rows.
  std::vector<Row> before = run.kept();
  std::erase_if(before, [](const Row& row) { return row.round > 1; });
  std::erase_if(run.slots, [](const Slot& slot) { return slot.round < 3; });
  const size_t asked = asked_of(run.path).size();
  EXPECT_EQ(run.measure(before), RunSchedule::End::complete);
  EXPECT_EQ(asked_of(run.path).size(), asked + 2);
}

TEST_F(RunScheduleTest, RepeatsAStopThatAClaimNeeds) {
  MadeRun run(made_program("case $1 in *n:2*fast) " + kHangs + ";; esac"));
  for (Cell& cell : run.plan.cells) {
    cell.limit_s = cell.variant == "fast" ? 0.2 : 60;
    cell.every_round = true;
  }
  EXPECT_EQ(run.measure(), RunSchedule::End::complete);
  int stopped = 0;
  for (const Row& row : run.kept()) stopped += row.status == Status::timeout;
  EXPECT_EQ(stopped, 2);
}

TEST_F(RunScheduleTest, ABudgetEndsItBetweenPoints) {
  MadeRun run(made_program("sleep 0.1"), 2, 0.05);
  EXPECT_EQ(run.measure(), RunSchedule::End::budget);
  const std::vector<Row> rows = run.kept();
  ASSERT_EQ(rows.size(), 2u);  // both variants of the point that had begun
  EXPECT_EQ(rows[0].params, rows[1].params);
  EXPECT_NE(rows[0].variant, rows[1].variant);
  MadeRun whole(made_program(), 2, 60);
  EXPECT_EQ(whole.measure(), RunSchedule::End::complete);
}

TEST_F(RunScheduleTest, WarmsUpEachProgramAndEachVariantThatIsQuick) {
  const auto warmed = [](double baseline_s, double fast_s) {
    MadeRun run(made_program());
    for (size_t i = 0; i < run.plan.cells.size(); ++i) {
      const Cell& cell = run.plan.cells[i];
      run.costs[i] =
          (cell.variant == "fast" ? fast_s : baseline_s) * std::stod(cell.params.at("n"));
    }
    RunSchedule schedule(run.plan, run.request, run.slots, {}, run.costs, run.place);
    EXPECT_TRUE(schedule.warm_up());
    EXPECT_TRUE(run.kept().empty());
    return asked_of(run.path);
  };
  const std::string baseline = "made/n:1/variant:baseline";
  const std::string fast = "made/n:1/variant:fast";
  EXPECT_EQ(warmed(0.9, 0.1), (Strings{fast, baseline}));  // the cheapest first, each once
  EXPECT_EQ(warmed(1.1, 0.1), Strings{fast});
  EXPECT_EQ(warmed(1.1, 1.2), Strings{baseline});
}

TEST_F(RunScheduleTest, SaysWhatItDoesInALineEach) {
  const auto said = [](bool quiet) {
    MadeRun run(made_program("case $1 in *n:2*fast) exit 3 ;; esac"), 1);
    run.request.quiet = quiet;
    RunSchedule schedule(run.plan, run.request, run.slots, {}, run.costs, run.place);
    std::string printed = printed_by([&] {
      if (schedule.warm_up()) schedule.measure();
    });
    const std::string log = read_file(run.folder.path() / "run/trials.log");
    EXPECT_EQ(std::ranges::count(log, '\n'), 4);
    return printed;
  };
  EXPECT_EQ(said(true), "");
  const std::string lines = said(false);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 5) << lines;
  EXPECT_EQ(lines.find("warming up made@it "), 0u) << lines;
  for (const char* line : {"\n[1/4] made@it ", "\n[4/4] made@it ", " fast n:1  1.00 ms",
                           " baseline n:2  1.00 ms", " fast n:2  crash: ended with exit code 3"}) {
    EXPECT_NE(lines.find(line), lines.npos) << line << " is not in\n" << lines;
  }
}

TEST_F(RunScheduleTest, WarnsOnceWhenTrialsFailInARow) {
  const auto warnings = [](const std::string& program) {
    MadeRun run(program, 3);
    testing::internal::CaptureStderr();
    EXPECT_EQ(run.measure(), RunSchedule::End::complete);
    const std::string said = testing::internal::GetCapturedStderr();
    return std::pair(std::ranges::count(said, '\n'), said);
  };
  const auto [lines, said] = warnings(made_program("exit 3"));
  EXPECT_EQ(lines, 1) << said;
  EXPECT_EQ(said.find("warning: 3 trials of made@it in a row went wrong; the last: "), 0u) << said;
  // Every third one works.
  const std::string seldom = "[ $(($(wc -l < \"$0.asked\") % 3)) = 0 ] || exit 3";
  EXPECT_EQ(warnings(made_program(seldom)).first, 0);
}

}  // namespace
}  // namespace cliffbench
