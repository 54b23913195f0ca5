#include "harness/gate/pair_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/core/stats/not_a_number_test.hpp"

namespace cliffbench {
namespace {

/// `count` pairs of which the head was slower by `percent`.
std::vector<Range> pairs(int count, double percent) {
  const double d = std::log1p(percent / 100);
  return std::vector<Range>(static_cast<size_t>(count), {d, d});
}

/// `slower` pairs 10 % slower among `count` that did not change, in the middle of them.
std::vector<Range> some_slower(int count, int slower, double percent = 10) {
  auto made = pairs(count, 0);
  for (int i = 0; i < slower; ++i) made[static_cast<size_t>(i)] = pairs(1, percent)[0];
  return made;
}

TEST(SignedRanks, LimitsAreThoseOfTheExactDistribution) {
  // Weights 1, 2 and ten times 3. Sums 0 to 2 are 3 of 4096 (0.0007), 3 would make 14 (0.0034).
  EXPECT_EQ(signed_weight_limit(12, 0.0025), 2);
  EXPECT_EQ(signed_weight_limit(12, 14.0 / 4096), 3);
  EXPECT_EQ(signed_weight_limit(12, 1.0 / 4096), 0);
  EXPECT_EQ(signed_weight_limit(12, 0.9 / 4096), -1);
  EXPECT_EQ(signed_weight_limit(5, 6.0 / 32), 1);  // the test of signs
}

TEST(SignedRanks, LimitsAreThoseOfAllSignsCounted) {
  constexpr int kPairs = 18;
  std::vector<int> with_sum(kPairs * kPairs);
  for (int signs = 0; signs < 1 << kPairs; ++signs) {
    int sum = 0;
    for (int rank = 1; rank <= kPairs; ++rank) {
      if (signs >> (rank - 1) & 1) sum += std::min(rank, 4);
    }
    ++with_sum[static_cast<size_t>(sum)];
  }
  double chance = 0;
  for (int limit = 0; limit < 66; ++limit) {  // 1 + 2 + 3 + 15 * 4
    chance += with_sum[static_cast<size_t>(limit)] / std::ldexp(1, kPairs);
    EXPECT_EQ(signed_weight_limit(kPairs, chance), limit);
  }
}

TEST(SignedRanks, TiesAndWhatIsNotKnownAreAgainst) {
  constexpr double kError = 0.0025;
  auto made = pairs(12, 3);
  EXPECT_TRUE(lie_above(made, std::log1p(0.02), kError));
  made[3] = pairs(1, 1)[0];  // as far below as the others are above: its rank is the highest
  EXPECT_FALSE(lie_above(made, std::log1p(0.02), kError));
  made[3] = pairs(1, 1.9)[0];  // nearer: the lowest
  EXPECT_TRUE(lie_above(made, std::log1p(0.02), kError));
  made[3] = {-kInf, kInf};
  EXPECT_FALSE(lie_above(made, std::log1p(0.02), kError));
  EXPECT_FALSE(lie_above(pairs(12, 2), std::log1p(0.02), kError));  // equal is not above
  EXPECT_TRUE(lie_below(pairs(12, 1), std::log1p(0.02), kError));
}

std::optional<Ruling> decide(const std::vector<Range>& made) { return decide_pairs(made, {}); }

TEST(DecidePairs, TheLastAnalysisDecidesFromSevenPairsThatAreClear) {
  const PairRule last{.analysis = Analysis::last};
  EXPECT_EQ(decide_pairs(pairs(7, 50), last), Ruling::regression);
  EXPECT_EQ(decide(pairs(7, 50)), std::nullopt);
  EXPECT_EQ(decide_pairs(pairs(6, 50), last), std::nullopt);
  EXPECT_EQ(decide_pairs({}, last), std::nullopt);
  EXPECT_EQ(decide_pairs(pairs(5, 0), last), Ruling::ok);
}

TEST(DecidePairs, AllSlowerIsARegressionAtTheFirstAnalysis) {
  EXPECT_EQ(decide(pairs(12, 10)), Ruling::regression);
  EXPECT_EQ(decide(pairs(11, 10)), std::nullopt);
}

TEST(DecidePairs, TwoFarOffLeaveItOpen) {
  EXPECT_EQ(decide(some_slower(12, 1, 20)), Ruling::ok);    // it weighs 3; up to 5 are allowed
  EXPECT_EQ(decide(some_slower(12, 1, 1000)), Ruling::ok);  // however far it is
  EXPECT_EQ(decide(some_slower(12, 2, 20)), std::nullopt);
  EXPECT_EQ(decide(some_slower(12, 2, 9)), Ruling::ok);  // nearer to 5 % than the others: 1 and 2
  EXPECT_EQ(decide(some_slower(24, 2, 20)), Ruling::ok);
}

TEST(DecidePairs, TheMarginsAreTwoAndFivePercent) {
  EXPECT_EQ(decide(pairs(12, 2.01)), Ruling::regression);  // ok holds too: regression wins
  EXPECT_EQ(decide(pairs(12, 1.99)), Ruling::ok);
  EXPECT_EQ(decide(pairs(12, 2)), Ruling::ok);  // more than the margin is asked for
  auto made = pairs(6, 0);
  for (const Range& d : pairs(6, 4.99)) made.push_back(d);
  EXPECT_EQ(decide(made), Ruling::ok);
}

TEST(DecidePairs, OtherMarginsAreObeyed) {
  EXPECT_EQ(decide_pairs(pairs(12, 6), {.margin = 0.05, .must_find = 0.1}), Ruling::regression);
  EXPECT_EQ(decide_pairs(pairs(12, 4), {.margin = 0.05, .must_find = 0.1}), Ruling::ok);
  EXPECT_EQ(decide_pairs(pairs(12, 1.5), {.margin = 0.01}), Ruling::regression);
  const PairRule rule{.margin = 0.05, .must_find = 0.125};
  EXPECT_EQ(meaning(Ruling::regression, rule), "slower by more than 5 %");
  EXPECT_EQ(meaning(Ruling::ok, rule), "a slowdown of 12.5 % is ruled out");
}

TEST(DecidePairs, ManyDecisionsShareTheChanceOfAFalseAlarm) {
  EXPECT_EQ(decide_pairs(pairs(12, 10), {.decisions = 30}), std::nullopt);  // twelve cannot
  EXPECT_EQ(decide_pairs(pairs(24, 10), {.decisions = 300}), Ruling::regression);
  EXPECT_EQ(decide_pairs(pairs(12, 0), {.decisions = 300}), Ruling::ok);  // misses share nothing
}

TEST(DecidePairs, TheTwoTimesOfAProcessShareTheChanceOfAFalseAlarm) {
  const PairRule rule{.must_find = 0.05, .alarm = 0.01};
  EXPECT_DOUBLE_EQ(of_fastest(rule).alarm, 0.009);
  EXPECT_DOUBLE_EQ(of_mean(rule).alarm, 0.001);
  EXPECT_DOUBLE_EQ(of_fastest(rule).must_find, 0.05);
  EXPECT_DOUBLE_EQ(of_mean(rule).must_find, 0.1);
}

TEST(DecidePairs, ImprovedIsTheMirrorImage) {
  const auto mirrored = [](std::vector<Range> made) {
    for (Range& d : made) d = {-d.hi, -d.lo};
    return made;
  };
  EXPECT_EQ(decide(mirrored(pairs(12, 2.01))), Ruling::improved);
  EXPECT_EQ(decide(mirrored(pairs(12, 1.99))), Ruling::ok);
}

TEST(DecidePairs, TheFirstAnalysisThatDecidesCounts) {
  auto made = pairs(12, 10);
  for (const Range& d : pairs(48, -10)) made.push_back(d);
  EXPECT_EQ(decide(made), Ruling::regression);
  made = pairs(12, 0);
  for (const Range& d : pairs(48, 10)) made.push_back(d);
  EXPECT_EQ(decide(made), Ruling::ok);
}

TEST(DecidePairs, DecidesNothingBetweenTheAnalyses) {
  auto made = some_slower(12, 2, 20);
  while (made.size() < 24) {
    EXPECT_EQ(decide(made), std::nullopt) << made.size();
    made.push_back({0, 0});
  }
  EXPECT_EQ(decide(made), Ruling::ok);
}

TEST(DecidePairs, WideAroundThreePercentIsInconclusiveAfterSixty) {
  std::vector<Range> made;
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(decide(made), std::nullopt) << i;
    const double d = std::log1p(0.034) + (i % 2 ? 1 : -1) * (0.1 + 0.01 * (i / 2));
    made.push_back({d, d});
  }
  EXPECT_EQ(decide(made), Ruling::inconclusive);
}

TEST(DecidePairs, AStoppedHeadIsSlowerAndAStoppedPairIsNothing) {
  const double slow = std::log1p(0.1);
  EXPECT_EQ(decide(std::vector<Range>(12, {slow, kInf})), Ruling::regression);
  EXPECT_EQ(decide(std::vector<Range>(12, {-kInf, -slow})), Ruling::improved);
  EXPECT_EQ(decide(std::vector<Range>(12, {0, kInf})), std::nullopt);
  EXPECT_EQ(decide(std::vector<Range>(60, {-kInf, kInf})), Ruling::inconclusive);
}

TEST(DecidePairs, WhatIsNotANumberIsAgainst) {
  for (const Range& nowhere : kNowhere) {
    EXPECT_EQ(decide(std::vector<Range>(60, nowhere)), Ruling::inconclusive);
    EXPECT_FALSE(differs_from_itself(std::vector<Range>(60, nowhere), {}));
    auto slower = pairs(12, 10);
    slower.back() = nowhere;
    EXPECT_EQ(decide(slower), std::nullopt);
  }
}

}  // namespace
}  // namespace cliffbench
