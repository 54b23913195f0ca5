#include "harness/gate/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/text/terminal.hpp"
#include "harness/gate/ruling.hpp"

namespace cliffbench {
namespace {

Interval interval(double lo, double median, double hi) {
  return {.median = {median, median}, .at = Range{lo, hi}, .rounds = 12};
}

GateFinding finding(Ruling ruling, const std::string& name) {
  return {.program = "program",
          .name = name,
          .ruling = ruling,
          .decided = true,
          .pairs = 12,
          .ratio = interval(0.9, 1 / 1.1, 0.92),
          .wall = interval(0.9, 1 / 1.1, 0.92),
          .cpu = interval(0.9, 1 / 1.1, 0.92),
          .control = interval(0.99, 1, 1.01),
          .base_s = interval(1, 1, 1),
          .head_s = interval(1.1, 1.1, 1.1)};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(RulingLine, IsColouredByItsRulingWhereThereAreColours) {
  const GateFinding slower = finding(Ruling::regression, "name");
  const std::string plain = ruling_line(slower);
  const std::string painted = ruling_line(slower, {.colours = true});
  EXPECT_EQ(painted, "\x1b[31mREGRESSION\x1b[0m" + plain.substr(10));
  EXPECT_TRUE(ruling_line(finding(Ruling::ok, "a\x1b[2J"), {.colours = true})
                  .starts_with("\x1b[32mok\x1b[0m  "));
  EXPECT_TRUE(ruling_line(finding(Ruling::ok, "a\x1b[2J")).ends_with("a\\x1b[2J"));
}

TEST(RulingsMarkdown, HasTheEightWorstAndCountsTheOthers) {
  GateReport report;
  for (int i = 1; i <= 9; ++i) {
    report.findings.push_back(
        finding(i == 9 ? Ruling::regression : Ruling::ok, "n" + std::to_string(i)));
    const std::string text = rulings_markdown(report);
    EXPECT_EQ(std::ranges::count(text, '|'), 6 * (2 + std::min(i, 8))) << text;
    EXPECT_EQ(text.find(" more in rulings.jsonl.") != std::string::npos, i == 9) << text;
    EXPECT_EQ(text.find("| n8 |") != std::string::npos, i == 8) << text;
  }
  EXPECT_LT(rulings_markdown(report).find("n9"), rulings_markdown(report).find("n1"));
}

TEST(GateEnd, FitsOnAScreenAndNamesTheSlowestFirst) {
  GateReport report{.base = "old dir/b", .head = "new/b", .rule = {.decisions = 300}};
  for (int i = 0; i < 300; ++i) {
    report.findings.push_back(finding(Ruling::regression, "BM_it's<" + std::to_string(i) + ">/2"));
    report.notes.push_back("note");
  }
  report.findings[7].ratio = interval(0.5, 0.5, 0.5);
  report.arguments = {"--data", "my file"};
  const auto lines = lines_of(gate_end_text(report));
  EXPECT_LE(lines.size(), 24);
  EXPECT_EQ(lines[1], "300 REGRESSION.");
  EXPECT_EQ(lines[2], "slower: +100.0 % BM_it's<7>/2");
  EXPECT_EQ(lines[10], "slower: 292 more in rulings.jsonl");
  EXPECT_EQ(lines[11],
            "measure the first alone (add your other flags): cliffbench gate --base 'old dir/b' "
            "--head new/b "
            "--filter '^BM_it'\\''s<7>/2$' -- --data 'my file'");
  EXPECT_EQ(lines.back(),
            "fails above 2 %; ok rules out 5 %; 300 decisions: the chance of any false "
            "REGRESSION is at most 1 %");
}

TEST(RulingLine, ALongNameGetsALineOfItsOwnInANarrowTerminal) {
  GateFinding made = finding(Ruling::regression, "BM_a_benchmark_of_a_long_name<std::string>/4096");
  made.reason = "slower by more than 2 %, which a reader should see at the width of any terminal";
  EXPECT_EQ(ruling_line(made, {.width = 80}),
            "REGRESSION      0.909x [0.900, 0.920]      +10.0 %  12 pairs  cpu\n"
            "    BM_a_benchmark_of_a_long_name<std::string>/4096\n"
            "        slower by more than 2 %, which a reader should see at the width of any\n"
            "        terminal");
  EXPECT_EQ(lines_of(ruling_line(made, {.width = 120})).size(), 2);
  made.name = "short";
  EXPECT_TRUE(lines_of(ruling_line(made, {.width = 80}))[0].ends_with("  cpu   short"));
  rule_by_instructions(made, {1000, 1250});
  for (const std::string& line : lines_of(ruling_line(made, {.width = 80}))) {
    EXPECT_LE(display_width(line), 80) << line;
  }
}

TEST(JUnit, EscapesNames) {
  GateReport report;
  report.findings = {finding(Ruling::ok, "a<b>&\"c\"\x01\xff")};
  const std::string text = rulings_junit(report);
  EXPECT_NE(text.find("name=\"a&lt;b&gt;&amp;&quot;c&quot;\\x01\\xff\""), std::string::npos)
      << text;
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

TEST(RulingsJsonl, AnIntervalThatIsNotThereIsNotMadeUp) {
  GateFinding made;
  EXPECT_TRUE(ruling_json(made)["ratio"].is_null());
  made.ratio = {.median = {1, 1}, .rounds = 3};
  EXPECT_FALSE(ruling_json(made)["ratio"].contains("lo"));
  made.ratio = {.median = {0, 0.1}, .at = Range{0, 0.2}, .rounds = 12, .stopped = 12};
  EXPECT_EQ(ruling_json(made)["ratio"]["stopped"], 12);
  EXPECT_TRUE(ruling_json(made)["ratio"]["median"].is_null());  // not 0
  EXPECT_EQ(ruling_json(made)["ratio"]["hi"], 0.2);
  EXPECT_FALSE(ruling_json(made).contains("instructions"));
}

}  // namespace
}  // namespace cliffbench
