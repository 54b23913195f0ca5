/// Every rule of the claims is fed values that cannot be measurements: NaN, 0, a negative number,
/// infinity. None may decide by them. The gate's rules: gate_not_a_number_test.cpp.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "harness/core/record/measured_row_test.hpp"
#include "harness/core/stats/not_a_number_test.hpp"
#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/judge/claim.hpp"

namespace cliffbench {
namespace {

TEST(NotANumberOfAClaim, HoldsAndRefutesNoClaim) {
  for (const Range& nowhere : kNowhere) {
    for (const Bounds& range : {Bounds{2, kInf}, {0, 2}, {0.9, 1.1}, {-kInf, kInf}, {kNan, kNan}}) {
      EXPECT_EQ(decide({nowhere, nowhere, 6, 0}, range), Verdict::undecided);
    }
  }
  for (const Range& seen : {Range{1, 1}, {0, 3}, {1, kInf}}) {
    EXPECT_EQ(decide({seen, seen, 6, 0}, {kNan, kNan}), Verdict::undecided);
  }
}

Case declared() {
  Case made;
  made.name = "made";
  made.axes = {{"n", "", {"1", "2", "4", "8"}}};
  made.variants = {{.name = "baseline", .role = Role::baseline},
                   {.name = "control", .role = Role::control},
                   {.name = "fast", .role = Role::patch}};
  const auto claim = [&](Quantity quantity, const std::string& variant, Bounds range,
                         const std::string& of = "", const std::string& axis = "") {
    Claim one;
    one.id = fmt::format("{}{}", word(quantity), made.claims.size());
    one.quantity = quantity;
    one.variant = variant;
    one.against = "baseline";
    one.of = of;
    one.axis = axis;
    one.range = range;
    made.claims.push_back(one);
  };
  for (const Bounds& range : {Bounds{2, kInf}, {0, 2}}) {
    claim(Quantity::ratio, "fast", range);
    claim(Quantity::ratio, "fast", range, "stage");
    claim(Quantity::memory, "fast", range);
    claim(Quantity::share, "fast", range, "stage");
    claim(Quantity::exponent, "fast", range, "", "n");
    claim(Quantity::exponent, "fast", range, "stage", "n");
  }
  claim(Quantity::ratio, "control", {0.9, 1.1});
  made.claims.back().control = true;
  return made;
}

/// Six rounds of every cell; `spoil` makes one variant's rows what no trial can show.
Judgement judged(const std::string& variant, const std::function<void(Row&)>& spoil) {
  std::vector<Row> rows;
  for (const char* n : {"1", "2", "4", "8"}) {
    for (int round = 1; round <= 6; ++round) {
      for (const char* each : {"baseline", "control", "fast"}) {
        Row made = measured_row(each, round, 1);
        made.run = "run";
        made.params = {{"n", n}};
        made.rss_bytes = 1000;
        made.stages = {{"stage", 0.5}};
        if (variant == each) spoil(made);
        rows.push_back(made);
      }
    }
  }
  return judge_program(declared(), rows);
}

/// A value that no trial can show decides nothing; a cell without any time is not measured.
bool decides_nothing(const Finding& finding) {
  return finding.verdict == Verdict::undecided || finding.verdict == Verdict::not_measured;
}

void expect_undecided(const Judgement& judgement, const std::set<std::string>& of = {}) {
  int looked_at = 0;
  for (const Finding& finding : judgement.findings) {
    if (!of.empty() && !of.contains(word(finding.claim.quantity))) continue;
    if (finding.claim.control) continue;
    ++looked_at;
    EXPECT_TRUE(decides_nothing(finding))
        << finding.claim.id << " " << finding.interval.median.lo << " " << finding.interval.rounds;
  }
  EXPECT_GT(looked_at, 0);
}

TEST(NotANumberOfAClaim, IsNoTimeOfACase) {
  for (const double none : kNone) {
    const auto wall = [&](Row& made) { made.wall_s = made.stages["stage"] = none; };
    const Judgement fast = judged("fast", wall);
    expect_undecided(fast, {"ratio", "exponent"});
    const Judgement base = judged("baseline", wall);
    expect_undecided(base, {"ratio"});
    const Judgement control = judged("control", wall);
    EXPECT_TRUE(decides_nothing(control.findings.back())) << none;
    if (none == 0) continue;  // a coarse clock may show it: no fault of the trial
    for (const Judgement* each : {&fast, &base, &control})
      EXPECT_EQ(claims_exit_code(*each), 13) << none;
  }
}

TEST(NotANumberOfAClaim, IsNoTimeOfAStage) {
  for (const double none : kNone) {
    const Judgement found = judged("fast", [&](Row& made) { made.stages["stage"] = none; });
    for (const Finding& finding : found.findings) {
      if (finding.claim.of.empty()) continue;
      if (none == 0 && finding.claim.quantity == Quantity::share) continue;  // nothing of it: 0 %
      EXPECT_TRUE(decides_nothing(finding)) << finding.claim.id << none;
    }
  }
}

TEST(NotANumberOfAClaim, IsNoLimitOfACase) {
  for (const double none : kNone) {
    expect_undecided(judged("fast",
                            [&](Row& made) {
                              made.status = Status::timeout;
                              made.wall_s.reset();
                              made.limit_s = none;
                            }),
                     {"ratio", "share", "exponent"});
  }
}

TEST(NotANumberOfAClaim, IsNoMemory) {
  for (const std::int64_t none :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    for (const char* variant : {"fast", "baseline"}) {
      expect_undecided(judged(variant, [&](Row& made) { made.rss_bytes = none; }), {"memory"});
    }
  }
}

TEST(NotANumberOfAClaim, IsNoBoundOfAClaim) {
  for (const char* bound : {">= nan", "<= nan", "in nan 2", "in 1 nan", ">= -nan", ">= nan%",
                            ">= inf", ">= -inf", "<= inf", "in 1 inf", "at n=1,n=2 >= 2"}) {
    EXPECT_THROW((void)parse_claim_of_case(std::string("made fast ratio ") + bound), UserError)
        << bound;
  }
}

TEST(NotANumberOfAClaim, IsNoPointOfALine) {
  for (const double none : {kNan, kInf, -kInf}) {
    EXPECT_FALSE(slope(std::vector<Point>{{none, {1, 1}}, {1, {1, 1}}, {2, {1, 1}}, {3, {1, 1}}}));
    EXPECT_FALSE(slope(std::vector<Point>{
        {0, {none, none}}, {1, {none, none}}, {2, {none, none}}, {3, {none, none}}}));
  }
}

}  // namespace
}  // namespace cliffbench
