/// What README.md says of the rule and of others that were not chosen, on made noise, the same with
/// each standard library: rank tests, and which time of a process is judged.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "harness/gate/pair_rule.hpp"

namespace cliffbench {
namespace {

/// Chances that the weights of `pairs` tosses of a coin sum to at most 0, 1, ...; weights grow with
/// the rank up to `cap`.
const std::vector<double>& chances(size_t pairs, size_t cap) {
  static std::map<std::pair<size_t, size_t>, std::vector<double>> known;
  std::vector<double>& made = known[{pairs, cap}];
  if (!made.empty()) return made;
  made = {1};
  for (size_t rank = 1; rank <= pairs; ++rank) {
    const size_t weight = std::min(rank, cap);
    std::vector<double> next(made.size() + weight);
    for (size_t sum = 0; sum < made.size(); ++sum) {
      next[sum] += made[sum] / 2;
      next[sum + weight] += made[sum] / 2;
    }
    made = std::move(next);
  }
  for (size_t sum = 1; sum < made.size(); ++sum) made[sum] += made[sum - 1];
  return made;
}

enum class RankTest { signs, capped_ranks, signed_ranks };

/// The chance of these pairs or worse ones, if they lie above `at` as often as below it.
double chance(std::vector<double> logs, double at, RankTest test) {
  for (double& d : logs) d -= at;
  std::ranges::sort(logs, {}, [](double d) { return std::pair(std::fabs(d), d <= 0); });
  const size_t pairs = logs.size();
  const size_t cap = test == RankTest::signs          ? 1
                     : test == RankTest::signed_ranks ? pairs
                                                      : (pairs + 4) / 5;
  size_t against = 0;
  for (size_t i = 0; i < pairs; ++i) {
    if (logs[i] <= 0) against += std::min(i + 1, cap);
  }
  return chances(pairs, cap)[against];
}

/// decide_pairs by any of the tests.
Ruling decide(const std::vector<double>& logs, RankTest test) {
  const PairRule rule;
  const double margin = std::log1p(rule.margin), must_find = std::log1p(rule.must_find);
  const double alarm = rule.alarm / kAnalysisPairs.size(), miss = rule.miss / kAnalysisPairs.size();
  for (const int pairs : kAnalysisPairs) {
    const std::vector<double> seen(logs.begin(), logs.begin() + pairs);
    std::vector<double> mirrored = seen;
    for (double& d : mirrored) d = -d;
    if (chance(seen, margin, test) <= alarm) return Ruling::regression;
    if (chance(mirrored, margin, test) <= alarm) return Ruling::improved;
    if (chance(mirrored, -must_find, test) <= miss) return Ruling::ok;
  }
  return Ruling::inconclusive;
}

double uniform(std::mt19937& random) { return (random() + 0.5) / 4294967296.0; }
double normal(std::mt19937& random, double deviation) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return deviation * radius * std::cos(2 * M_PI * uniform(random));
}

/// ln(t_head / t_base) of a pair whose sides are equal.
using Noise = std::function<double(std::mt19937&)>;

const std::array<Noise, 3> kNoises = {
    [](std::mt19937& random) { return normal(random, 0.06); },
    [](std::mt19937& random) { return normal(random, random() % 10 == 0 ? 0.3 : 0.03); },
    // Half of the processes met a neighbour, which slows them by 8 %.
    [](std::mt19937& random) {
      const double head = random() % 2 ? 0.08 : 0;
      const double noise = normal(random, 0.005);
      return noise + head - (random() % 2 ? 0.08 : 0);
    }};

std::vector<double> drawn(const Noise& noise, double slowdown, std::mt19937& random) {
  std::vector<double> logs;
  for (int pair = 0; pair < kMostPairs; ++pair) {
    logs.push_back(std::log1p(slowdown) + noise(random));
  }
  return logs;
}

/// The product's ruling.
Ruling decided(const std::vector<double>& logs, const PairRule& rule = {}) {
  std::vector<Range> pairs;
  for (const double log : logs) pairs.push_back(exactly(log));
  return decide_pairs(pairs, rule).value();
}

TEST(RankTests, TheProductsIsOneOfThem) {
  std::mt19937 random(1);
  for (int draw = 0; draw < 100; ++draw) {
    for (const Noise& noise : kNoises) {
      for (const double slowdown : {-0.05, 0.0, 0.02, 0.05, 0.1}) {
        const std::vector<double> logs = drawn(noise, slowdown, random);
        EXPECT_EQ(decided(logs), decide(logs, RankTest::capped_ranks));
      }
    }
  }
}

/// Of 1,000 gates those with the ruling, in percent.
double share(Ruling wanted, const std::function<Ruling(std::mt19937&)>& gate) {
  constexpr int kGates = 1000;
  std::mt19937 random(7);
  int had = 0;
  for (int i = 0; i < kGates; ++i) had += gate(random) == wanted;
  return 100.0 * had / kGates;
}

void expect_in_readme(const std::string& row) {
  std::stringstream readme;
  readme << std::ifstream(README).rdbuf();
  EXPECT_NE(readme.str().find(row), std::string::npos) << row;
}

TEST(RankTests, AreAsReadmeSays) {
  for (const auto& [test, name] : {std::pair(RankTest::signs, "signs"),
                                   {RankTest::capped_ranks, "**capped ranks**"},
                                   {RankTest::signed_ranks, "signed ranks"}}) {
    std::string row = fmt::format("| {} |", name);
    for (const Noise& noise : kNoises) {
      const auto with = [&](double slowdown, Ruling wanted) {
        return share(wanted, [&](std::mt19937& random) {
          return decide(drawn(noise, slowdown, random), test);
        });
      };
      row += fmt::format(" {:.0f}, {:.0f}, {:.0f} % |", with(0, Ruling::ok),
                         with(0.05, Ruling::regression), with(0.1, Ruling::regression));
    }
    expect_in_readme(row);
  }
}

/// A process of ten batches, each slowed with the chance 1/4, by up to twofold. With rare work, a
/// batch takes three times as long with the chance 1/10.
struct Times {
  double fastest = INFINITY, mean = 0;
};
Times process(std::mt19937& random, double slower, bool rare_work) {
  constexpr int kBatches = 10;
  const double level = slower * std::exp(normal(random, 0.01));
  Times times;
  for (int batch = 0; batch < kBatches; ++batch) {
    double time = level;
    if (random() % 4 == 0) time *= 1 + uniform(random);
    if (random() % 10 == 0 && rare_work) time *= 3;
    times.fastest = std::min(times.fastest, time);
    times.mean += time / kBatches;
  }
  return times;
}

enum class Judged { fastest, both, mean };

Ruling gate(std::mt19937& random, Judged judged, double slower, bool rare_work) {
  std::vector<double> fastest, mean;
  for (int pair = 0; pair < kMostPairs; ++pair) {
    const Times base = process(random, 1, false), head = process(random, slower, rare_work);
    fastest.push_back(std::log(head.fastest / base.fastest));
    mean.push_back(std::log(head.mean / base.mean));
  }
  if (judged == Judged::fastest) return decided(fastest);
  if (judged == Judged::mean) return decided(mean);
  const Ruling one = decided(fastest, of_fastest({}));
  const Ruling other = decided(mean, of_mean({}));
  return is_worse(other, one) ? other : one;
}

TEST(TwoTimesOfAProcess, AreAsReadmeSays) {
  const auto row = [](const char* what, Ruling wanted, double slower, bool rare_work) {
    std::string cells;
    for (const Judged judged : {Judged::fastest, Judged::both, Judged::mean}) {
      cells += fmt::format(" {:.0f} % |", share(wanted, [&](std::mt19937& random) {
                             return gate(random, judged, slower, rare_work);
                           }));
    }
    expect_in_readme(fmt::format("| {} |{}", what, cells));
  };
  row("ok without a change", Ruling::ok, 1, false);
  row("5 % found", Ruling::regression, 1.05, false);
  row("10 % found", Ruling::regression, 1.1, false);
  row("rare work found", Ruling::regression, 1, true);
}

}  // namespace
}  // namespace cliffbench
