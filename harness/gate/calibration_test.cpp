#include "harness/gate/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/program/made_program_test.hpp"

namespace cliffbench {
namespace {

/// A process of 50 ms of CPU time whose main thread waited for `blocked_s`; of its batches the
/// fastest waited for nothing.
Row process(const std::string& variant, double blocked_s) {
  Row row;
  row.variant = variant;
  row.wall_s = row.cpu_s = row.mean_cpu_s = 0.005;
  row.mean_wall_s = 0.005 + blocked_s / 10;
  row.process_cpu_s = 0.05;
  row.process_s = 0.05 + blocked_s;
  row.blocked_s = blocked_s;
  return row;
}

bool by_wall(double base_s, double head_s, double control_s) {
  return decides_by_wall(
      std::vector{process("base", base_s), process("head", head_s), process("control", control_s)},
      0);
}

TEST(DecidesByWall, WhereOneSideWaitsNowAndThen) {
  EXPECT_FALSE(by_wall(0, 0, 0));
  EXPECT_TRUE(by_wall(0.02, 0.02, 0.02));
  EXPECT_TRUE(by_wall(0, 0.02, 0));        // the head alone takes a lock
  EXPECT_TRUE(by_wall(0.02, 0, 0.02));     // it no longer does
  EXPECT_FALSE(by_wall(0.02, 0, 0));       // a moment of the machine
  EXPECT_FALSE(by_wall(0.001, 0.001, 0));  // as little is blocked on a busy one
}

PilotRow pilot_row(const std::string& name, double time_s) {
  PilotRow row;
  row.name = name;
  row.status = Status::ok;
  row.wall_s = row.cpu_s = time_s;
  row.process_s = row.process_cpu_s = 0.03;
  row.limit_s = 5;
  return row;
}

TEST(PilotOf, GivesShortBenchmarksTenBatchesOfOneCountForBothSides) {
  const Pilot pilot = pilot_of({.takes_counts = true}, pilot_row("a", 1e-6), pilot_row("a", 2e-6));
  EXPECT_EQ(pilot.timing.batches.count, 10);
  EXPECT_EQ(pilot.timing.batches.iterations, 2500);  // 5 ms of the slower side
  EXPECT_EQ(pilot.timing.batches.min_time_s, 0);
  EXPECT_NEAR(pilot.slower, std::log(2), 1e-12);
  EXPECT_NEAR(pilot.timing.round_s, 3 * (0.05 + 0.03 - 0.02 - 2e-6 + 0.01), 1e-12);
  const Pilot by_time = pilot_of({}, pilot_row("a", 0.01), pilot_row("a", 0.005));
  EXPECT_EQ(by_time.timing.batches.count, 5);
  EXPECT_EQ(by_time.timing.batches.iterations, 1);
  EXPECT_DOUBLE_EQ(by_time.timing.batches.min_time_s, 0.01);
}

TEST(PilotOf, GivesOneBatchWhereIterationsAreFixedOrTheSetUpTakesLong) {
  const auto batches = [](const std::string& name, double cpu_s, double process_s, bool of_head) {
    PilotRow base = pilot_row(name, 1e-6), head = base;
    PilotRow& slow = of_head ? head : base;
    slow.process_cpu_s = cpu_s;
    slow.process_s = process_s;
    return pilot_of({.takes_counts = true}, base, head).timing.batches.count;
  };
  EXPECT_EQ(batches("a/iterations:3", 0.03, 0.03, true), 1);
  for (const bool of_head : {false, true}) {
    EXPECT_EQ(batches("a", 0.05, 0.5, of_head), 10);
    EXPECT_EQ(batches("a", 0.051, 0.1, of_head), 1);
    EXPECT_EQ(batches("a", 0.03, 0.51, of_head), 1);
  }
}

TEST(PilotOf, DecidesByWallTimeWhereTheNameOrSeveralProcessorsSaySo) {
  const auto metric = [](const std::string& name, double cpu_s) {
    PilotRow head = pilot_row(name, 1e-3);
    head.cpu_s = cpu_s;
    return pilot_of({}, pilot_row(name, 1e-3), head).timing.metric;
  };
  EXPECT_EQ(metric("a", 1.2e-3), Metric::cpu);
  EXPECT_EQ(metric("a", 1.3e-3), Metric::wall);
  for (const char* name : {"a/threads:2", "a/real_time", "a/manual_time"}) {
    EXPECT_EQ(metric(name, 1e-3), Metric::wall) << name;
  }
}

TEST(PilotOf, SaysWhichSideCannotBeTimedTheNewsFirst) {
  const auto reason = [](Status base_status, Status head_status, bool base_skips, bool head_skips) {
    PilotRow base = pilot_row("a", 1), head = base;
    base.status = base_status, head.status = head_status;
    base.reason = "b", head.reason = "h";
    base.remarks.says_skipped = base_skips, head.remarks.says_skipped = head_skips;
    const Pilot pilot = pilot_of({}, base, head);
    if (!pilot.not_timed) return std::string("timed");
    return std::string(word(pilot.not_timed->ruling)) + ", " + pilot.not_timed->reason;
  };
  const auto ok = Status::ok, skipped = Status::skipped, crash = Status::crash,
             wrong = Status::wrong;
  EXPECT_EQ(reason(ok, ok, false, false), "timed");
  EXPECT_EQ(reason(skipped, skipped, true, true), "skipped, b");
  EXPECT_EQ(reason(crash, crash, false, false), "not_measured, base: b");
  EXPECT_EQ(reason(ok, crash, false, false), "not_measured, head: h");
  EXPECT_EQ(reason(ok, wrong, false, false), "wrong_output, head: wrong: h");
  EXPECT_EQ(reason(skipped, crash, true, false), "not_measured, head: h");
  EXPECT_EQ(reason(skipped, ok, true, false), "not_measured, only the base skips it: b");
  EXPECT_EQ(reason(wrong, skipped, true, true), "wrong_output, base: wrong: b");
  PilotRow late = pilot_row("a", 1);
  late.status = crash;
  late.process_s = 5;
  EXPECT_EQ(pilot_of({}, pilot_row("a", 1), late).not_timed->reason,
            "head:  (the base took 30.0 ms)");
}

TEST(ProcessLimit, IsTwentyTimesWhatIsExpectedAndTenSeconds) {
  EXPECT_EQ(process_limit_s(0), 10);
  EXPECT_EQ(process_limit_s(3), 70);
}

using Strings = std::vector<std::string>;

/// Pilots of two programs that are shell scripts.
struct MadePilots {
  MadePilots(const std::string& base, const std::string& head) {
    request.base = folder.script("base", base);
    request.head = folder.script("head", head);
    request.names = {"one", "two", "three"};
    request.head_names = {"one", "2", "three"};
    request.limits.scratch = folder.path() / "scratch";
    std::filesystem::create_directory(request.limits.scratch);
  }
  std::map<std::string, Pilot> run() { return calibrate(request); }

  Folder folder;
  PilotRequest request;
};

TEST(Calibrate, AsksEachSideOnceForAllByItsOwnNames) {
  MadePilots pilots(made_program(), made_program("ms=2"));
  const auto found = pilots.run();
  EXPECT_EQ(asked_of(pilots.request.base), Strings{"one two three"});
  EXPECT_EQ(asked_of(pilots.request.head), Strings{"one 2 three"});
  ASSERT_EQ(found.size(), 3u);
  for (const auto& [name, pilot] : found) {
    EXPECT_FALSE(pilot.not_timed) << name;
    EXPECT_NEAR(pilot.slower, std::log(2), 1e-9);
    EXPECT_EQ(pilot.timing.batches.count, 10);  // of 5 ms: the least that takes 2 ms or more
    EXPECT_DOUBLE_EQ(pilot.timing.batches.min_time_s, 0.005);
  }
  pilots.request.shares_process = false;
  EXPECT_EQ(pilots.run().size(), 3u);
  EXPECT_EQ(asked_of(pilots.request.head), (Strings{"one 2 three", "one", "2", "three"}));
}

TEST(Calibrate, RunsAloneWhatHadNoResultThenTogetherAgain) {
  MadePilots pilots(made_program(), made_program("[ $1 != one ] || [ $# = 1 ] || exit 3"));
  EXPECT_EQ(pilots.run().size(), 3u);
  EXPECT_EQ(asked_of(pilots.request.head), (Strings{"one 2 three", "one", "2 three"}));
}

TEST(Calibrate, GivesAReasonToEachThatFailsAndNoneToTheOthers) {
  const std::string fails = "case \"$*\" in *two*) echo no disk >&2; exit 3 ;; esac";
  MadePilots pilots(made_program(fails), made_program());
  const auto found = pilots.run();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_FALSE(found.at("one").not_timed || found.at("three").not_timed);
  ASSERT_TRUE(found.at("two").not_timed);
  EXPECT_EQ(found.at("two").not_timed->ruling, Ruling::not_measured);
  EXPECT_EQ(found.at("two").not_timed->reason, "base: ended with exit code 3; it said: no disk");
}

TEST(Calibrate, AHeadThatHangsIsStoppedWhereTheBaseEndedInTime) {
  MadePilots pilots(made_program(), made_program("sleep 9"));
  pilots.request.limits.timed_s = 0.2;
  const auto found = pilots.run();
  ASSERT_EQ(found.size(), 3u);
  for (const auto& [name, pilot] : found) {
    ASSERT_TRUE(pilot.not_timed);
    EXPECT_NE(pilot.not_timed->reason.find(" (the base took "), std::string::npos)
        << pilot.not_timed->reason;
  }
}

TEST(Calibrate, WhereTheBudgetEndsThereIsNoPilot) {
  MadePilots pilots(made_program("sleep 9"), made_program());
  pilots.request.limits.budget = Budget(0.1);
  EXPECT_TRUE(pilots.run().empty());
  EXPECT_TRUE(asked_of(pilots.request.head).empty());
}

TEST(Calibrate, TakesTheStartFromWhatAProcessTook) {
  const auto round_s = [](double start_s) {
    MadePilots pilots(made_program("sleep 0.1"), made_program("sleep 0.1"));
    pilots.request.names = pilots.request.head_names = {"one"};
    pilots.request.start_s = start_s;
    return pilots.run().at("one").timing.round_s;
  };
  // Three processes, each with its batch of 50 ms: 80 ms or more of set-up, or none and the start.
  EXPECT_GE(round_s(0), 3 * (0.05 + 0.08 - 0.001 + 0.01));
  EXPECT_NEAR(round_s(9), 3 * (0.05 + 9), 1e-9);
}

}  // namespace
}  // namespace cliffbench
