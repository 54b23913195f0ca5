#include <gtest/gtest.h>

#include "harness/judge/gate.hpp"

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
  EXPECT_EQ(
      finding.reason,
      "times decide only from 2x on: the machine runs on battery; instructions are not counted: "
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

}  // namespace
}  // namespace cliffbench
