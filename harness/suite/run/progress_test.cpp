#include "harness/suite/run/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "harness/core/text/printed_by_test.hpp"

namespace cliffbench {
namespace {

/// 20 points of one program, two variants each, 10 rounds.
Plan forty_cells() {
  Plan plan{.run = "r", .seed = 3, .programs = {{"p", {}}}};
  for (int n = 1; n <= 20; ++n) {
    for (const char* variant : {"baseline", "fast"}) {
      Cell cell{.program = "p", .variant = variant, .params = {{"n", std::to_string(n)}}};
      cell.name = std::string("p/n:") + std::to_string(n) + "/variant:" + variant;
      cell.rounds = 10;
      cell.limit_s = 100;
      plan.cells.push_back(cell);
    }
  }
  return plan;
}

/// As many seconds as the point's n.
Costs costs_of(const Plan& plan) {
  Costs costs;
  for (const Cell& cell : plan.cells) costs.emplace_back(std::stod(cell.params.at("n")));
  return costs;
}

Row row_of(const Plan& plan, const Slot& slot, double process_s) {
  const Cell& cell = plan.cells[slot.cell];
  Row row;
  row.program = cell.program;
  row.name = cell.name;
  row.status = Status::ok;
  row.wall_s = process_s;
  row.process_s = process_s;
  return row;
}

/// Goes through a run whose trials take ten times what was expected, with noise; returns the
/// largest relative error of the time left from the end of round one to the end of the last but
/// one.
double worst_error(const Plan& plan, const Costs& costs) {
  const auto slots = schedule(plan.cells, plan.seed);
  std::mt19937_64 random(5);
  std::vector<double> times;
  for (const Slot& slot : slots) {
    const double noise = 0.8 + 0.4 * static_cast<double>(random() % 1000) / 1000;
    times.push_back(10.0 * std::stod(plan.cells[slot.cell].params.at("n")) * noise);
  }
  Progress progress(plan, slots, {}, costs, true);
  double worst = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    (void)progress.finished(slots[i], row_of(plan, slots[i], times[i]));
    if (i + 1 < plan.cells.size() || slots[i].round >= 9) continue;
    double left = 0;
    for (size_t j = i + 1; j < slots.size(); ++j) left += times[j];
    worst = std::max(worst, std::fabs(progress.seconds_left() / left - 1));
  }
  return worst;
}

TEST(Progress, GoesOnFromTheRowsOfItsCells) {
  const Plan plan = forty_cells();
  std::vector<Slot> slots = schedule(plan.cells, plan.seed);
  std::ranges::stable_sort(slots, {}, &Slot::round);
  std::vector<Row> rows;
  for (size_t i = 0; i < plan.cells.size(); ++i) rows.push_back(row_of(plan, slots[i], 2));
  slots.erase(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(rows.size()));
  rows.push_back(rows[0]);
  rows.back().name = "p/of another plan";
  const Progress progress(plan, slots, rows, Costs(plan.cells.size()), true);
  EXPECT_DOUBLE_EQ(progress.seconds_left(), 2.0 * static_cast<double>(slots.size()));
}

TEST(Progress, IsRightWithinAFifthAfterRoundOne) {
  const Plan plan = forty_cells();
  EXPECT_LT(worst_error(plan, costs_of(plan)), 0.2);
  EXPECT_LT(worst_error(plan, Costs(plan.cells.size())), 0.2);
}

TEST(Progress, ACellThatWillBeStoppedIsExpectedOnce) {
  Plan plan = forty_cells();
  for (Cell& cell : plan.cells) cell.limit_s = 10;  // 11 to 20 take longer
  const auto slots = schedule(plan.cells, plan.seed);
  EXPECT_DOUBLE_EQ(Progress(plan, slots, {}, costs_of(plan), true).seconds_left(),
                   2 * (10 * 55 + 10 * 10));
  std::vector<Slot> shard = slots;  // that has none of the cells that will be stopped
  std::erase_if(shard, [](const Slot& slot) { return slot.cell >= 20; });
  EXPECT_DOUBLE_EQ(Progress(plan, shard, {}, costs_of(plan), true).seconds_left(), 2 * 10 * 55);
}

TEST(Progress, KnowsNothingBeforeEachCellHasATrialOrAnExpectation) {
  const Plan plan = forty_cells();
  const auto slots = schedule(plan.cells, plan.seed);
  EXPECT_TRUE(std::isnan(Progress(plan, slots, {}, Costs(plan.cells.size()), true).seconds_left()));
  EXPECT_DOUBLE_EQ(Progress(plan, slots, {}, costs_of(plan), true).seconds_left(), 10 * 2 * 210);
}

TEST(ExpectedTime, OfStopsIsTheLimitOnceOrInEachRound) {
  Cell cell{.limit_s = 5};
  EXPECT_EQ(expected_s(cell, 7, 6), 5);
  cell.every_round = true;
  EXPECT_EQ(expected_s(cell, 7, 6), 30);
}

TEST(Progress, DoesNotWaitForACellThatWasStopped) {
  const Plan plan = forty_cells();
  const auto slots = schedule(plan.cells, plan.seed);
  Progress progress(plan, slots, {}, costs_of(plan), true);
  const Slot& first = slots[0];
  Row row = row_of(plan, first, 100);
  const double expected = *costs_of(plan)[first.cell];
  row.status = Status::timeout;
  row.wall_s.reset();
  (void)progress.finished(first, row);
  EXPECT_NEAR(progress.seconds_left(), 10 * 2 * 210 - 10 * expected, 1e-6);
}

TEST(Progress, CountsTheRowsOfAResumedRun) {
  const Plan plan = forty_cells();
  auto slots = schedule(plan.cells, plan.seed);
  std::vector<Row> rows;
  for (size_t i = 0; i < 40; ++i) {
    rows.push_back(row_of(plan, slots[i], *costs_of(plan)[slots[i].cell]));
  }
  slots.erase(slots.begin(), slots.begin() + 40);
  EXPECT_NEAR(Progress(plan, slots, rows, costs_of(plan), true).seconds_left(), 9 * 2 * 210, 1e-6);
}

TEST(Progress, ShowsARatioToTheBaselineOfThePoint) {
  const Plan plan = forty_cells();
  const auto slots = schedule(plan.cells, plan.seed);
  Progress progress(plan, slots, {}, costs_of(plan), true);
  std::map<size_t, std::string> lines;  // of each cell's second trial
  for (const Slot& slot : slots) {
    const bool fast = plan.cells[slot.cell].variant == "fast";
    const double time_s = std::stod(plan.cells[slot.cell].params.at("n")) / (fast ? 4 : 1);
    if (slot.round == 2) lines[slot.cell] = progress.finished(slot, row_of(plan, slot, time_s));
    if (slot.round == 1) (void)progress.finished(slot, row_of(plan, slot, time_s));
  }
  for (const auto& [cell, line] : lines) {
    EXPECT_EQ(line.find(", 4.00x so far") != std::string::npos, plan.cells[cell].variant == "fast")
        << line;
  }
}

TEST(Progress, OnATerminalOneLineShowsTheStepAndIsClearedForTheResult) {
  const Plan plan = forty_cells();
  const auto slots = schedule(plan.cells, plan.seed);
  const std::string name = plan.cells[slots[0].cell].variant;
  std::string line;
  const std::string shown = shown_by([&] {
    Progress progress(plan, slots, {}, costs_of(plan), false);
    progress.warming_up(slots[0]);
    progress.started(slots[0]);
    line = progress.finished(slots[0], row_of(plan, slots[0], 2));
  });
  const std::string result = line.substr(line.find('['));
  EXPECT_TRUE(shown.starts_with("\r\x1b[Kwarming up p " + name + "\r\x1b[K0/400 trials, "))
      << shown;
  EXPECT_TRUE(shown.ends_with("\r\x1b[K" + result + "\n\r\x1b[K")) << shown;
}

TEST(Progress, WithoutATerminalEachStepIsALine) {
  const Plan plan = forty_cells();
  const auto slots = schedule(plan.cells, plan.seed);
  const auto steps = [&](bool quiet) {
    Progress progress(plan, slots, {}, costs_of(plan), quiet);
    progress.warming_up(slots[0]);
    progress.started(slots[0]);
    (void)progress.finished(slots[0], row_of(plan, slots[0], 2));
  };
  const std::string printed = printed_by([&] { steps(false); });
  EXPECT_TRUE(printed.starts_with("warming up p ")) << printed;
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 2) << printed;
  EXPECT_EQ(printed_by([&] { steps(true); }), "");
  EXPECT_EQ(shown_by([&] { steps(true); }), "");
  EXPECT_EQ(shown_by([&] { steps(false); }, "dumb"), printed);
}

TEST(Progress, LogsATrialInOneLine) {
  const Plan plan = forty_cells();
  const auto slots = schedule(plan.cells, plan.seed);
  Row row = row_of(plan, slots[0], 1);
  row.status = Status::failed;
  row.reason = "two\nlines\x1b[2J";
  const std::string line = Progress(plan, slots, {}, costs_of(plan), true).finished(slots[0], row);
  EXPECT_NE(line.find("failed: two lines\\x1b[2J"), std::string::npos) << line;
}

}  // namespace
}  // namespace cliffbench
