#include "harness/text/colour.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

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
            "\x1b[1ma@1 on machine m\x1b[0m\n  b\nc\n\n\x1b[1md\x1b[0m\n\x1b[1mWhy?\x1b[0m\n\ne  "
            "f\n\nnote: g\n");
}

TEST(Colour, OffTheTextStaysAsItIs) {
  const std::string text = "REGRESSION\n\nheading\n  held\n";
  EXPECT_EQ(coloured(text, false), text);
  EXPECT_EQ(coloured("", true), "");
}

}  // namespace
}  // namespace cliffbench
