#include "harness/text/typing.hpp"

#include <gtest/gtest.h>

namespace cliffbench {
namespace {

const std::vector<std::string> kVerbs = {"list", "run", "plan", "status", "judge", "gate"};

TEST(Typing, ALetterMoreLessOtherOrExchangedIsUnderstood) {
  for (const char* typed : {"judge", "jugde", "judg", "judgee", "jadge"}) {
    EXPECT_EQ(nearest(typed, kVerbs), "judge") << typed;
  }
  EXPECT_EQ(nearest("--profil", {"--rounds", "--profile"}), "--profile");
  EXPECT_EQ(nearest("left-out", {"left_in", "left_out"}), "left_out");
}

TEST(Typing, NothingNearIsNoGuess) {
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
