#include "harness/print/verdicts.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

TEST(Sentence, SaysWhichRefutationsWereExpectedAndWhatWasNot) {
  Summary summary;
  summary.claims = {{Verdict::held, 5}, {Verdict::refuted, 3}};
  summary.refuted_as_expected = 3;
  summary.controls[Steadiness::quiet] = 2;
  EXPECT_EQ(sentence(summary), "5 of 8 claims hold, 3 refuted as expected; controls: 2 quiet.");
  summary.refuted_as_expected = 2;
  summary.unexpected = 1;
  EXPECT_EQ(sentence(summary),
            "5 of 8 claims hold, 3 refuted (2 as expected); 1 verdict not as expected; controls: 2 "
            "quiet.");
  summary.claims = {{Verdict::held, 1}};
  summary.refuted_as_expected = 0;
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; 1 verdict not as expected; controls: 2 quiet.");
  summary.unexpected = 0;
  summary.controls.clear();
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; no control was measured.");
  summary.moved = "a";
  EXPECT_EQ(sentence(summary), "UNPROVEN: the control a moved, so no claim is decided.");
}

TEST(Sentence, CountsControlsThatAreTooWideApartAndBeginsWithThemWhenTheyAreMost) {
  Summary summary;
  summary.claims = {{Verdict::held, 1}};
  summary.controls = {{Steadiness::quiet, 2}, {Steadiness::too_wide, 2}};
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; controls: 2 quiet, 2 too wide to say.");
  summary.controls[Steadiness::too_wide] = 3;
  EXPECT_TRUE(sentence(summary).starts_with("3 of 5 controls are too wide to say"))
      << sentence(summary);
  EXPECT_TRUE(sentence(summary).ends_with("2 controls quiet.")) << sentence(summary);
}

Finding control(double lo, double hi) {
  Finding finding{.claim = {.id = "same", .range = {0.9, 1.1}, .control = true}};
  finding.interval = {{1, 1}, Range{lo, hi}, 6, 0};
  finding.verdict = decide(finding.interval, finding.claim.range);
  return finding;
}

TEST(Controls, AreQuietInsideTheirRangeMovedOutsideAndElseTooWide) {
  EXPECT_EQ(verdict_words(control(0.9, 1.1)), "control quiet");
  EXPECT_EQ(verdict_words(control(0.5, 0.89)), "control MOVED");
  EXPECT_EQ(verdict_words(control(0.58, 0.991)), "control too wide") << "1 is not in it";
  EXPECT_EQ(verdict_words(control(0.95, 1.31)), "control too wide");
  Finding few = control(0.9, 1.1);
  few.interval.at.reset();
  EXPECT_EQ(verdict_words(few), "control, too few rounds");

  const Case declared;
  Judged judged{.declared = &declared};
  judged.judgement.findings = {control(0.95, 1.05), control(0.5, 1.5), control(0.5, 2), few};
  const Summary summary = summarise({&judged, 1});
  EXPECT_EQ(summary.count(Steadiness::quiet), 1);
  EXPECT_EQ(summary.count(Steadiness::too_wide), 2);
  EXPECT_EQ(summary.control_count(), 3);
  EXPECT_EQ(controls_text(summary), "1 quiet, 2 too wide to say");
}

}  // namespace
}  // namespace cliffbench
