#include "harness/core/host/layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace cliffbench {
namespace {

TEST(Layout, IsTheShortestWithoutASeedAndTheSameForTheSameSeed) {
  EXPECT_EQ(draw_layout(0).environment, "");
  EXPECT_EQ(draw_layout(0).parentheses, 0);
  EXPECT_EQ(draw_layout(7).environment, draw_layout(7).environment);
  EXPECT_NE(draw_layout(7).environment, draw_layout(8).environment);
}

/// In steps of 16 bytes, as a stack is aligned.
TEST(Layout, ReachesAllOfAPage) {
  std::set<size_t> lengths, names;
  for (std::uint64_t process = 0; process < 5000; ++process) {
    const Layout layout = draw_layout(layout_seed(1, process));
    lengths.insert(layout.environment.size() / 16);
    names.insert(layout.result.size());
    EXPECT_LT(layout.result.size(), 200);  // file systems allow 255
    EXPECT_LT(layout.parentheses, 16);
  }
  EXPECT_GE(lengths.size(), 256);
  EXPECT_EQ(names.size(), 128);
}

TEST(Layout, HasBlocksOfItsOwnValueOnly) {
  EXPECT_TRUE(blocks_of_layout(nullptr).empty());
  EXPECT_TRUE(blocks_of_layout("").empty());
  EXPECT_TRUE(blocks_of_layout("set by somebody else").empty());
  std::set<size_t> counts;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const auto blocks = blocks_of_layout(draw_layout(seed).environment.c_str());
    EXPECT_LT(blocks.size(), 64);
    counts.insert(blocks.size());
  }
  EXPECT_GT(counts.size(), 30);
}

}  // namespace
}  // namespace cliffbench
