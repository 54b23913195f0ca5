#include "harness/verdicts.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

TEST(Sentence, SaysWhichRefutationsWereExpectedAndWhatWasNot) {
  Summary summary;
  summary.claims = {{Verdict::held, 5}, {Verdict::refuted, 3}};
  summary.refuted_as_expected = 3;
  summary.controls = 2;
  EXPECT_EQ(sentence(summary), "5 of 8 claims hold, 3 refuted as expected; 2 controls quiet.");
  summary.refuted_as_expected = 2;
  summary.unexpected = 1;
  EXPECT_EQ(sentence(summary),
            "5 of 8 claims hold, 3 refuted (2 as expected); 1 verdict not as expected; 2 controls "
            "quiet.");
  summary.claims = {{Verdict::held, 1}};
  summary.refuted_as_expected = 0;
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; 1 verdict not as expected; 2 controls quiet.");
  summary.unexpected = 0;
  summary.controls = 1;
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; 1 control quiet.");
  summary.moved = "a";
  EXPECT_EQ(sentence(summary), "UNPROVEN: the control a moved, so no claim is decided.");
}

}  // namespace
}  // namespace cliffbench
