#include "harness/gate/fitness.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

TEST(Disturbance, SaysWhatDisturbs) {
  const std::pair<Disturbance, const char*> cases[] = {
      {{}, ""},
      {{.seconds = 100, .others_s = 50, .steal_s = 10}, ""},
      {{.seconds = 100, .others_s = 51}, "other programs kept 51 % of the processors busy"},
      {{.seconds = 100, .steal_s = 11}, "other virtual machines took 11 % of the processor time"},
      {{.seconds = 0.9, .others_s = 0.9, .steal_s = 0.9}, ""},  // too short for shares
      {{.seconds = 0.9, .throttled = 1}, "heat throttled the processors during the run"},
      {{.power = "it runs on battery"}, "it runs on battery"}};
  for (const auto& [seen, text] : cases) EXPECT_EQ(disturbance_text(seen), text);
}

TEST(Disturbance, OnlyAnotherProcessorVoidsTimes) {
  EXPECT_EQ(why_unfit({.seconds = 100, .another_cpu = true}),
            "the processor's model changed during the run");
  EXPECT_EQ(why_unfit({.seconds = 100,
                       .others_s = 99,
                       .steal_s = 50,
                       .throttled = 9,
                       .power = "it runs on battery",
                       .hosted_mac = true}),
            "");
}

TEST(Fitness, WatchesThisMachine) {
  const Fitness fitness;
  EXPECT_EQ(disturbance_text(fitness.disturbance()), why_power_unfit());  // too short for more
  EXPECT_EQ(why_unfit(fitness.disturbance()), "");
}

}  // namespace
}  // namespace cliffbench
