#include "harness/suite/words/verdicts.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

TEST(Sentence, SaysWhichRefutationsWereExpectedAndWhatWasNot) {
  Summary summary;
  summary.claims = {{Verdict::held, 5}, {Verdict::refuted, 3}};
  summary.refuted_as_expected = 3;
  summary.controls[Steadiness::within] = 2;
  EXPECT_EQ(sentence(summary),
            "5 of 8 claims hold, 3 refuted as expected; controls: 2 within range.");
  summary.refuted_as_expected = 2;
  summary.unexpected = 1;
  EXPECT_EQ(sentence(summary),
            "5 of 8 claims hold, 3 refuted (2 as expected); 1 verdict not as expected; controls: 2 "
            "within range.");
  summary.refuted_of_open = 1;
  summary.unexpected = 0;
  EXPECT_EQ(
      sentence(summary),
      "5 of 8 claims hold, 3 refuted (2 as expected, 1 with no outcome expected); controls: 2 "
      "within range.");
  summary.claims = {{Verdict::held, 1}};
  summary.refuted_as_expected = 0;
  summary.refuted_of_open = 0;
  summary.unexpected = 1;
  EXPECT_EQ(sentence(summary),
            "1 of 1 claim holds; 1 verdict not as expected; controls: 2 within range.");
  summary.unexpected = 0;
  summary.controls.clear();
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; no control was measured.");
}

TEST(Sentence, SaysWhichClaimsAMovedControlLeavesUndecidedAndWhatBecameOfTheOthers) {
  Summary summary;
  summary.claims = {{Verdict::held, 5}, {Verdict::unproven, 3}};
  summary.controls = {{Steadiness::within, 2}, {Steadiness::moved, 1}};
  summary.moved = {{"mul_line", {"dims:64x64"}, 3}};
  EXPECT_EQ(sentence(summary),
            "mul_line: its control moved at dims:64x64, so 3 of its claims are unproven; of the "
            "others, 5 of 5 claims hold; controls: 2 within range, 1 moved.");
  summary.moved = {{"mul_line", {"dims:1x1", "dims:2x2", "dims:3x3", "dims:4x4", "dims:5x5"}, 1}};
  EXPECT_TRUE(sentence(summary).starts_with(
      "mul_line: its control moved at dims:1x1 and at dims:2x2 and at dims:3x3 and at 2 more "
      "points, so 1 of its claims is unproven; of the others, "))
      << sentence(summary);
  summary.moved = {{"mul_line", {"the usual point"}, 0}};
  EXPECT_TRUE(sentence(summary).starts_with(
      "mul_line: its control moved at the usual point, which decides none of its claims; "))
      << sentence(summary);
}

TEST(Summary, CountsRefutationsByWhatTheCaseExpects) {
  const Case declared{.name = "made"};
  Judged judged{.program = "made@x", .declared = &declared};
  for (const Verdict expected : {Verdict::refuted, Verdict::undecided, Verdict::held}) {
    judged.judgement.findings.push_back(
        {.claim = {.expected = expected}, .verdict = Verdict::refuted});
  }
  const Summary summary = summarise({&judged, 1});
  EXPECT_EQ(summary.refuted_as_expected, 1);
  EXPECT_EQ(summary.refuted_of_open, 1);
  EXPECT_EQ(summary.unexpected, 1);
}

TEST(Sentence, NamesTheCaseOfAMovedControlAndItsUnusualAxes) {
  const Case declared{.name = "made", .axes = {{"n", "", {"1", "2"}}, {"field", "", {"a", "b"}}}};
  Finding control{.claim = {.id = "same", .range = {0.9, 1.1}, .control = true},
                  .at = {{"n", "2"}, {"field", "a"}},
                  .interval = {{2, 2}, Range{1.9, 2.1}, 6, 0},
                  .verdict = Verdict::refuted};
  Judged judged{.program = "made@x", .declared = &declared};
  judged.judgement.findings = {
      control, {.verdict = Verdict::unproven}, {.verdict = Verdict::unproven}, control};
  judged.judgement.findings.back().at = {{"n", "1"}, {"field", "a"}};
  const Summary summary = summarise({&judged, 1});
  ASSERT_EQ(summary.moved.size(), 1);
  EXPECT_EQ(summary.moved[0].program, "made");
  EXPECT_EQ(summary.moved[0].points, (std::vector<std::string>{"n:2", "the usual point"}));
  EXPECT_EQ(summary.moved[0].undecided, 2);
  EXPECT_EQ(summary.unexpected, 0) << "what is not decided is no surprise";
  const std::vector<Judged> both = {judged, judged};
  EXPECT_EQ(summarise(both).moved[1].program, "made@x") << "two programs of one case";
}

TEST(Sentence, CountsControlsThatAreTooWideApartAndBeginsWithThemWhenTheyAreMost) {
  Summary summary;
  summary.claims = {{Verdict::held, 1}};
  summary.controls = {{Steadiness::within, 2}, {Steadiness::too_wide, 2}};
  EXPECT_EQ(sentence(summary), "1 of 1 claim holds; controls: 2 within range, 2 too wide to tell.");
  summary.controls[Steadiness::too_wide] = 3;
  EXPECT_TRUE(sentence(summary).starts_with("3 of 5 controls are too wide to tell"))
      << sentence(summary);
  EXPECT_TRUE(sentence(summary).ends_with("2 controls within range.")) << sentence(summary);
}

Finding control(double lo, double hi) {
  Finding finding{.claim = {.id = "same", .range = {0.9, 1.1}, .control = true}};
  finding.interval = {{1, 1}, Range{lo, hi}, 6, 0};
  finding.verdict = decide(finding.interval, finding.claim.range);
  return finding;
}

TEST(Controls, AreWithinRangeMovedOrTooWide) {
  EXPECT_EQ(verdict_words(control(0.9, 1.1)), "control within range");
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
  EXPECT_EQ(summary.count(Steadiness::within), 1);
  EXPECT_EQ(summary.count(Steadiness::too_wide), 2);
  EXPECT_EQ(summary.control_count(), 3);
  EXPECT_EQ(controls_text(summary), "1 within range, 2 too wide to tell");
}

}  // namespace
}  // namespace cliffbench
