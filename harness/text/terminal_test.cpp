#include "harness/text/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

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
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two three four", 9, "", "  "), (Lines{"one two", "  three", "  four"}));
  EXPECT_EQ(wrapped("a_very_long_word b", 9), (Lines{"a_very_long_word", "b"}));
  EXPECT_EQ(wrapped("a\nb\x1b[2J", 80), (Lines{"a b\\x1b[2J"}));
  EXPECT_EQ(wrapped("", 9), Lines());
}

std::vector<std::string> lines_of(const Table& table) {
  std::istringstream text(table.text());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Table table_of(size_t width) {
  Table table(width, {3});
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
                "    a line between, as long as may be, which ends", "      below its beginning",
                "übung", "    3x  n:2                        6"}));
}

TEST(Width, ALongLineGoesOnBelowItsLastColumn) {
  EXPECT_EQ(folded("  axis n  1, 2, 3, 4, 5, 6, 7\nshort\n", 20),
            "  axis n  1, 2, 3,\n          4, 5, 6, 7\nshort\n");
  EXPECT_EQ(folded("one two three four\n", 10), "one two\n  three\n  four\n");
  EXPECT_EQ(folded("one two three four", 0), "one two three four");
  EXPECT_EQ(folded("one two three", 10), "one two\n  three") << "no line end where there was none";
}

TEST(Colour, OnlyTheVerdictIsColoured) {
  EXPECT_EQ(coloured("+ a claim  >= 2x  6  held\n", true),
            "+ a claim  >= 2x  6\x1b[32m  held\x1b[0m\n");
  EXPECT_EQ(coloured(" 1\n? x  control too wide", true),
            " 1\n? x\x1b[33m  control too wide\x1b[0m");
}

TEST(Colour, ARulingBeginsItsLine) {
  EXPECT_EQ(coloured(" \nREGRESSION      1.2x\nok              1x\n", true),
            " \n\x1b[31mREGRESSION\x1b[0m      1.2x\n\x1b[32mok \x1b[0m             1x\n");
}

TEST(Colour, HeadingsAreBoldAndNoOtherLine) {
  EXPECT_EQ(coloured("a@1 on machine m\n  b\nc\n\nd\nWhy?\n\ne  f\n\nnote: g\n", true),
            "\x1b[1ma@1 on machine m\x1b[0m\n  b\nc\n\n\x1b[1md\x1b[0m\nWhy?\n\ne  f\n\nnote: g\n");
}

TEST(Colour, OffTheTextStaysAsItIs) {
  const std::string text = "REGRESSION\n\nheading\n  held\n";
  EXPECT_EQ(coloured(text, false), text);
  EXPECT_EQ(coloured("", true), "");
}

}  // namespace
}  // namespace cliffbench
