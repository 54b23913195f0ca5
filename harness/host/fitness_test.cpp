#include "harness/host/fitness.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

TEST(WhyUnfit, AQuietMachineIsFit) {
  EXPECT_EQ(why_unfit({.seconds = 100, .others_s = 50, .steal_s = 10}), "");
  EXPECT_EQ(why_unfit({}), "");
}

TEST(WhyUnfit, SaysWhatDisturbs) {
  EXPECT_EQ(why_unfit({.seconds = 100, .others_s = 51}),
            "other programs kept 51 % of the processors busy");
  EXPECT_EQ(why_unfit({.seconds = 100, .steal_s = 11}),
            "11 % of the processors' time was taken by other virtual machines");
  EXPECT_EQ(why_unfit({.seconds = 100, .throttled = 1}),
            "the processors were slowed for heat during the run");
  EXPECT_EQ(why_unfit({.seconds = 100, .power = "it runs on battery"}), "it runs on battery");
  EXPECT_EQ(why_unfit({.seconds = 100, .another_cpu = true}),
            "the processor's model changed during the run");
}

TEST(WhyUnfit, AMomentIsTooShortForSharesButNotForFacts) {
  EXPECT_EQ(why_unfit({.seconds = 0.9, .others_s = 0.9, .steal_s = 0.9}), "");
  EXPECT_NE(why_unfit({.seconds = 0.9, .throttled = 1}), "");
  EXPECT_NE(why_unfit({.seconds = 0, .power = "it runs on battery"}), "");
}

TEST(Fitness, WatchesThisMachine) {
  const Fitness fitness;
  EXPECT_EQ(fitness.why_unfit(), why_unfit({.power = why_power_unfit()}));  // too short for more
}

}  // namespace
}  // namespace cliffbench
