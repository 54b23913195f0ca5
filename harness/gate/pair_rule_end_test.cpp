#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "harness/gate/pair_rule.hpp"

namespace cliffbench {
namespace {

/// Pairs with this true slowdown, whose noise is 3 % and for each tenth 30 %.
std::vector<Range> pairs_of(double slowdown, int count, std::mt19937_64& random) {
  std::normal_distribution<double> narrow(0, 0.03);
  std::normal_distribution<double> wide(0, 0.3);
  std::vector<Range> pairs;
  for (int i = 0; i < count; ++i) {
    const double log_ratio =
        std::log1p(slowdown) + (random() % 10 == 0 ? wide(random) : narrow(random));
    pairs.push_back({log_ratio, log_ratio});
  }
  return pairs;
}

/// Rulings of gates that end after 1 to 60 pairs.
int rulings_at_end(double slowdown, Ruling wanted, int count) {
  std::mt19937_64 random(7);
  int rulings = 0;
  for (int i = 0; i < count; ++i) {
    const int pairs = 1 + static_cast<int>(random() % static_cast<unsigned>(kMostPairs));
    rulings += decide_pairs(pairs_of(slowdown, pairs, random),
                            PairRule{.analysis = Analysis::last}) == wanted;
  }
  return rulings;
}

TEST(PairRuleAtEnd, ATrueTwoPercentAlarmsAsRarelyAsPromised) {
  EXPECT_LE(rulings_at_end(0.02, Ruling::regression, 4000),
            60);  // 1 %, and three times its scatter
}

TEST(PairRuleAtEnd, ATrueFivePercentPassesAsRarelyAsPromised) {
  EXPECT_LE(rulings_at_end(0.05, Ruling::ok, 4000), 240);  // 5 %, and three times its scatter
}

TEST(PairRuleAtEnd, DecidesFromSevenPairsThatAreClear) {
  const std::vector<Range> clear(7, {0.4, 0.4});
  EXPECT_EQ(decide_pairs(clear, PairRule{.analysis = Analysis::last}), Ruling::regression);
  EXPECT_EQ(decide_pairs(clear, PairRule{}), std::nullopt);
  EXPECT_EQ(decide_pairs(std::span(clear).first(6), PairRule{.analysis = Analysis::last}),
            std::nullopt);
  EXPECT_EQ(decide_pairs({}, PairRule{.analysis = Analysis::last}), std::nullopt);
  EXPECT_EQ(decide_pairs(std::vector<Range>(5, {0, 0}), PairRule{.analysis = Analysis::last}),
            Ruling::ok);
}

}  // namespace
}  // namespace cliffbench
