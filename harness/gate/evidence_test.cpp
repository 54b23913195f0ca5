#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/stats/not_a_number_test.hpp"
#include "harness/gate/ruling.hpp"
#include "harness/gate/words.hpp"

namespace cliffbench {
namespace {

Evidence counted(double base, double head, const std::string& unfit = "") {
  return {.unfit = unfit, .counted = {{"program", "name", Instructions{base, head}}}};
}
Evidence not_counted(const std::string& why, const std::string& unfit = "") {
  return {.unfit = unfit, .counted = {{.program = "program", .name = "name", .not_counted = why}}};
}

GateFinding applied(Ruling ruling, const Evidence& evidence, bool by_instructions = false,
                    int pairs = 12, const Range& ratio = {1, 1}) {
  GateReport made;
  made.findings = {{.program = "program", .name = "name", .ruling = ruling, .pairs = pairs}};
  made.findings[0].ratio = {.median = ratio, .at = ratio, .rounds = 12};
  apply_evidence(made, evidence, by_instructions);
  EXPECT_EQ(made.unfit, evidence.unfit);
  return made.findings[0];
}

TEST(Evidence, CountsTellWhereTheyCanExplainOrChange) {
  GateFinding finding{.ruling = Ruling::inconclusive, .pairs = 60};
  finding.ratio = {.median = {0.95, 0.95}, .at = Range{0.93, 0.97}, .rounds = 60};
  EXPECT_TRUE(counts_tell(finding));
  finding.ratio.at = Range{0.93, 0.99};
  EXPECT_FALSE(counts_tell(finding));
  finding.ruling = Ruling::ok;
  EXPECT_FALSE(counts_tell(finding));
  finding.ruling = Ruling::regression;
  EXPECT_TRUE(counts_tell(finding));
}

TEST(Evidence, IsOfOneBenchmarkOfOneProgram) {
  const Instructions counts{1000, 1100};
  const Evidence others{.unfit = "",
                        .counted = {{"program", "other", counts}, {"other", "name", counts}}};
  EXPECT_FALSE(applied(Ruling::regression, others).instructions);
}

TEST(Evidence, OnAnUnfitMachineOnlyCountsOrAFactorOfTwoDecide) {
  const std::string unfit = "the machine runs on battery";
  GateFinding finding =
      applied(Ruling::regression, not_counted("valgrind is not installed", unfit));
  EXPECT_EQ(finding.ruling, Ruling::inconclusive);
  EXPECT_EQ(finding.reason,
            "times decide only changes above 2x: the machine runs on battery; instructions were "
            "not counted: valgrind is not installed");
  finding = applied(Ruling::ok, counted(1000, 1100, unfit));
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_EQ(finding.metric, Metric::instructions);
  const auto at = [&](const Range& ratio) {
    return applied(Ruling::regression, {.unfit = unfit}, false, 12, ratio).ruling;
  };
  EXPECT_EQ(at({0.35, 0.49}), Ruling::regression);
  EXPECT_EQ(at({0.35, 0.51}), Ruling::inconclusive);
  for (const Range& nowhere : kNowhere) EXPECT_EQ(at(nowhere), Ruling::inconclusive);
}

TEST(Evidence, DoesNotExcuseAFault) {
  for (const Ruling fault : {Ruling::wrong_output, Ruling::not_measured}) {
    EXPECT_EQ(applied(fault, counted(1000, 1000, "hot")).ruling, fault);
    EXPECT_EQ(applied(fault, counted(1000, 1000)).ruling, fault);
  }
}

TEST(Evidence, InstructionsAloneNeedNoPair) {
  EXPECT_EQ(applied(Ruling::not_measured, counted(1000, 1000), true, 0).ruling, Ruling::ok);
  const std::string why = "the program does not run under valgrind";
  const GateFinding finding = applied(Ruling::not_measured, not_counted(why), true, 0);
  EXPECT_EQ(finding.ruling, Ruling::inconclusive);
  EXPECT_TRUE(finding.reason.ends_with(why));
}

TEST(Evidence, CountsThatAreNotNumbersDecideNothing) {
  for (const double none : kNone) {
    for (const Instructions& counts : {Instructions{none, 1000}, {1000, none}, {none, none}}) {
      EXPECT_FALSE(counts.change()) << none;
      GateFinding alone{.ruling = Ruling::regression};
      rule_by_instructions(alone, counts);
      EXPECT_EQ(alone.ruling, Ruling::inconclusive) << none;
      EXPECT_NE(alone.reason.find("cannot be instruction counts"), std::string::npos);
      EXPECT_TRUE(ruling_json(alone)["instructions"]["change"].is_null());
      for (const Ruling by_time : {Ruling::ok, Ruling::regression, Ruling::inconclusive}) {
        GateFinding beside{.ruling = by_time, .pairs = 12};
        add_instructions(beside, counts);
        EXPECT_EQ(beside.ruling, by_time) << none;
        EXPECT_EQ(ruling_line(beside).find("nan"), std::string::npos);
      }
    }
  }
}

/// Every row of the table in the method: what time says, how the count changed, what is ruled.
TEST(AddInstructions, ArbitratesAsTheTableSays) {
  struct Line {
    Ruling time;
    double change;
    Ruling ruled;
    const char* reason;
  };
  const Line table[] = {
      {Ruling::ok, 0, Ruling::ok, ""},
      {Ruling::ok, 0.0049, Ruling::ok, ""},
      {Ruling::ok, 0.006, Ruling::ok, "0.6 % more instructions"},
      {Ruling::ok, 0.2, Ruling::ok, "20.0 % more instructions"},
      {Ruling::regression, 0.1, Ruling::regression, ""},
      {Ruling::regression, 0.0011, Ruling::regression, ""},
      {Ruling::regression, -0.1, Ruling::regression, ""},
      {Ruling::regression, 0.0009, Ruling::regression, "look at memory, latency or alignment"},
      {Ruling::regression, -0.0009, Ruling::regression, "look at memory, latency or alignment"},
      {Ruling::inconclusive, 0, Ruling::inconclusive, "the same number of instructions"},
      {Ruling::inconclusive, 0.01, Ruling::inconclusive, ""},
      {Ruling::inconclusive, 0.1, Ruling::inconclusive, ""},  // there is no interval
      {Ruling::improved, 0, Ruling::improved, "look at memory, latency or alignment"},
      {Ruling::improved, -0.1, Ruling::improved, ""},
      {Ruling::wrong_output, 0, Ruling::wrong_output, ""},
      {Ruling::not_measured, 0, Ruling::not_measured, ""},
  };
  for (const Line& line : table) {
    GateFinding finding{.ruling = line.time};
    add_instructions(finding, {1e6, 1e6 * (1 + line.change)});
    const std::string which = word(line.time) + " " + std::to_string(line.change);
    EXPECT_EQ(finding.ruling, line.ruled) << which;
    if (*line.reason) {
      EXPECT_NE(finding.reason.find(line.reason), std::string::npos) << which;
    } else {
      EXPECT_EQ(finding.reason, "") << which;
    }
    EXPECT_NEAR(*finding.instructions->change(), line.change, 1e-9);
  }
}

TEST(RuleByInstructions, HasTheSameMargin) {
  const auto ruled = [](double change) {
    GateFinding finding{.ruling = Ruling::regression, .reason = "of the time"};
    rule_by_instructions(finding, {1000, 1000 * (1 + change)});
    EXPECT_EQ(finding.metric, Metric::instructions);
    EXPECT_TRUE(finding.decided);
    EXPECT_EQ(finding.reason.find("of the time"), std::string::npos);
    return finding;
  };
  EXPECT_EQ(ruled(0.021).ruling, Ruling::regression);
  EXPECT_EQ(ruled(0.019).ruling, Ruling::ok);
  EXPECT_EQ(ruled(-0.021).ruling, Ruling::improved);
  EXPECT_EQ(ruled(0).reason, "instructions changed by +0.00 %; the margin is 2 %");
}

TEST(AddInstructions, MoreOfThemDecideWhatIsSlowerByItsWholeInterval) {
  const auto ruled = [](double hi, double change, int count = 60) {
    GateFinding finding{.ruling = Ruling::inconclusive, .pairs = count};
    finding.ratio.at = Range{0.85, hi};
    add_instructions(finding, {1e6, 1e6 * (1 + change)});
    return finding;
  };
  EXPECT_EQ(ruled(0.97, 0.1).ruling, Ruling::regression);
  EXPECT_EQ(ruled(0.97, 0.1).reason,
            "the pairs do not decide, but the whole interval is slower by more than 2 %, and it "
            "executes 10.0 % more instructions");
  EXPECT_EQ(ruled(0.97, 0).ruling, Ruling::inconclusive);  // the pairs alone decide that
  EXPECT_EQ(ruled(0.99, 0).ruling, Ruling::inconclusive);
  EXPECT_EQ(ruled(0.985, 0.1).ruling, Ruling::inconclusive);  // reaches into the margin
  EXPECT_EQ(ruled(0.97, 0.015).ruling, Ruling::inconclusive);
  EXPECT_EQ(ruled(0.97, 0.1, 11).ruling, Ruling::inconclusive);
}

}  // namespace
}  // namespace cliffbench
