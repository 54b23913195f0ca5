#include "harness/gate/gate_plan.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cliffbench {
namespace {

TEST(EvidenceFile, IsReadAsItWasWritten) {
  const BenchmarkKey key{"program", "name"};
  Evidence evidence{.unfit = "it is hot"};
  evidence.instructions[key] = {1000, 1001};
  evidence.not_counted[{"other", "name"}] = "why not";
  const Evidence read = parse_evidence(nlohmann::json::parse(evidence_json(evidence).dump()));
  EXPECT_EQ(read.unfit, evidence.unfit);
  EXPECT_EQ(read.not_counted, evidence.not_counted);
  ASSERT_EQ(read.instructions.size(), 1);
  EXPECT_EQ(read.instructions.at(key).base, 1000);
  EXPECT_EQ(read.instructions.at(key).head, 1001);
}

}  // namespace
}  // namespace cliffbench
