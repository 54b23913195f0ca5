#include "harness/core/text/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/core/text/printed_by_test.hpp"
#include "harness/core/text/progress_line.hpp"

namespace cliffbench {
namespace {

TEST(Width, IsThatOfTheCharactersOnTheScreen) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("µs"), 2);
  EXPECT_EQ(display_width("計測"), 4);
}

TEST(CutMiddle, KeepsBothEndsAndWholeCharacters) {
  EXPECT_EQ(cut_middle("a_long_variant", 14), "a_long_variant");
  EXPECT_EQ(cut_middle("a_long_variant", 10), "a_lon…iant");
  EXPECT_EQ(cut_middle("計測計測", 6), "計…測");
  EXPECT_EQ(cut_middle("a_long_variant", 1), "…");
  EXPECT_EQ(cut_middle("a_long_variant", 0), "");
}

TEST(Wrapped, BreaksAtSpacesAndCutsNothing) {
  EXPECT_EQ(wrapped("one two three four", 9), "one two\n  three\n  four");
  EXPECT_EQ(wrapped("a_very_long_word b", 9), "a_very_long_word\n  b");
  EXPECT_EQ(wrapped("", 9), "");
}

TEST(Wrapped, ALongLineGoesOnBelowItsLastColumn) {
  EXPECT_EQ(wrapped("  axis n  1, 2, 3, 4, 5, 6, 7\nshort\n", 20),
            "  axis n  1, 2, 3,\n          4, 5, 6, 7\nshort\n");
  EXPECT_EQ(wrapped("one two three four\n", 10), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("one two three four", 0), "one two three four");
  EXPECT_EQ(wrapped("one two three", 10), "one two\n  three") << "no line end where there was none";
}

std::vector<std::string> lines_of(const Table& table) {
  std::istringstream text(table.text());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Table table_of(size_t width) {
  Table table({.width = width}, {3});
  table.row({"short", "1x", "n:1", "6"});
  table.row({"a_name_of_more_than_eighteen_letters", "2x", "n:1 where:somewhere_else", "12"});
  table.line("    a line between, as long as may be, which ends below its beginning");
  table.row({"übung", "3x", "n:2", "6"});
  return table;
}

TEST(Columns, LineUpWhateverTheNames) {
  const auto lines = lines_of(table_of(0));
  ASSERT_EQ(lines.size(), 4);
  for (const int row : {0, 1, 3}) {
    const size_t at = lines[row].find("x ");
    EXPECT_EQ(display_width(lines[row].substr(0, at)),
              display_width(lines[1].substr(0, lines[1].find("x "))));
    EXPECT_EQ(display_width(lines[row]), display_width(lines[1]));
  }
  EXPECT_NE(lines[1].find("a_name_of_more_than_eighteen_letters"), std::string::npos);
}

TEST(Columns, StandBelowTheFirstInANarrowTerminalAndNothingIsCut) {
  EXPECT_EQ(lines_of(table_of(50)),
            (std::vector<std::string>{
                "short", "    1x  n:1                        6",
                "a_name_of_more_than_eighteen_letters", "    2x  n:1 where:somewhere_else  12",
                "    a line between, as long as may be, which ends", "    below its beginning",
                "übung", "    3x  n:2                        6"}));
}

TEST(Columns, HoldTextOfStrangersOnOneLine) {
  Table table;
  table.line("a\nb\x1b[2J");
  table.row({"c\td", "e"}, Style::good);
  EXPECT_EQ(table.text(), "a b\\x1b[2J\nc d  e\n");
}

TEST(Colour, OnlyTheLastCellIsColouredAfterItsColumnsLineUp) {
  Table table({.colours = true}, {1});
  table.row({"+ a claim", "6", "held"}, Style::good);
  table.row({"? x", "12", "control too wide"}, Style::doubt);
  table.row({"  claim", "n", "verdict"});
  EXPECT_EQ(table.text(),
            "+ a claim   6  \x1b[32mheld\x1b[0m\n"
            "? x        12  \x1b[33mcontrol too wide\x1b[0m\n"
            "  claim     n  verdict\n");
}

TEST(Colour, OffTheTextStaysAsItIs) {
  EXPECT_EQ(styled("REGRESSION", Style::bad, false), "REGRESSION");
  EXPECT_EQ(styled("heading", Style::plain, true), "heading");
  EXPECT_EQ(styled("a\x1b[2J", Style::bold, true), "\x1b[1ma\\x1b[2J\x1b[0m");
}

TEST(ProgressLine, OverwritesTheLineBeforeAndLeavesNone) {
  const std::string shown = shown_by([] {
    const ProgressLine line;
    EXPECT_TRUE(line.shown());
    line.show("one\ntwo");
    line.show(std::string(30, 'a') + std::string(30, 'b'));
  });
  const std::string clear = "\r\x1b[K";
  EXPECT_TRUE(shown.starts_with(clear + one_line("one\ntwo") + clear + "aaa")) << shown;
  EXPECT_TRUE(shown.ends_with("bbb" + clear)) << shown;
  const std::size_t cut = shown.rfind(clear) - shown.find("aaa");
  EXPECT_EQ(display_width(shown.substr(shown.find("aaa"), cut)), 39);  // of 40 columns
}

TEST(ProgressLine, ShowsNothingWhenQuietOrWhereALineCannotBeOverwritten) {
  const auto steps = [](bool quiet) {
    const ProgressLine line(quiet);
    EXPECT_FALSE(line.shown());
    line.show("a");
    line.clear();
  };
  EXPECT_EQ(shown_by([&] { steps(true); }), "");
  EXPECT_EQ(shown_by([&] { steps(false); }, "dumb"), "");
  EXPECT_EQ(printed_by([&] { steps(false); }), "");
}

}  // namespace
}  // namespace cliffbench
