#include "harness/gate/instructions.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

TEST(ValgrindLog, HasItsCount) {
  EXPECT_EQ(parse_valgrind_log("==12== Cachegrind, a cache and branch-prediction profiler\n"
                               "==12== Command: ./work\n"
                               "==12== \n"
                               "==12== I   refs:      1,234,567,890\n"),
            1234567890.0);
  EXPECT_EQ(parse_valgrind_log("==12== I refs:        42"), 42);  // valgrind 3.21 and later
}

TEST(ValgrindLog, WithoutACountIsAReasonAndNoZero) {
  for (const char* log : {"", "==12== I   refs:      ", "==12== I   refs:      none\n",
                          "valgrind: failed to start tool 'cachegrind'"}) {
    EXPECT_THROW((void)parse_valgrind_log(log), CannotMeasure) << log;
  }
}

TEST(PerfCsv, HasItsCount) {
  EXPECT_EQ(parse_perf_csv("# started on Mon Jan  5 10:00:00 2026\n\n"
                           "987654321,,instructions:u,500000,100.00,,\n"),
            987654321.0);
  EXPECT_EQ(parse_perf_csv("7,,instructions:u,1,100.00"), 7);
}

TEST(PerfCsv, WithoutACountIsAReasonAndNoZero) {
  for (const char* csv : {"", "# started on Mon Jan  5 10:00:00 2026\n",
                          "<not supported>,,instructions:u,0,100.00,,\n",
                          "<not counted>,,instructions:u,0,0.00,,\n", "12,,cycles:u,1,100.00\n"}) {
    EXPECT_THROW((void)parse_perf_csv(csv), CannotMeasure) << csv;
  }
}

TEST(AgreedCount, IsTheMeanOfTwoThatDifferByLessThanTheMargin) {
  EXPECT_EQ(agreed_count(1000, 1000), 1000);
  EXPECT_EQ(agreed_count(1000, 1019), 1009.5);
  EXPECT_EQ(agreed_count(1019, 1000), 1009.5);
}

TEST(AgreedCount, IsNoneOfAProgramThatDiffersFromItself) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)agreed_count(1000, 1021), CannotMeasure);
  EXPECT_THROW((void)agreed_count(1021, 1000), CannotMeasure);
  for (const double none : {kNan, 0.0, -1.0, -1000.0, kInf, -kInf}) {
    EXPECT_THROW((void)agreed_count(1000, none), CannotMeasure) << none;
    EXPECT_THROW((void)agreed_count(none, 1000), CannotMeasure) << none;
    EXPECT_THROW((void)agreed_count(none, none), CannotMeasure) << none;
  }
}

TEST(LoggedIterations, AreThoseOfAllBatches) {
  EXPECT_EQ(logged_iterations("-- LOG(2): Running BM_a for 5/real_time for 1\n"
                              "-- LOG(2): Ran in 1e-05/2e-05\n"
                              "-- LOG(2): Running BM_a for 5/real_time for 1000\n"),
            1001);
  for (const char* log : {"", "Running on 2 cores\n", "-- LOG(2): Running BM_a for x\n"}) {
    EXPECT_THROW((void)logged_iterations(log), CannotMeasure) << log;
  }
}

TEST(CountInstructions, WithoutACounterSaysWhy) {
  const InstructionCounter none{InstructionCounter::Tool::none, "valgrind is not installed"};
  try {
    (void)count_instructions(none, {.program = "/bin/true"});
    FAIL() << "it counted";
  } catch (const CannotMeasure& error) {
    EXPECT_STREQ(error.what(), "valgrind is not installed");
  }
}

}  // namespace
}  // namespace cliffbench
