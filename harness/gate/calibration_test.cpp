#include "harness/gate/calibration.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cliffbench
