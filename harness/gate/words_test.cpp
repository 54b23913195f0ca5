#include "harness/gate/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/text/terminal.hpp"
#include "harness/gate/ruling.hpp"
#include "harness/suite/case/describe.hpp"

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

constexpr Ruling kAll[] = {Ruling::ok,           Ruling::regression,  Ruling::improved,
                           Ruling::inconclusive, Ruling::skipped,     Ruling::unchanged,
                           Ruling::wrong_output, Ruling::not_measured};

/// One of each, the best first.
GateReport one_of_each() {
  GateReport report{.base = "old", .head = "new", .machine = "a processor, 2 cores"};
  for (const Ruling ruling : kAll) report.findings.push_back(finding(ruling, "is " + word(ruling)));
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(RulingLine, SaysRatioIntervalChangePairsAndMetric) {
  const std::string line = ruling_line(finding(Ruling::regression, "name"));
  for (const char* part : {"REGRESSION", "0.909x [0.900, 0.920]", "+10.0 %", "12 pairs", "cpu"}) {
    EXPECT_NE(line.find(part), std::string::npos) << line;
  }
  EXPECT_TRUE(line.ends_with("  name")) << line;
}

TEST(RulingHead, NamesTheColumnsWhereTheyAre) {
  const std::string head = ruling_head(), line = ruling_line(finding(Ruling::regression, "name"));
  EXPECT_TRUE(head.ends_with("  benchmark\n")) << head;
  EXPECT_EQ(head.find("benchmark"), line.find("name"));
  EXPECT_EQ(head.find("base / head"), line.find("0.909x"));
  EXPECT_EQ(head.find("by "), line.find("cpu"));
  for (const auto& [name, value] : {std::pair{"time", "+10.0 %"}, {"pairs", "12 pairs"}}) {
    EXPECT_EQ(head.find(name) + std::string(name).size(),
              line.find(value) + std::string(value).size());
  }
}

TEST(RulingLine, SaysWhatElseIsKnownOnALineOfItsOwn) {
  GateFinding made = finding(Ruling::ok, "name");
  made.reason = "a reason";
  made.instructions = Instructions{1000, 1010};
  made.control = interval(1.05, 1.06, 1.07);
  made.control_moved = true;
  const auto lines = lines_of(ruling_line(made));
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[1],
            "    a reason; instructions +1.00 %; the "
            "control MOVED: the base differs from itself, 1.06x [1.05, 1.07]");
}

TEST(RulingLine, ByInstructionsShowsTheirRatio) {
  GateFinding made = finding(Ruling::ok, "name");
  rule_by_instructions(made, {1000, 1250});
  const std::string line = ruling_line(made);
  EXPECT_NE(line.find("0.800x"), std::string::npos) << line;
  EXPECT_NE(line.find("+25.00 % instructions"), std::string::npos) << line;
}

TEST(RulingLine, AStoppedHeadHasNoInventedChange) {
  GateFinding made = finding(Ruling::regression, "name");
  made.ratio.median = {0, 0.1};
  made.ratio.at = Range{0, 0.12};
  made.ratio.stopped = 12;
  const std::string line = ruling_line(made);
  EXPECT_EQ(line.find(" %"), std::string::npos);
  EXPECT_NE(line.find("<= 0.120x (12 stopped runs)"), std::string::npos) << line;
}

TEST(GateSentence, CountsTheWorstFirst) {
  EXPECT_EQ(gate_sentence(one_of_each()),
            "1 REGRESSION, 1 WRONG OUTPUT, 1 NOT MEASURED, 1 inconclusive, 1 improved, 1 ok, "
            "1 skipped, 1 UNCHANGED.");
  GateReport moved = one_of_each();
  moved.findings.resize(2);
  moved.findings[0].control_moved = true;
  EXPECT_EQ(gate_sentence(moved),
            "UNPROVEN: the base differs from itself at is ok (1 REGRESSION, 1 ok).");
  EXPECT_EQ(moved.exit(), 14);
}

TEST(RulingLine, OfAnOrdinaryOkIsOneLine) {
  GateFinding made = finding(Ruling::ok, "name");
  made.reason = meaning(Ruling::ok, made.rule);
  EXPECT_EQ(lines_of(ruling_line(made)).size(), 1);
  made.reason += "; it executes 0.6 % more instructions";
  EXPECT_EQ(lines_of(ruling_line(made)).size(), 2);
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
            "measure the first alone: cliffbench gate --base 'old dir/b' --head new/b "
            "--filter '^BM_it'\\''s<7>/2$' -- --data 'my file'");
  EXPECT_EQ(lines.back(),
            "300 decisions: the chance of a false REGRESSION anywhere among them is at most 1 % "
            "(margin 2 %, 5 % would have shown)");
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

TEST(GateEnd, FitsTheTerminalAndItsCommandCanBePasted) {
  GateReport report{.base = "build of the day before/my_benchmark",
                    .head = "build/my_benchmark",
                    .rule = {.decisions = 2}};
  report.findings.push_back(finding(Ruling::regression, "BM_parse/of:a_long_document/threads:4"));
  report.notes = {
      "other programs kept 80 % of the processors busy; this widens the intervals but favours "
      "neither side"};
  report.arguments = {"--data", "my file"};
  const std::string plain = gate_end_text(report);
  const size_t start = plain.find("cliffbench gate");
  const std::string command = plain.substr(start, plain.find('\n', start) - start);
  for (const size_t width : {80, 120}) {
    const std::string text = gate_end_text(report, width);
    EXPECT_EQ(text.find("…"), std::string::npos) << text;
    for (const std::string& line : lines_of(text)) {
      EXPECT_TRUE(line.ends_with(command) || display_width(line) <= width) << line;
    }
    EXPECT_NE(text.find("\nmeasure the first alone: " + command + '\n'), std::string::npos) << text;
  }
}

TEST(Markdown, ShowsTheWorstFirst) {
  const auto lines = lines_of(rulings_markdown(one_of_each()));
  const char* worst_first[] = {"REGRESSION", "WRONG OUTPUT", "NOT MEASURED", "inconclusive",
                               "improved",   "ok",           "skipped",      "UNCHANGED"};
  ASSERT_GE(lines.size(), 4 + std::size(worst_first));
  for (size_t i = 0; i < std::size(worst_first); ++i) {
    EXPECT_TRUE(lines[4 + i].starts_with(std::string("| ") + worst_first[i] + " |"))
        << lines[4 + i];
  }
}

TEST(Markdown, HasAtMostFifteenLinesHoweverMuchThereIs) {
  GateReport report = one_of_each();
  for (int i = 0; i < 500; ++i) {
    report.findings.push_back(finding(Ruling::ok, "number " + std::to_string(i)));
  }
  report.unfit = "other programs\nkept 80 % of the processors busy";
  report.machine = "a\nprocessor";
  const std::string text = rulings_markdown(report);
  EXPECT_LE(lines_of(text).size(), 15);
  EXPECT_NE(text.find("502 more in rulings.jsonl."), std::string::npos) << text;
}

TEST(Markdown, NoNameBreaksItsCellOrItsLine) {
  GateReport report = one_of_each();
  const std::string wild = "a|b<img>`c`*d*\\e\nf";
  report.findings = {finding(Ruling::ok, wild)};
  report.findings[0].control_moved = true;  // names it in the sentence too
  const auto lines = lines_of(rulings_markdown(report));
  ASSERT_EQ(lines.size(), 7);
  EXPECT_TRUE(lines[4].ends_with("| a\\|b\\<img>\\`c\\`\\*d\\*\\\\e f |")) << lines[4];
  EXPECT_EQ(count(lines[4], "|") - count(lines[4], "\\|"), 6);
  EXPECT_EQ(lines[0].find("<img>"), lines[0].find("\\<img>") + 1) << lines[0];
}

TEST(JUnit, CountsWhatFailedAndWhatWasSkipped) {
  const std::string text = rulings_junit(one_of_each());
  EXPECT_NE(text.find("tests=\"8\" failures=\"3\" skipped=\"2\""), std::string::npos) << text;
  EXPECT_EQ(count(text, "<testcase "), 9);
  EXPECT_EQ(count(text, "</testcase>"), 9);
  EXPECT_EQ(count(text, "<failure message=\"regression\">"), 1);
  EXPECT_EQ(count(text, "<failure message=\"wrong_output\">"), 1);
  EXPECT_EQ(count(text, "<failure message=\"not_measured\">"), 1);
  EXPECT_EQ(count(text, "<skipped "), 3);
  EXPECT_EQ(count(text, "<system-out>"), 3);
}

TEST(JUnit, EscapesNames) {
  GateReport report = one_of_each();
  report.findings = {finding(Ruling::ok, "a<b>&\"c\"\x01\xff")};
  const std::string text = rulings_junit(report);
  EXPECT_NE(text.find("name=\"a&lt;b&gt;&amp;&quot;c&quot;\\x01\\xff\""), std::string::npos)
      << text;
  EXPECT_EQ(text.find('\x01'), std::string::npos);
}

TEST(RulingsJsonl, HasASummaryAndALineARuling) {
  GateReport report = one_of_each();
  report.findings[1].instructions = Instructions{1000, 1100};
  report.notes = {"only the base has benchmark: gone"};
  const auto lines = lines_of(rulings_jsonl(report));
  ASSERT_EQ(lines.size(), 10);
  const auto summary = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(summary["kind"], "gate");
  EXPECT_EQ(summary["schema"], kSchema);
  EXPECT_EQ(summary["base"], "old");
  EXPECT_EQ(summary["head"], "new");
  EXPECT_EQ(summary["exit"], 10);
  EXPECT_EQ(summary["notes"], (std::vector<std::string>{"only the base has benchmark: gone"}));
  for (size_t i = 0; i < std::size(kAll); ++i) {
    EXPECT_EQ(nlohmann::json::parse(lines[i + 1])["ruling"], word(kAll[i]));
  }
  const auto slower = nlohmann::json::parse(lines[2]);
  EXPECT_EQ(slower["kind"], "ruling");
  EXPECT_EQ(slower["metric"], "cpu");
  EXPECT_EQ(slower["pairs"], 12);
  EXPECT_NEAR(slower["ratio"]["median"], 1 / 1.1, 1e-12);
  EXPECT_EQ(slower["ratio"]["lo"], 0.9);
  EXPECT_EQ(slower["ratio"]["hi"], 0.92);
  EXPECT_EQ(slower["ratio"]["n"], 12);
  EXPECT_EQ(slower["control_moved"], false);
  EXPECT_EQ(slower["head_s"]["median"], 1.1);
  EXPECT_EQ(slower["iteration_counts_differ"], false);
  EXPECT_NEAR(slower["instructions"]["change"], 0.1, 1e-12);
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
