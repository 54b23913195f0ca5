#include "harness/gate/instructions.hpp"

#include <gtest/gtest.h>

#include "harness/core/stats/not_a_number_test.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

TEST(Counts, AreReadFromTheLogs) {
  EXPECT_EQ(
      parse_valgrind_log("==12== Command: ./work\n==12== \n==12== I   refs:      1,234,567\n"),
      1234567);
  EXPECT_EQ(parse_valgrind_log("==12== I refs:        42"), 42);  // valgrind 3.21 and later
  EXPECT_EQ(parse_perf_csv("# started on Mon\n\n987654321,,instructions:u,500000,100.00,,\n"),
            987654321);
  for (const char* log : {"", "==12== I   refs:      ", "==12== I   refs:      none\n"}) {
    EXPECT_THROW((void)parse_valgrind_log(log), CannotMeasure) << log;
  }
  for (const char* csv : {"", "<not supported>,,instructions:u,0,100.00,,\n",
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
  EXPECT_THROW((void)agreed_count(1000, 1021), CannotMeasure);
  EXPECT_THROW((void)agreed_count(1021, 1000), CannotMeasure);
  for (const double none : kNone) {
    EXPECT_THROW((void)agreed_count(1000, none), CannotMeasure) << none;
    EXPECT_THROW((void)agreed_count(none, 1000), CannotMeasure) << none;
    EXPECT_THROW((void)agreed_count(none, none), CannotMeasure) << none;
  }
}

TEST(LongMinTime, IsSixTimesTheShortOneAndSixIterationsAtLeast) {
  EXPECT_DOUBLE_EQ(long_min_time_s(1e-7), 0.3);
  EXPECT_DOUBLE_EQ(long_min_time_s(0.05), 0.3);
  EXPECT_DOUBLE_EQ(long_min_time_s(2), 12);
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

}  // namespace
}  // namespace cliffbench
