#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/suite/words/verdicts.hpp"

namespace cliffbench {
namespace {

using testing::HasSubstr;

Finding finding(const char* id, Verdict verdict, double lo, double hi) {
  Finding made{.claim = {.id = id, .text = "text | <" + std::string(id) + ">", .range = {2}}};
  made.interval = {{(lo + hi) / 2, (lo + hi) / 2}, Range{lo, hi}, 6, 0};
  made.verdict = verdict;
  return made;
}

struct Made {
  Case declared;
  Judged judged;
  Made() {
    Finding moved = finding("same", Verdict::refuted, 0.5, 0.8);
    moved.claim.control = true;
    moved.claim.range = {0.9, 1.1};
    Finding missing = finding("missing", Verdict::not_measured, 0, 0);
    missing.interval = {};
    declared.name = "made";
    judged = {.program = "made@x", .declared = &declared};
    judged.judgement.findings = {finding("held", Verdict::held, 3, 4),
                                 finding("open", Verdict::undecided, 1, 4),
                                 finding("refuted", Verdict::refuted, 1, 1.5), moved, missing};
    judged.judgement.cells = {
        {.variant = "fast", .params = {{"n", "1"}}, .status = Status::ok},
        {.variant = "slow", .params = {{"n", "1"}}, .status = Status::timeout},
        {.variant = "bad",
         .params = {{"n", "1"}},
         .status = Status::crash,
         .reason = "ended by signal 11"}};
  }
};

TEST(VerdictFiles, JUnitFailsWhatIsNotAsExpectedAndSkipsWhatIsOpen) {
  const Made made;
  const std::string xml = verdicts_junit({&made.judged, 1});
  EXPECT_THAT(xml, HasSubstr("tests=\"6\" failures=\"3\" skipped=\"2\""));
  EXPECT_THAT(xml, HasSubstr("name=\"bad at n:1\" time=\"0.000\"><failure message=\"crash\">crash: "
                             "ended by signal 11</failure>"));
  EXPECT_THAT(xml, HasSubstr("name=\"same\" time=\"0.000\"><failure message=\"control MOVED\">"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"refuted\">refuted: 1.25x [1.00, 1.50], claimed "));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"undecided: 2.50x [1.00, 4.00], claimed "));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"not measured here: -, claimed "));
  EXPECT_THAT(xml, HasSubstr("<system-out>held: 3.50x [3.00, 4.00], claimed "));
  EXPECT_THAT(xml, HasSubstr("text | &lt;held&gt;"));
}

TEST(VerdictFiles, MarkdownBeginsWithWhatFailedAndHasAtMostTwentyClaims) {
  Made made;
  auto& findings = made.judged.judgement.findings;
  for (int i = 0; i < 20; ++i) findings.insert(findings.begin(), finding("h", Verdict::held, 3, 4));
  const std::string text = verdicts_markdown({&made.judged, 1}, summarise({&made.judged, 1}));
  EXPECT_TRUE(text.starts_with("**cliffbench judge: made: its control moved at the usual point, "))
      << text;
  EXPECT_THAT(text, HasSubstr("- bad at n:1 of made@x: crash ended by signal 11\n\n| verdict |"));
  EXPECT_THAT(text, HasSubstr("|---|\n| **refuted** | 1.25x \\[1.00, 1.50\\] | "));
  EXPECT_THAT(text, HasSubstr("| text \\| \\<refuted> | made@x |\n| **control MOVED** |"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 1 + 1 + 2 + 20 + 2);
  EXPECT_TRUE(text.ends_with("\n5 more in verdicts.jsonl.\n")) << text;
}

}  // namespace
}  // namespace cliffbench
