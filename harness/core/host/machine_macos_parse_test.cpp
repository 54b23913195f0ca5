#include "harness/core/host/machine_macos_parse.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

// The forms that pmset(1) prints: a laptop with and without its charger, and a desktop.
const std::string kCharger =
    "Now drawing from 'AC Power'\n"
    " -InternalBattery-0 (id=4653155)\t100%; charged; 0:00 remaining present: true\n";
const std::string kBattery =
    "Now drawing from 'Battery Power'\n"
    " -InternalBattery-0 (id=4653155)\t84%; discharging; 6:31 remaining present: true\n";
const std::string kDesktop = "Now drawing from 'AC Power'\n";

std::string settings(const std::string& mode) {
  return "System-wide power settings:\n"
         "Currently in use:\n"
         " standby              1\n"
         " Sleep On Power Button 1\n"
         " powernap             1\n" +
         mode +
         " displaysleep         10\n"
         " sleep                1 (sleep prevented by powerd, coreaudiod)\n";
}

TEST(MachineMacos, KnowsABattery) {
  EXPECT_EQ(power_sentence(kBattery, "", 0), "the machine runs on battery");
  for (const std::string& other : {kCharger, kDesktop, std::string()}) {
    EXPECT_EQ(power_sentence(other, "", 0), "") << other;
  }
}

TEST(MachineMacos, KnowsLowPowerMode) {
  const auto low_power_mode = [](const std::string& pmset) {
    return power_sentence("", pmset, 0) == "the machine is in low-power mode";
  };
  EXPECT_TRUE(low_power_mode(settings(" lowpowermode         1\n")));
  EXPECT_FALSE(low_power_mode(settings(" lowpowermode         0\n")));
  EXPECT_TRUE(low_power_mode(settings(" powermode            1\n")));
  EXPECT_FALSE(low_power_mode(settings(" powermode            2\n"))) << "2 is high power";
  EXPECT_FALSE(low_power_mode(settings(""))) << "a machine without the mode";
  EXPECT_FALSE(low_power_mode(""));
}

TEST(MachineMacos, SaysOneThingAgainstMeasuring) {
  const std::string normal = settings(" lowpowermode         0\n");
  EXPECT_EQ(power_sentence(kCharger, normal, 0), "");
  EXPECT_EQ(power_sentence(kBattery, normal, 2), "the machine runs on battery");
  EXPECT_EQ(power_sentence(kCharger, settings(" lowpowermode 1\n"), 0),
            "the machine is in low-power mode");
  EXPECT_EQ(power_sentence(kDesktop, normal, 2),
            "the processors are throttled by heat (thermal pressure heavy)");
  EXPECT_EQ(power_sentence(kDesktop, normal, 9),
            "the processors are throttled by heat (thermal pressure unknown)")
      << "a level that the header does not have is no 'nominal'";
}

TEST(MachineMacos, TellsKindsOfCores) {
  const CoreKind fast{"Performance", 4, 131072, 12582912};
  const CoreKind slow{"Efficiency", 4, 65536, 4194304};
  EXPECT_EQ(core_kinds_text({fast, slow}), "4 performance, 4 efficiency");
  EXPECT_EQ(core_kinds_text({{"", 4}, {"", 2}}), "4 performance, 2 efficiency");
  EXPECT_EQ(core_kinds_text({fast}), "");
  EXPECT_EQ(caches_text({fast, slow}), "L1d 128K, L2 12288K");
  EXPECT_EQ(caches_text({{"", 8, 0, 0}}), "");
  EXPECT_EQ(caches_text({}), "");
}

}  // namespace
}  // namespace cliffbench
