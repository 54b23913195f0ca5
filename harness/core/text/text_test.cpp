#include "harness/core/text/text.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

TEST(Text, ThreeDigits) {
  EXPECT_EQ(three_digits(12.345), "12.3");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(0.99999), "1.00");
  EXPECT_EQ(three_digits(1234.5), "1230");
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(duration(0.0132), "13.2 ms");
  EXPECT_EQ(clock_time(3723), "1:02:03");
}

TEST(Text, OfOtherProgramsIsShownWithoutControlCharacters) {
  EXPECT_EQ(printable("plain µ 計測 …\n\ta \"quoted\" \\ 'one'"),
            "plain µ 計測 …\n\ta \"quoted\" \\ 'one'");
  EXPECT_EQ(printable("\x1b[2J\r"), "\\x1b[2J\\r");
  EXPECT_EQ(printable("no UTF-8: \xff\xc3"), "no UTF-8: \\xff\\xc3");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  for (const char* mark : {"\u202e", "\u2066", "\u200f", "\u061c", "\u009b", "\u2028", "\ufeff"}) {
    EXPECT_TRUE(printable(mark).starts_with("\\")) << printable(mark);
  }
}

const std::vector<std::string> kVerbs = {"list", "run", "plan", "status", "judge", "gate"};

TEST(Typing, OneExtraMissingWrongOrSwappedLetterIsUnderstood) {
  for (const char* typed : {"judge", "jugde", "judg", "judgee", "jadge"}) {
    EXPECT_EQ(nearest(typed, kVerbs), "judge") << typed;
  }
  EXPECT_EQ(nearest("--profil", {"--rounds", "--profile"}), "--profile");
  EXPECT_EQ(nearest("left-out", {"left_in", "left_out"}), "left_out");
}

TEST(Typing, WithoutANearWordNothingIsGuessed) {
  for (const char* typed : {"", "x", "measure", "gatling gun", "rm"}) {
    EXPECT_EQ(nearest(typed, kVerbs), "") << typed;
  }
  EXPECT_EQ(nearest(std::string(100000, 'j'), kVerbs), "");
  EXPECT_EQ(nearest("judge", {}), "");
}

TEST(Typing, TheSentenceSaysWhatWasMeantOrWhatThereIs) {
  EXPECT_EQ(no_such("verb", "jugde", kVerbs), "there is no verb 'jugde'; did you mean 'judge'?");
  EXPECT_EQ(no_such("axis", "n", {"buffers", "size"}),
            "there is no axis 'n'; it is one of buffers, size");
}

}  // namespace
}  // namespace cliffbench
