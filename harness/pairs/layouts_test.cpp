#include "harness/pairs/layouts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cliffbench {
namespace {

/// A benchmark of which layout i takes 1 + i / 100 times as long in the head.
ComparedBenchmark measured(int rounds) {
  ComparedBenchmark benchmark;
  benchmark.program = "program";
  benchmark.name = "name";
  const std::vector<Layout> layouts(kLayouts, {"base", "head"});
  LayoutSchedule schedule(benchmark, layouts, 1, [](const std::filesystem::path& program) {
    return [program](Row& row) {
      row.status = Status::ok;
      row.cpu_s = program == "head" ? 1 + 0.01 * (row.variant[7] - '0') : 1;
      return true;
    };
  });
  for (int trial = 0; trial < rounds * 2 * kLayouts; ++trial) {
    auto next = schedule.next();
    if (!next || !next->observe(next->row)) break;
    schedule.measured(next->row);
  }
  return benchmark;
}

TEST(LayoutSchedule, EndsAfterSixPairsInEachLayout) {
  const ComparedBenchmark benchmark = measured(100);
  EXPECT_EQ(benchmark.layouts.size(), 2u * kLayouts * kLayoutPairs);
  for (int layout = 1; layout <= kLayouts; ++layout) {
    for (const bool head : {false, true}) {
      EXPECT_EQ(std::count_if(
                    benchmark.layouts.begin(), benchmark.layouts.end(),
                    [&](const Row& row) { return row.variant == layout_variant(layout, head); }),
                kLayoutPairs);
    }
  }
}

TEST(LayoutSchedule, SaysOneRatioPerLayout) {
  const auto ratios = layout_ratios(measured(kLayoutPairs));
  ASSERT_EQ(ratios.size(), static_cast<size_t>(kLayouts));
  for (int layout = 1; layout <= kLayouts; ++layout) {
    EXPECT_NEAR(ratios[static_cast<size_t>(layout - 1)], std::log(1 + 0.01 * layout), 1e-12);
  }
  EXPECT_TRUE(layout_ratios(measured(kLayoutPairs - 1)).empty());
}

TEST(LayoutSchedule, ItsVariantsAreKnown) {
  EXPECT_TRUE(is_layout("layout 1 base"));
  EXPECT_TRUE(is_layout("layout 8 head"));
  for (const char* other : {"layout 0 base", "layout 9 head", "layout 1 control", "layout", ""}) {
    EXPECT_FALSE(is_layout(other)) << other;
  }
}

}  // namespace
}  // namespace cliffbench
