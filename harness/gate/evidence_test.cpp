#include <gtest/gtest.h>

#include "harness/gate/ruling.hpp"

namespace cliffbench {
namespace {

const BenchmarkKey kKey = {"program", "name"};

GateReport report(Ruling ruling, int pairs = 12) {
  GateReport made;
  made.findings = {{.program = "program", .name = "name", .ruling = ruling, .pairs = pairs}};
  return made;
}

GateFinding applied(Ruling ruling, const Evidence& evidence, bool by_instructions = false,
                    int pairs = 12) {
  GateReport made = report(ruling, pairs);
  apply_evidence(made, evidence, by_instructions);
  return made.findings[0];
}

TEST(Evidence, CountsArbitrate) {
  Evidence evidence;
  evidence.instructions[kKey] = {1000, 1000};
  EXPECT_EQ(applied(Ruling::regression, evidence).ruling, Ruling::regression);
  EXPECT_EQ(applied(Ruling::inconclusive, evidence).ruling, Ruling::inconclusive);
  evidence.instructions[kKey] = {1000, 1100};
  EXPECT_EQ(applied(Ruling::regression, evidence).ruling, Ruling::regression);
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

TEST(Evidence, AreOfOneBenchmarkOfOneProgram) {
  Evidence evidence;
  evidence.instructions[{"program", "other"}] = {1000, 1000};
  evidence.instructions[{"other", "name"}] = {1000, 1000};
  const GateFinding finding = applied(Ruling::regression, evidence);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_FALSE(finding.instructions);
}

TEST(Evidence, OnAnUnfitMachineOnlyCountsDecide) {
  Evidence evidence{.unfit = "the machine runs on battery"};
  evidence.not_counted[kKey] = "valgrind is not installed";
  GateFinding finding = applied(Ruling::regression, evidence);
  EXPECT_EQ(finding.ruling, Ruling::inconclusive);
  EXPECT_EQ(finding.reason,
            "times decide only changes above 2x: the machine runs on battery; instructions were "
            "not counted: "
            "valgrind is not installed");
  evidence.instructions[kKey] = {1000, 1100};
  finding = applied(Ruling::ok, evidence);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_EQ(finding.metric, Metric::instructions);
  GateReport made = report(Ruling::ok);
  apply_evidence(made, evidence, false);
  EXPECT_EQ(made.unfit, "the machine runs on battery");
}

TEST(Evidence, OnAnUnfitMachineAFactorOfTwoDecidesStill) {
  const Evidence evidence{.unfit = "this is a hosted macOS machine"};
  GateReport made = report(Ruling::regression);
  made.findings.front().ratio = {.median = {0.4, 0.4}, .at = Range{0.35, 0.49}, .rounds = 12};
  apply_evidence(made, evidence, false);
  EXPECT_EQ(made.findings.front().ruling, Ruling::regression);
  made.findings.front().ratio.at = Range{0.35, 0.51};
  apply_evidence(made, evidence, false);
  EXPECT_EQ(made.findings.front().ruling, Ruling::inconclusive);
}

TEST(Evidence, DoNotExcuseAFault) {
  Evidence evidence{.unfit = "the machine runs on battery"};
  evidence.instructions[kKey] = {1000, 1000};
  for (const Ruling fault : {Ruling::wrong_output, Ruling::not_measured}) {
    EXPECT_EQ(applied(fault, evidence).ruling, fault);
    EXPECT_EQ(applied(fault, {.instructions = evidence.instructions}).ruling, fault);
  }
}

TEST(Evidence, InstructionsAloneNeedNoPair) {
  Evidence evidence;
  evidence.instructions[kKey] = {1000, 1000};
  EXPECT_EQ(applied(Ruling::not_measured, evidence, true, 0).ruling, Ruling::ok);
  evidence.instructions.clear();
  evidence.not_counted[kKey] = "the program does not run under valgrind";
  const GateFinding finding = applied(Ruling::not_measured, evidence, true, 0);
  EXPECT_EQ(finding.ruling, Ruling::inconclusive);
  EXPECT_NE(finding.reason.find("does not run under valgrind"), std::string::npos);
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
