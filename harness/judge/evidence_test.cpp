#include "harness/judge/evidence.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cliffbench {
namespace {

const Evidence::Key kKey = {"program", "name"};

GateReport report(Ruling ruling, int pairs = 12) {
  GateReport made;
  made.findings = {{.program = "program", .name = "name", .ruling = ruling, .pairs = pairs}};
  return made;
}

GateFinding applied(Ruling ruling, const Evidence& signals, bool by_instructions = false,
                    int pairs = 12) {
  GateReport made = report(ruling, pairs);
  apply_evidence(made, signals, by_instructions);
  return made.findings[0];
}

TEST(Evidence, CountsArbitrate) {
  Evidence signals;
  signals.instructions[kKey] = {1000, 1000};
  EXPECT_EQ(applied(Ruling::regression, signals).ruling, Ruling::layout_suspect);
  EXPECT_EQ(applied(Ruling::inconclusive, signals).ruling, Ruling::ok);
  signals.instructions[kKey] = {1000, 1100};
  EXPECT_EQ(applied(Ruling::regression, signals).ruling, Ruling::regression);
}

TEST(Evidence, AreOfOneBenchmarkOfOneProgram) {
  Evidence signals;
  signals.instructions[{"program", "other"}] = {1000, 1000};
  signals.instructions[{"other", "name"}] = {1000, 1000};
  const GateFinding finding = applied(Ruling::regression, signals);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_FALSE(finding.instructions);
}

TEST(Evidence, LayoutsDecideASuspectAndNobodyElse) {
  Evidence signals;
  signals.layouts[kKey] = std::vector<double>(8, 0.0);
  EXPECT_EQ(applied(Ruling::regression, signals).ruling, Ruling::regression);
  signals.instructions[kKey] = {1000, 1000};
  EXPECT_EQ(applied(Ruling::regression, signals).ruling, Ruling::ok);
  signals.layouts[kKey] = std::vector<double>(8, 0.06);
  EXPECT_EQ(applied(Ruling::regression, signals).ruling, Ruling::regression);
}

TEST(Evidence, OnAnUnfitMachineOnlyCountsDecide) {
  Evidence signals{.unfit = "the machine runs on battery"};
  signals.not_counted[kKey] = "valgrind is not installed";
  GateFinding finding = applied(Ruling::regression, signals);
  EXPECT_EQ(finding.ruling, Ruling::inconclusive);
  EXPECT_EQ(
      finding.reason,
      "times decide only from 2x on: the machine runs on battery; instructions are not counted: "
      "valgrind is not installed");
  signals.instructions[kKey] = {1000, 1100};
  finding = applied(Ruling::ok, signals);
  EXPECT_EQ(finding.ruling, Ruling::regression);
  EXPECT_EQ(finding.metric, Metric::instructions);
  GateReport made = report(Ruling::ok);
  apply_evidence(made, signals, false);
  EXPECT_EQ(made.unfit, "the machine runs on battery");
}

TEST(Evidence, OnAnUnfitMachineAFactorOfTwoDecidesStill) {
  const Evidence signals{.unfit = "this is a hosted macOS machine"};
  GateReport made = report(Ruling::regression);
  made.findings.front().ratio = {.median = {0.4, 0.4}, .at = Range{0.35, 0.49}, .rounds = 12};
  apply_evidence(made, signals, false);
  EXPECT_EQ(made.findings.front().ruling, Ruling::regression);
  made.findings.front().ratio.at = Range{0.35, 0.51};
  apply_evidence(made, signals, false);
  EXPECT_EQ(made.findings.front().ruling, Ruling::inconclusive);
}

TEST(Evidence, DoNotExcuseAFault) {
  Evidence signals{.unfit = "the machine runs on battery"};
  signals.instructions[kKey] = {1000, 1000};
  for (const Ruling fault : {Ruling::wrong_output, Ruling::not_measured}) {
    EXPECT_EQ(applied(fault, signals).ruling, fault);
    EXPECT_EQ(applied(fault, {.instructions = signals.instructions}).ruling, fault);
  }
}

TEST(Evidence, InstructionsAloneNeedNoPair) {
  Evidence signals;
  signals.instructions[kKey] = {1000, 1000};
  EXPECT_EQ(applied(Ruling::not_measured, signals, true, 0).ruling, Ruling::ok);
  signals.instructions.clear();
  signals.not_counted[kKey] = "the program does not run under valgrind";
  const GateFinding finding = applied(Ruling::not_measured, signals, true, 0);
  EXPECT_EQ(finding.ruling, Ruling::inconclusive);
  EXPECT_NE(finding.reason.find("does not run under valgrind"), std::string::npos);
}

TEST(Evidence, AreReadAsTheyWereWritten) {
  Evidence signals{.unfit = "it is hot"};
  signals.instructions[kKey] = {1000, 1001};
  signals.layouts[kKey] = {0.01, -0.02};
  signals.not_counted[{"other", "name"}] = "why not";
  const Evidence read = parse_evidence(nlohmann::json::parse(evidence_json(signals).dump()));
  EXPECT_EQ(read.unfit, signals.unfit);
  EXPECT_EQ(read.layouts, signals.layouts);
  EXPECT_EQ(read.not_counted, signals.not_counted);
  ASSERT_EQ(read.instructions.size(), 1);
  EXPECT_EQ(read.instructions.at(kKey).base, 1000);
  EXPECT_EQ(read.instructions.at(kKey).head, 1001);
}

}  // namespace
}  // namespace cliffbench
